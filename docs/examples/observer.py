"""Watches a session and prints a line for each file that a call changed.

An observer in another language needs HTTP alone: GET /api/stream sends every
event of a session as server-sent events, first those on record, then each new
one. The id of an event is its position on the log; a reader that lost its
connection goes on behind the last one that it has seen, so nothing is lost and
nothing comes twice. The token read.token allows reading and nothing else.

    slop serve &
    python3 observer.py .slop            # the data folder of the project

It ends with the session or the engine. Only the standard library is used.
"""

import json
import pathlib
import sys
import time
import urllib.error
import urllib.request


def frames(lines):
    """Yields the kind, the id and the data of each server-sent event."""
    kind, number, data = "", None, []
    for raw in lines:
        line = raw.decode("utf-8").rstrip("\r\n")
        if not line:
            if data:
                yield kind, number, "\n".join(data)
            kind, data = "", []
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            kind = value
        elif name == "id":
            number = value
        elif name == "data":
            data.append(value)


def events(folder):
    """Yields the position and the event of each entry of the log, from the first on."""
    seen = "0"
    while True:
        try:
            engine = json.loads((folder / "run.json").read_text())
        except FileNotFoundError:
            return  # no engine runs
        token = (pathlib.Path(engine["tokens"]) / "read.token").read_text().strip()
        request = urllib.request.Request(engine["hooks"] + "/api/stream?session=" + engine["session"], headers={
            "Authorization": "Bearer " + token, "Accept": "text/event-stream", "Last-Event-ID": seen})
        try:
            with urllib.request.urlopen(request) as answer:
                for kind, number, data in frames(answer):
                    if kind == "":  # the others are the snapshot and the end of the stream
                        yield int(number), json.loads(data)
                    seen = number or seen
        except urllib.error.HTTPError:
            raise  # 401: a wrong token
        except OSError:
            time.sleep(0.2)  # the connection broke


def main(folder):
    titles = {}
    for position, event in events(pathlib.Path(folder)):
        data = event["data"]
        if event["type"] == "ToolRequested":
            titles[data["call"]] = (data["ticket"], data["tool"])
        elif event["type"] == "ToolSettled":
            ticket, tool = titles.pop(data["call"], ("-", data["tool"]))
            for file in data.get("files") or []:
                print(json.dumps({"seq": position, "ticket": ticket, "tool": tool, "path": file["path"]}), flush=True)
        elif event["type"] == "SessionClosed":
            return


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".slop")
