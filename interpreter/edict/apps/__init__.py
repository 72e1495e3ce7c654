"""The interfaces for people: the command line, tables in the browser, and a page that needs no server.

`cli` is the command `kingsburg`, `web` serves tables and the studio, and `page` runs the same pages inside a browser.
"""
