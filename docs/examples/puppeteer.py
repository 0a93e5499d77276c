"""Drives a whole session through the Hook API with nothing but urllib.

It makes the calls that scripts of Manual Slop make: sets the epic, presses the
button, watches the state, answers whichever gate is open, and reads what came
of it. No header but the content type is sent, so the gateway must run with
[hooks] auth = "none":

    slop serve --script answers.jsonl &
    python3 puppeteer.py http://127.0.0.1:8999 "make the tests pass"

Exit status 1, with the reason, if anything is not as it should be.
"""

import json
import sys
import threading
import time
import urllib.error
import urllib.request

GATES = {
    "pending_mma_spawn_approval": "btn_approve_spawn",
    "pending_mma_step_approval": "btn_approve_mma_step",
    "pending_tool_approval": "btn_approve_tool",
}


def request(base, method, path, body=None, timeout=60):
    """Sends a request as the original's client does, and returns status and answer."""
    data = None if body is None else json.dumps(body).encode("utf-8")
    headers = {"Content-Type": "application/json"} if data else {}
    sent = urllib.request.Request(base + path, data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(sent, timeout=timeout) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as e:
        return e.code, json.loads(e.read())


def get(base, path):
    status, body = request(base, "GET", path)
    check(status == 200, f"GET {path} answered {status}: {body}")
    return body


def post(base, path, body):
    status, answer = request(base, "POST", path, body)
    check(status == 200, f"POST {path} answered {status}: {answer}")
    return answer


def check(holds, why):
    if not holds:
        sys.exit(why)


def gui(base, **task):
    check(post(base, "/api/gui", task) == {"status": "queued"}, f"{task} was not queued")


def run_epic(base, epic, limit):
    """Submits the epic and answers gates until it is done."""
    gui(base, action="set_value", item="mma_epic_input", value=epic)
    check(get(base, "/api/gui/value/mma_epic_input") == {"value": epic}, "the field does not have the epic")
    gui(base, action="click", item="btn_mma_plan_epic")
    end, answered = time.monotonic() + limit, 0
    while True:
        state = get(base, "/api/gui/mma_status")
        if state["mma_status"] == "done":
            return state, answered
        check(time.monotonic() < end, f"not done in {limit} s: {json.dumps(state)[:2000]}")
        for flag, button in GATES.items():
            if state[flag]:
                gui(base, action="click", item=button)
                answered += 1
                break
        else:
            time.sleep(0.05)


def ask(base):
    """A program asks, the person answers: the answer comes back verbatim."""
    got = {}
    question = {"type": "tool_approval", "tool": "deploy", "args": {"to": "staging"}}
    asker = threading.Thread(target=lambda: got.update(answer=request(base, "POST", "/api/ask", question)))
    asker.start()
    end = time.monotonic() + 20
    while True:
        found = [e for e in get(base, "/api/events")["events"] if e["type"] == "ask_received"]
        if found:
            break
        check(time.monotonic() < end, "ask_received did not come")
        time.sleep(0.05)
    reply = {"approved": True, "note": "after lunch"}
    check(post(base, "/api/ask/respond", {"request_id": found[0]["request_id"], "response": reply}) == {"status": "ok"}, "the answer was not taken")
    asker.join(20)
    check(got.get("answer") == (200, {"status": "ok", "response": reply}), f"the program got {got}")
    status, _ = request(base, "POST", "/api/ask/respond", {"request_id": "nobody-asked", "response": True})
    check(status == 404, f"an unknown ask answered {status}")


def ask_with_buttons(base):
    """A program asks, and the button of the flag that its question sets answers it."""
    got = {}
    question = {"type": "tool_approval", "tool": "deploy", "args": {"to": "staging"}}
    asker = threading.Thread(target=lambda: got.update(answer=request(base, "POST", "/api/ask", question)))
    asker.start()
    end = time.monotonic() + 20
    while asker.is_alive():
        state = get(base, "/api/gui/mma_status")
        for flag, button in GATES.items():
            if state[flag]:
                gui(base, action="click", item=button)
        check(time.monotonic() < end, f"the question stays open: {state}")
        time.sleep(0.05)
    check(got.get("answer") == (200, {"status": "ok", "response": {"approved": True}}), f"the program got {got}")


def main():
    base, epic = sys.argv[1].rstrip("/"), sys.argv[2]
    check(get(base, "/status") == {"status": "ok"}, "/status")
    get(base, "/api/events")
    gui(base, action="push_event", event_type="hello", payload={"n": 1})
    pushed = [e for e in get(base, "/api/events")["events"] if e["type"] == "hello"]
    check(len(pushed) == 1 and pushed[0]["payload"] == {"n": 1}, f"pushed event: {pushed}")
    ask(base)
    ask_with_buttons(base)
    state, answered = run_epic(base, epic, 120)
    check(all(t["status"] == "completed" for t in state["active_tickets"]), "a ticket is not completed")
    check(any(name.startswith("Tier 3 (Worker): ") for name in state["mma_streams"]), "no worker said anything")
    check(set(get(base, "/api/gui/diagnostics")) == {"thinking", "live", "prior"}, "diagnostics")
    entries = get(base, "/api/session")["session"]["entries"]
    check(any(e["content"] == epic for e in entries), "the epic is not in the discussion")
    for path, key in [("/api/project", "project"), ("/api/performance", "performance")]:
        check(isinstance(get(base, path)[key], dict), path)
    check(post(base, "/api/session", {"session": {"entries": entries}}) == {"status": "updated"}, "POST /api/session")
    gui(base, action="click", item="btn_reset_session")
    check(get(base, "/api/gui/mma_status")["mma_status"] == "idle", "the reset left something")
    print(json.dumps({"tickets": len(state["active_tickets"]), "gates_answered": answered, "streams": sorted(state["mma_streams"])}))


if __name__ == "__main__":
    main()
