"""Tables and the studio as a static page: the application of `apps/web`, running inside the browser.

`page_builder` writes the folder of files that a static host serves. In the browser a service worker passes requests
to a worker, in which Pyodide runs `page_application`. Further workers (`web_workers`) take the place of a server's
processes. The JavaScript is in `in_browser`.
"""
