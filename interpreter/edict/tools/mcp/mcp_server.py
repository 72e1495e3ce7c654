"""The Model Context Protocol, over standard input and output: tools, and pages to read as resources."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

import edict
from edict.tools.mcp import pages
from edict.tools.mcp.offered import Tool, instructions
from edict.tools.mcp.results import ToolFailure, ToolResult
from edict.tools.mcp.tool_calls import ToolCalls

NAME, TITLE = "edict", "Rules of board games"
PAGE = "edict://pages/"
_log = logging.getLogger(__name__)


def serve(folder: Path | None) -> None:
    """Serve one program until it goes. folder: where drafts may be saved; None: nowhere."""
    here = nullcontext(folder) if folder is not None else tempfile.TemporaryDirectory(prefix="edict-")
    with here as place:
        calls = ToolCalls(Path(place), writes=folder is not None)
        calls.warm()
        try:
            asyncio.run(_serve(make(calls)))
        finally:
            calls.close()


async def _serve(server: Server[Any]) -> None:
    async with stdio_server() as (asked, answered):
        await server.run(asked, answered, server.create_initialization_options())


def make(calls: ToolCalls) -> Server[Any]:
    """A server that runs these."""

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in calls.tools.values()])

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await called(calls, params.name, params.arguments or {})

    async def list_pages(context: Any, params: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[_page(name) for name in pages.PAGES])

    async def read_page(context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        name = str(params.uri).removeprefix(PAGE)
        if name not in pages.PAGES:
            raise ValueError(f"there is no page {params.uri}; there are {', '.join(PAGE + one for one in pages.PAGES)}")
        text = types.TextResourceContents(uri=params.uri, mime_type="text/markdown", text=pages.text_of(name))
        return types.ReadResourceResult(contents=[text])

    return Server(
        NAME,
        version=edict.__version__,
        title=TITLE,
        instructions=instructions(calls.where),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_pages,
        on_read_resource=read_page,
    )


async def called(calls: ToolCalls, name: str, arguments: Mapping[str, Any]) -> types.CallToolResult:
    """What a tool gives, or one clear message why not."""
    try:
        found: ToolResult = await calls.run(name, arguments)
    except ToolFailure as problem:
        return _refused(problem.text)
    except Exception:
        _log.exception("A tool failed: %s", name)
        return _refused("something went wrong here that should not have\nhelp: see the program's error output")
    return types.CallToolResult(content=[_text(found.text)], structured_content=found.data)


def _refused(why: str) -> types.CallToolResult:
    return types.CallToolResult(content=[_text(why)], is_error=True)


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _described(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(
        title=tool.title, read_only_hint=not tool.keeps, destructive_hint=tool.keeps == "disk", open_world_hint=False
    )
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.about,
        input_schema=tool.takes,
        output_schema=tool.gives,
        annotations=hints,
    )


def _page(name: str) -> types.Resource:
    return types.Resource(uri=PAGE + name, name=name, title=pages.TITLES[name], mime_type="text/markdown")
