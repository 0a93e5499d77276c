"""Offers one tool to the models of slop, in Python.

A worker of slop runs the tools that slop brings along. A tool in another
language is an MCP server: a program that reads requests from standard input and
writes answers to standard output, one JSON object per line. slop starts it when
a model calls its tool and you, or a rule of yours, said yes. In mcp_config.json:

    {"mcpServers": {"words": {"command": "python3", "args": ["tool_server.py"]}}}

    slop mcp trust words

The tool is mcp__words__count. Only the standard library is used.
"""

import json
import sys

TOOL = {
    "name": "count",
    "description": "Counts the words of a text.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"],
                    "additionalProperties": False},
}


def answer(method, params):
    """Returns the result of a request; a KeyError means that the method is unknown."""
    return {
        "initialize": lambda: {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                               "serverInfo": {"name": "words", "version": "1"}},
        "ping": lambda: {},
        "tools/list": lambda: {"tools": [TOOL]},
        "tools/call": lambda: call(params["name"], params.get("arguments", {})),
    }[method]()


def call(name, arguments):
    """Runs the tool. A failure is a result, so that the model reads it."""
    if name != TOOL["name"] or not isinstance(arguments.get("text"), str):
        return {"content": [{"type": "text", "text": "give a text to count"}], "isError": True}
    return {"content": [{"type": "text", "text": f"{len(arguments['text'].split())} words"}]}


def main():
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:  # a notification has no answer
            continue
        reply = {"jsonrpc": "2.0", "id": request["id"]}
        try:
            reply["result"] = answer(request["method"], request.get("params") or {})
        except KeyError:
            reply["error"] = {"code": -32601, "message": "unknown method " + str(request.get("method"))}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
