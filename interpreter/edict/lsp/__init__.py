"""The language service over the Language Server Protocol: `kingsburg lsp`, for any editor that speaks it.

`server` makes the server, `documents` keeps texts and publishes what is wrong with them, `answers` asks the service,
`calls` who calls what, `lenses` plays scenes, `changes` edits; `shapes` turns what the service says into what the
protocol has. What is said is decided in `edict.service` alone.
"""
