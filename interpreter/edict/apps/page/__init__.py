"""Tables and the studio in a page that needs no server: the same application, answering within the browser.

`making` writes the folder of files that a static host hands out. In the browser a service worker takes what pages ask
for and passes it on to a worker, in which Pyodide runs `answering`; other workers (`web_workers`) do what processes do
on a server. What is JavaScript is in `in_browser`.
"""
