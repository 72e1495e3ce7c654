"""The language service over the Language Server Protocol: `kingsburg lsp`, for any editor that speaks it.

`server` makes the server, `documents` keeps texts, publishes what is wrong with them and edits them, `queries` asks
the service, `code_lenses` plays scenes; `protocol` turns what the service says into what the protocol has. What is said
is decided in `edict.tools.language_service` alone.
"""
