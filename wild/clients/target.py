# The command line of the clients in Python of this folder, and what they print: as in target.mjs.
import json
import sys


def target():
    """The URL or the command, and the tool to call with its arguments."""
    words = sys.argv[1:]
    call = None
    if words[0] == "--call":
        call = (words[1], json.loads(words[2]))
        words = words[3:]
    return (None, words[1:], call) if words[0] == "--" else (words[0], None, call)


def finish(tools, result) -> None:
    """Prints the names of tools, and whatever a call gave."""
    print(json.dumps({"tools": tools, "result": result}, separators=(",", ":")))
