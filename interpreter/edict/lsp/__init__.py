"""The language service over the Language Server Protocol: `kingsburg lsp`, for any editor that speaks it.

`server` makes the server, `documents` keeps texts and publishes what is wrong with them, `answers` asks the service,
`lenses` plays scenes, `shapes` turns what the service says into what the protocol has. What is said is decided in
`edict.service` alone.
"""
