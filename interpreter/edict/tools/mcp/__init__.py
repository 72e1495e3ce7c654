"""The server for assistants that write rules: `kingsburg mcp`, over the Model Context Protocol.

`grammar/assistants.yaml` lists the tools, and `tool_definitions` reads it. `tool_calls` keeps drafts and games in
memory, and runs the functions of `rule_tools` and `game_tools` in limited processes, because rules come from strangers;
pages are documents to read. Only `mcp_server` depends on the protocol. Results are the same data that commands print
with `--format json`.
"""
