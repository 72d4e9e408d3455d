# FastMCP's client for Python.
#   python fastmcp_client.py [--call <tool> <json>] <url> | -- <command>
import asyncio
import os

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from target import finish, target


async def main() -> None:
    url, command, call = target()
    server = url or StdioTransport(command=command[0], args=command[1:], env=dict(os.environ))
    async with Client(server) as client:
        tools = [tool.name for tool in await client.list_tools()]
        result = None if call is None else str((await client.call_tool(call[0], call[1])).content)
    finish(tools, result)


asyncio.run(main())
