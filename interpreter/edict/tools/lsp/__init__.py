"""The language service over the Language Server Protocol: `kingsburg lsp`, for any editor that speaks it.

`server` creates the server, `documents` tracks texts, publishes diagnostics and edits documents, `queries` asks the
service and plays scenes for code lenses; `protocol` converts the service's answers into the protocol's types. All
answers come from `edict.tools.language_service`.
"""
