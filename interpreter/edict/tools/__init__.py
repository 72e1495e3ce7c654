"""Programs that help people write rules.

`language_service` answers an editor's questions about a workspace, `lsp` and `mcp` offer them over the Language
Server Protocol and the Model Context Protocol, and `studio` manages variants, their drafts, playtests and
evaluations. `tables` reads and writes things as spreadsheets have them. `operations` are those that commands and
assistants' tools share. `packages` builds wheels of modules, and `catalogue` a static catalogue of them;
`engines` and `version_differences` compare modules under two versions.
"""
