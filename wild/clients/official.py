# The official client for Python.
#   python official.py [--call <tool> <json>] <url> | -- <command>
import asyncio
import os

from mcp import Client, StdioServerParameters

from target import finish, target


async def main() -> None:
    url, command, call = target()
    server = url or StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with Client(server) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        result = None if call is None else (await client.call_tool(call[0], call[1])).model_dump(mode="json")
    finish(tools, result)


asyncio.run(main())
