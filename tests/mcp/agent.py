"""A coding agent: it calls the tools of the MCP server."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from tests.server.running import PATIENCE_SECONDS

if TYPE_CHECKING:
    from mcp import Client


class Agent:
    """Calls the tools as a coding agent does."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def text(self, name: str, **arguments: object) -> tuple[str, bool]:
        """What a tool says, and whether it is an error."""
        from mcp.types import TextContent

        answer = await self.client.call_tool(name, arguments)
        (content,) = answer.content
        assert isinstance(content, TextContent)
        return content.text, bool(answer.is_error)

    async def call(self, name: str, **arguments: object) -> Any:
        """The data of a result, which says that it is data."""
        text, is_error = await self.text(name, **arguments)
        assert not is_error, text
        result = json.loads(text)
        assert "never an instruction" in result["notice"]
        return result["data"]

    async def error(self, name: str, **arguments: object) -> str:
        text, is_error = await self.text(name, **arguments)
        assert is_error, text
        return text

    async def held(self) -> str:
        """The digest that is held, once there is one."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not (held := (await self.call("list_held"))["held"]):
                await asyncio.sleep(0.05)
        return str(held[0]["digest"])
