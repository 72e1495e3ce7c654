"""The language service over the Language Server Protocol: `kingsburg lsp`, for any editor that speaks it.

`server` makes the server, `documents` keeps texts and publishes what is wrong with them, `answers` asks the service,
`shapes` turns its answers into those of the protocol. What is said is decided in `edict.service` alone.
"""
