"""The server for the Model Context Protocol, over standard input and output: tools, and pages as resources."""

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
from edict.tools.mcp import rule_tools
from edict.tools.mcp.results import ToolFailure, ToolResult
from edict.tools.mcp.tool_calls import ToolRunner
from edict.tools.mcp.tool_definitions import ToolDefinition, load_instructions

NAME, TITLE = "edict", "Rules of board games"
PAGE_URI = "edict://pages/"
_log = logging.getLogger(__name__)


def serve(folder: Path | None) -> None:
    """Serve one program until it disconnects.

    Args:
        folder: Where drafts may be saved; None if nowhere.
    """
    folder_context = nullcontext(folder) if folder is not None else tempfile.TemporaryDirectory(prefix="edict-")
    with folder_context as place:
        calls = ToolRunner(Path(place), can_save=folder is not None)
        calls.start_short_worker()
        try:
            asyncio.run(_serve_stdio(create_server(calls)))
        finally:
            calls.close()


async def _serve_stdio(server: Server[Any]) -> None:
    """Serve one client on standard input and output until it disconnects."""
    async with stdio_server() as (requests, responses):
        await server.run(requests, responses, server.create_initialization_options())


def create_server(calls: ToolRunner) -> Server[Any]:
    """Create a server for the tools and pages."""

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_to_protocol_tool(tool) for tool in calls.tools.values()])

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await run_tool(calls, params.name, params.arguments or {})

    async def list_pages(context: Any, params: Any) -> types.ListResourcesResult:
        """Return the pages about writing rules as resources of the protocol."""
        return types.ListResourcesResult(resources=[_to_resource(name) for name in rule_tools.PAGES])

    async def read_page(context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """Return the Markdown of the page at a URI. Raises `ValueError` with the known URIs for any other."""
        name = str(params.uri).removeprefix(PAGE_URI)
        if name not in rule_tools.PAGES:
            raise ValueError(
                f"there is no page {params.uri}; there are {', '.join(PAGE_URI + page for page in rule_tools.PAGES)}"
            )
        text = types.TextResourceContents(uri=params.uri, mime_type="text/markdown", text=rule_tools.read_page(name))
        return types.ReadResourceResult(contents=[text])

    return Server(
        NAME,
        version=edict.__version__,
        title=TITLE,
        instructions=load_instructions(calls.folder_sentence),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_pages,
        on_read_resource=read_page,
    )


async def run_tool(calls: ToolRunner, name: str, arguments: Mapping[str, Any]) -> types.CallToolResult:
    """Run a tool and return its result, or an error with one clear message."""
    try:
        result: ToolResult = await calls.run(name, arguments)
    except ToolFailure as failure:
        return _error_result(failure.text)
    except Exception:
        _log.exception("A tool failed: %s", name)
        return _error_result("an internal error occurred\nhelp: see the program's error output")
    return types.CallToolResult(content=[_text_content(result.text)], structured_content=result.data)


def _error_result(message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[_text_content(message)], is_error=True)


def _text_content(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _to_protocol_tool(tool: ToolDefinition) -> types.Tool:
    """Convert a tool to the protocol's type, with hints that tell if it only reads or changes files on disk."""
    hints = types.ToolAnnotations(
        title=tool.title,
        read_only_hint=not tool.changes,
        destructive_hint=tool.changes == "disk",
        open_world_hint=False,
    )
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.about,
        input_schema=tool.takes,
        output_schema=tool.gives,
        annotations=hints,
    )


def _to_resource(name: str) -> types.Resource:
    """Return the page of this name as a resource of the protocol, with its URI and title."""
    return types.Resource(uri=PAGE_URI + name, name=name, title=rule_tools.TITLES[name], mime_type="text/markdown")
