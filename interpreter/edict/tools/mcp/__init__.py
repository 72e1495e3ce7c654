"""A door for assistants: `kingsburg mcp`, over the Model Context Protocol, for programs that write rules for people.

What is offered stands in `grammar/assistants.yaml` and is read by `offered`. `drafts` keeps drafts and games in memory,
`tool_calls` has strangers' rules read and played in processes with limits, by the functions of `rule_tools` and
`game_tools`; `pages` are what there is to read. `mcp_server` speaks the protocol, and is the only one to know it. What
is given is what commands print with `--format json`, and comes from where they have it.
"""
