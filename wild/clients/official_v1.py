# The official client for Python, version 1.
#   python official_v1.py [--call <tool> <json>] <url> | -- <command>
import asyncio
import os

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client

from target import finish, target


async def main() -> None:
    url, command, call = target()
    if url is None:
        parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
        transport = stdio_client(parameters)
    else:
        transport = streamablehttp_client(url)
    async with transport as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        result = None if call is None else (await session.call_tool(call[0], call[1])).model_dump(mode="json")
    finish(tools, result)


asyncio.run(main())
