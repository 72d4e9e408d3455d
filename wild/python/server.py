# A server made with an SDK for Python: tools, structured output, a question to the user, resources and a prompt.
#   python server.py official|fastmcp
import sys

from pydantic import BaseModel, Field

if sys.argv[1] == "fastmcp":
    from fastmcp import Context, FastMCP as Server
else:
    from mcp.server.mcpserver import Context, MCPServer as Server

server = Server(f"{sys.argv[1]}-python", version="1.0.0")


class Sum(BaseModel):
    sum: float = Field(description="What both numbers are together")


class Name(BaseModel):
    name: str


@server.tool()
def add(a: float, b: float) -> Sum:
    """Adds two numbers."""
    return Sum(sum=a + b)


@server.tool()
async def greet(ctx: Context) -> str:
    """Asks for a name, and greets."""
    asked = await ctx.elicit("What is your name?", Name)
    return f"Hello, {asked.data.name}" if asked.action == "accept" else "Hello"


@server.tool()
async def count(to: int, ctx: Context) -> str:
    """Reports its progress."""
    for step in range(1, to + 1):
        await ctx.report_progress(step, to)
    return f"counted to {to}"


@server.resource("note://today")
def today() -> str:
    """A note."""
    return "buy milk"


@server.resource("note://{name}")
def note(name: str) -> str:
    """A note by its name."""
    return f"the note {name}"


@server.prompt()
def summarize(text: str) -> str:
    """Asks for a summary."""
    return f"Summarize: {text}"


server.run()
