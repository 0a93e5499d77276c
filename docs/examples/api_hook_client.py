"""A client of the Hook API for scripts, with the standard library only.

It has every method of Manual Slop's ApiHookClient, of all its versions, and
what slop added. Use it as a module, or call a method from the shell:

    python3 api_hook_client.py get_mma_status
    python3 api_hook_client.py --token-file .slop/tokens/human.token set_value mma_epic_input "make the tests pass"

With [hooks] auth = "none" no token is needed. A method returns the decoded
answer, and raises HookError with the gateway's words where it refuses.
"""

import argparse
import inspect
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

_FAR_FUTURE = 24 * 3600.0


class HookError(Exception):
    """A refusal of the gateway: status, message and what to do."""

    def __init__(self, status, message, hint="", body=None):
        super().__init__(f"{status}: {message}" + (f". {hint}" if hint else ""))
        self.status, self.message, self.hint, self.body = status, message, hint, body


class ApiHookClient:
    """Speaks to one gateway. Every wait is in seconds."""

    def __init__(self, base_url="http://127.0.0.1:8999", max_retries=5, retry_delay=0.2, token=None, client=None):
        self.base_url = base_url.rstrip("/")
        self.max_retries, self.retry_delay = max_retries, retry_delay
        self.token, self.client = token, client
        # No proxy: a token must go nowhere but to the gateway.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects)

    # -- connection

    def wait_for_server(self, timeout=3):
        """Waits until GET /status answers, with waits that double; False when it does not in time."""
        end, delay = time.monotonic() + timeout, self.retry_delay
        while True:
            try:
                return self._send("GET", "/status", None, 5) == {"status": "ok"}
            except (HookError, OSError):
                left = end - time.monotonic()
                if left <= 0:
                    return False
                time.sleep(min(delay, left))
                delay *= 2

    def _make_request(self, method, endpoint, data=None, timeout=30.0):
        """Sends a request and repeats it while no harm can come of it.

        Nobody has seen a request whose connection was refused. One that only
        reads, or that carries a request_id, may also be sent again after its
        answer was lost.
        """
        safe = method == "GET" or isinstance(data, dict) and "request_id" in data and endpoint != "/api/ask/respond"
        for attempt in range(self.max_retries + 1):
            try:
                return self._send(method, endpoint, data, timeout)
            except HookError as e:
                if e.status != 503 or method != "GET" or attempt == self.max_retries:
                    raise
            except OSError as e:
                refused = isinstance(getattr(e, "reason", e), ConnectionRefusedError)
                if attempt == self.max_retries or not (refused or safe):
                    raise
            time.sleep(min(self.retry_delay * 2**attempt, 5))

    def _send(self, method, endpoint, data, timeout):
        request = urllib.request.Request(self.base_url + endpoint, method=method)
        if data is not None:
            request.data = json.dumps(data).encode("utf-8")
            request.add_header("Content-Type", "application/json")
        if self.token:
            request.add_header("Authorization", "Bearer " + self.token)
        try:
            with self._opener.open(request, timeout=timeout) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as e:
            body = e.read()
            try:
                said = json.loads(body)
            except ValueError:
                said = {}
            raise HookError(e.code, said.get("error", e.reason), said.get("hint", ""), said) from None

    # -- state

    def get_status(self):
        """Whether the gateway answers."""
        return self._make_request("GET", "/status")

    def get_project(self):
        """The project's configuration."""
        return self._make_request("GET", "/api/project")

    def post_project(self, project):
        """Merges tables into the project's configuration; None removes a key."""
        return self._make_request("POST", "/api/project", {"project": project})

    def get_session(self):
        """The entries of the discussion."""
        return self._make_request("GET", "/api/session")

    def post_session(self, entries):
        """Replaces the entries of the discussion."""
        return self._make_request("POST", "/api/session", {"session": {"entries": entries}})

    def get_mma_status(self):
        """The state of the tiers, tracks, tickets, streams and gates."""
        return self._make_request("GET", "/api/gui/mma_status")

    def get_gui_diagnostics(self):
        """The indicators thinking, live and prior."""
        return self._make_request("GET", "/api/gui/diagnostics")

    def get_timeline(self, since=0):
        """What happened after a sequence, one event per row; continue with "through"."""
        return self._make_request("GET", f"/api/timeline?since={since:d}")

    def get_performance(self):
        """What the program measures of itself."""
        return self._make_request("GET", "/api/performance")

    def post_performance(self, frame):
        """Reports what an attached front end measured: {"fps", "frame_time_ms", "input_lag_ms"}."""
        return self._make_request("POST", "/api/performance", frame)

    def get_value(self, item):
        """A field's value; None for one that there is not."""
        return self._make_request("GET", "/api/gui/value/" + urllib.parse.quote(item, safe="")).get("value")

    def get_text_value(self, item_tag):
        """A field's value as text, or None."""
        value = self.get_value(item_tag)
        if value is None or isinstance(value, str):
            return value
        return json.dumps(value)

    def get_events(self):
        """Takes what is in this client's queue."""
        query = "?" + urllib.parse.urlencode({"client": self.client}) if self.client else ""
        return self._make_request("GET", "/api/events" + query).get("events", [])

    def get_indicator_state(self, tag):
        """Whether an indicator is shown."""
        shown = self.get_gui_diagnostics()
        return {"tag": tag, "shown": bool(shown.get(tag.removesuffix("_indicator"), False))}

    def get_node_status(self, node_tag):
        """A node's status: the value of its tag, else the indicator of its name."""
        text = self.get_text_value(node_tag)
        if text is not None:
            return text
        shown = self.get_gui_diagnostics().get(node_tag.removesuffix("_indicator"))
        return None if shown is None else "active" if shown else "inactive"

    def get_gui_state(self):
        """Every gettable field by name."""
        return self._make_request("GET", "/api/gui/state")

    def get_token_stats(self):
        """How full the context of the newest request is."""
        return self._make_request("GET", "/api/gui/token_stats")

    def get_gui_health(self):
        """Whether everything behind the gateway is healthy."""
        return self._make_request("GET", "/api/gui_health")

    def get_warmup_status(self):
        """How far the start has come."""
        return self._make_request("GET", "/api/warmup_status")

    def get_warmup_wait(self, timeout=30.0):
        """Waits until the start is over, and tells how it went."""
        return self._make_request("GET", f"/api/warmup_wait?timeout={timeout:g}", timeout=timeout + 10)

    def get_warmup_canaries(self):
        """Each task of the start with its times."""
        return self._make_request("GET", "/api/warmup_canaries")

    def get_project_switch_status(self):
        """Whether a switch to another project is under way."""
        return self._make_request("GET", "/api/project_switch_status")

    def switch_project(self, path, discard=False):
        """Goes over to another project document; discard gives up changes that are not saved."""
        return self._make_request("POST", "/api/project/switch", {"path": path, "discard": discard})

    def load_project(self, path=None, discard=False):
        """Loads a project document, or the present one again."""
        return self._make_request("POST", "/api/project/load", {"discard": discard, **({"path": path} if path else {})})

    def save_project(self, path=None, force=False):
        """Writes the project document to a file, else to its own; force does so although somebody changed that."""
        return self._make_request("POST", "/api/project/save", {"force": force, **({"path": path} if path else {})})

    def post_goal(self, goal):
        """Gives the team a goal; the answer names its id."""
        return self._make_request("POST", "/api/goal", {"goal": goal})

    def get_mma_workers(self):
        """The workers at work, with logs and traces."""
        return self._make_request("GET", "/api/mma/workers")

    def get_context_state(self):
        """What models are shown of the project."""
        return self._make_request("GET", "/api/context/state")

    def get_context_preview(self, text="", ticket=""):
        """What a model would get if text were sent now, or got last for a ticket or turn."""
        return self._make_request("GET", "/api/context/preview?" + urllib.parse.urlencode({"text": text, "ticket": ticket}))

    def get_financial_metrics(self):
        """Tokens and money by track, ticket, tier and model."""
        return self._make_request("GET", "/api/metrics/financial")

    def get_system_telemetry(self):
        """Queue depths, threads and background tasks."""
        return self._make_request("GET", "/api/system/telemetry")

    # -- the GUI

    def get_gui(self):
        """The fields, buttons and callbacks that there are, and how they stand."""
        return self._make_request("GET", "/api/gui")

    def post_gui(self, gui_data):
        """Queues a raw task."""
        return self._make_request("POST", "/api/gui", gui_data)

    def set_value(self, item, value):
        """Sets a field."""
        return self.post_gui({"action": "set_value", "item": item, "value": value})

    def click(self, item, *args, **kwargs):
        """Presses a button; user_data goes with it."""
        task = {"action": "click", "item": item}
        if "user_data" in kwargs:
            task["user_data"] = kwargs.pop("user_data")
        if args:
            task["args"] = list(args)
        if kwargs:
            task["kwargs"] = kwargs
        return self.post_gui(task)

    def select_tab(self, tab_bar, tab):
        """Shows a tab of a tab bar."""
        return self.post_gui({"action": "select_tab", "tab_bar": tab_bar, "tab": tab})

    def select_list_item(self, listbox, item_value):
        """Selects an item of a list box."""
        return self.post_gui({"action": "select_list_item", "listbox": listbox, "item_value": item_value})

    def push_event(self, event_type, payload):
        """Puts an event into the queue."""
        return self.post_gui({"action": "push_event", "event_type": event_type, "payload": payload})

    def custom_callback(self, callback, *args):
        """Calls a function of the gateway's registry by name."""
        return self.post_gui({"action": "custom_callback", "callback": callback, "args": list(args)})

    def reset_session(self):
        """Starts afresh: a new session takes the place of the current one."""
        return self.click("btn_reset_session")

    # -- polling

    def wait_for_event(self, event_type, timeout=5):
        """Drains the queue until an event of this type comes; None when it does not in time."""
        end = time.monotonic() + timeout
        while True:
            for event in self.get_events():
                if event.get("type") == event_type:
                    return event
            if time.monotonic() >= end:
                return None
            time.sleep(0.1)

    def wait_for_value(self, item, expected, timeout=5):
        """Reads a field until it equals expected; False when it does not in time."""
        end = time.monotonic() + timeout
        while self.get_value(item) != expected:
            if time.monotonic() >= end:
                return False
            time.sleep(0.1)
        return True

    def wait_for_project_switch(self, timeout=5):
        """Waits until no switch of the project is under way and returns how it ended; None when it is not in time."""
        end = time.monotonic() + timeout
        while True:
            status = self.get_project_switch_status()
            if not status["in_progress"]:
                return status
            if time.monotonic() >= end:
                return None
            time.sleep(0.1)

    # -- the person

    def request_confirmation(self, tool_name, args):
        """Asks whether a tool may be used and waits for the answer. Take every error as a no."""
        return self.post_ask({"type": "tool_approval", "tool": tool_name, "args": args})

    def post_ask(self, question):
        """Asks any question and waits for the answer; a known request_id joins the question that is there."""
        body = {"request_id": str(uuid.uuid4()), **question}
        return self._make_request("POST", "/api/ask", body, timeout=_FAR_FUTURE).get("response")

    def get_asks(self, state="pending"):
        """The questions that are pending, settled or all."""
        return self._make_request("GET", "/api/asks?" + urllib.parse.urlencode({"state": state})).get("asks", [])

    def respond_to_ask(self, request_id, response):
        """Answers a question."""
        return self._make_request("POST", "/api/ask/respond", {"request_id": request_id, "response": response})

    def preview_ask(self, request_id, args):
        """Shows what the call of a question would change with other arguments: {"diff", "error"}."""
        return self._make_request("POST", "/api/ask/preview", {"request_id": request_id, "args": args})

    # -- the team

    def spawn_mma_worker(self, data):
        """Starts a worker on a prompt: {"prompt": …, "context": [paths]}."""
        return self._make_request("POST", "/api/mma/workers/spawn", {"request_id": str(uuid.uuid4()), **data})

    def kill_mma_worker(self, worker_id):
        """Ends a worker's running attempt."""
        return self._make_request("POST", "/api/mma/workers/kill", {"worker_id": worker_id})

    def pause_mma_pipeline(self):
        """Starts nothing new."""
        return self._make_request("POST", "/api/mma/pipeline/pause", {})

    def resume_mma_pipeline(self):
        """Ends a pause."""
        return self._make_request("POST", "/api/mma/pipeline/resume", {})

    def mutate_mma_dag(self, data):
        """Changes the graph of tickets, all or nothing: {"ops": […]}."""
        return self._make_request("POST", "/api/mma/dag/mutate", data)

    def note_mma_ticket(self, ticket, note):
        """Gives a note to the model that works on a ticket."""
        return self._make_request("POST", "/api/control", {"action": "note", "ticket": ticket, "note": note})

    def undo(self, what):
        """Restores the earlier content of files: {"call": …}, {"ticket": …} or {"to_seq": …}."""
        return self._make_request("POST", "/api/undo", what)

    def request_patch(self, call):
        """Has tier 4 propose a patch for a shell call that failed; it comes as an ask."""
        return self._make_request("POST", "/api/control", {"action": "patch", "call": call})

    def raise_budget(self, limit_micro_dollars, ticket=None):
        """Sets a higher limit of the session, or of a ticket."""
        body = {"action": "raise_budget", "budget": "ticket" if ticket else "session"}
        if ticket:
            body["ticket"] = ticket
        return self._make_request("POST", "/api/control", {**body, "limit_micro_dollars": limit_micro_dollars})

    def inject_context(self, data):
        """Puts a file or its skeleton into the discussion: {"path": …, "mode": "full"}."""
        return self._make_request("POST", "/api/context/inject", data)

    def add_slice(self, data):
        """Records lines of a file: {"path": …, "start_line": 3, "end_line": 9}, in the project or in "preset"."""
        return self._make_request("POST", "/api/context/slices", data)

    def get_curation(self):
        """What people changed in discussions, context and project, and what of it can be undone or redone."""
        return self._make_request("GET", "/api/curation")

    def undo_curation(self, after=None):
        """Undoes the user's newest change, if the history is still at the position in after."""
        return self._make_request("POST", "/api/curation/undo", {} if after is None else {"after": after})

    def redo_curation(self, after=None):
        """Redoes the last undone change, if the history is still at the position in after."""
        return self._make_request("POST", "/api/curation/redo", {} if after is None else {"after": after})

    def shutdown(self):
        """Ends the program cleanly."""
        return self._make_request("POST", "/api/shutdown", {})

    # -- the headless service

    def get_health(self):
        """Whether the headless service lives."""
        return self._make_request("GET", "/health")

    def generate(self, prompt, **options):
        """Has a worker carry out a prompt and returns its text and tokens."""
        body = {"prompt": prompt, "request_id": str(uuid.uuid4()), **options}
        return self._make_request("POST", "/api/v1/generate", body, timeout=_FAR_FUTURE)

    def get_pending_actions(self):
        """What waits for a yes."""
        return self._make_request("GET", "/api/v1/pending_actions")

    def confirm_action(self, action_id, approved, **options):
        """Says yes or no to what waits."""
        path = "/api/v1/confirm/" + urllib.parse.quote(action_id, safe="")
        return self._make_request("POST", path, {"approved": approved, **options})


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def _methods():
    public = inspect.getmembers(ApiHookClient, inspect.isfunction)
    return {name: function for name, function in public if not name.startswith("_")}


def _argument(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def main():
    methods = _methods()
    listing = "\n".join(f"  {name}{inspect.signature(f)}".replace("(self, ", "(").replace("(self)", "()") for name, f in methods.items())
    parser = argparse.ArgumentParser(description=__doc__, epilog="methods:\n" + listing, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8999")
    parser.add_argument("--token-file")
    parser.add_argument("method", choices=methods, metavar="METHOD")
    parser.add_argument("args", nargs="*", metavar="ARG", help="JSON, or text where it is none")
    given = parser.parse_args()
    token = None
    if given.token_file:
        with open(given.token_file, encoding="utf-8") as file:
            token = file.read().strip()
    client = ApiHookClient(given.url, token=token)
    try:
        answer = getattr(client, given.method)(*map(_argument, given.args))
    except (HookError, OSError) as e:
        sys.exit(f"{given.method}: {e}")
    json.dump(answer, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
