package hookgw_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"
	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/views"
	"manualslop/projections"
)

// at goes to a view of the fixture's session.
func (p tab) at(view string) {
	p.t.Helper()
	p.run(`to => { location.hash = to }`, "#/s/"+session+"/"+view)
	p.await(`to => location.hash === to`, "#/s/"+session+"/"+view)
}

// click presses the button or the link that begins with a text.
func (p tab) click(kind, text string) {
	p.t.Helper()
	button, err := p.ElementR(kind, "^"+text)
	require.NoError(p.t, err, p.text())
	if err := button.Click(proto.InputMouseButtonLeft, 1); err != nil {
		require.NoError(p.t, err, "%s\n%s", text, tab{p.t, p.CancelTimeout()}.text())
	}
}

// fill types into the field with an accessible name.
func (p tab) fill(name, text string) {
	p.t.Helper()
	field, err := p.Element(`[aria-label="` + name + `"]`)
	require.NoError(p.t, err, p.text())
	require.NoError(p.t, field.Input(text))
}

// has waits until all texts are on the page.
func (p tab) has(texts ...string) {
	p.t.Helper()
	p.await(`texts => texts.every(text => document.body?.innerText.includes(text))`, texts)
}

// begin puts the start of a ticket.
func (f *fixture) begin(ticket string) {
	f.t.Helper()
	after := map[string][]string{"T-002": {"T-001"}, "T-003": {"T-001", "T-002"}}[ticket] // as graph plans it
	f.put(events.ActorConductor, events.TicketStarted{Track: "TR-1", Ticket: events.Ticket{ID: ticket,
		Description: "Mend " + ticket, DependsOn: after, Priority: "medium"}, Attempt: 1, Model: "m1"})
}

// request puts a request of a ticket's worker to its model.
func (f *fixture) asksModel(ticket string, round int) events.Event {
	f.t.Helper()
	return f.put(events.ActorContributor, events.ModelRequested{StreamID: "Tier 3 (Worker): " + ticket, Ticket: ticket,
		Attempt: 1, TicketAttempt: 1, Round: round, Tier: 3, Provider: "script", Model: "m1",
		Manifest: []events.Part{{Role: "system", Text: "You work."}, {Role: "user", Text: "Mend " + ticket + " now"}}})
}

func anyEvent(events.Event) bool { return true }

// react puts the conductor's answer to an event.
func (f *fixture) react(to events.Event, p events.Payload) {
	f.t.Helper()
	e, err := events.New(events.Origin{ID: ulid.Make().String(), Time: time.Now(), Project: project, Session: session,
		Actor: events.ActorConductor, Cause: to.ID}, p)
	require.NoError(f.t, err)
	e.Seq, err = f.log.Append(f.t.Context(), e, nil)
	require.NoError(f.t, err)
	require.NoError(f.t, f.models.WaitFor(f.t.Context(), e.Seq))
}

func framesASession(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.graph()
	f.put(events.ActorConductor, events.Paused{})
	p := consoleOf(t, b, f)
	p.awaitText("Nothing is waiting for you.")
	p.press(input.KeyG, input.KeyS)
	p.awaitText("make the tests pass")
	p.click("a", "make the tests pass")
	p.await(`to => location.hash === to`, "#/s/"+session+"/live")
	model := viewOf[views.Overview](f, "/api/overview")
	p.has(model.Goal, fmt.Sprintf("%d of %d tickets done", model.TicketsDone, model.Tickets), "‖ paused", "$0.00")
	require.Contains(t, p.names("heading", 1), model.Goal)

	p.press(input.Period)
	f.react(f.expect("ResumeRequested", anyEvent), events.Resumed{})
	p.awaitText("Resumed.")
	p.awaitText("◐ executing")
	p.click("button", "Pause")
	f.react(f.expect("PauseRequested", anyEvent), events.Paused{})
	p.awaitText("‖ paused")

	p.click("button", "Stop …")
	p.has("All work stops, and the session is closed. A closed session cannot be resumed. To continue later, use Pause.")
	p.press(input.Escape)
	stop, err := p.ElementR("button", "^Stop …")
	require.NoError(t, err)
	p.run(`() => { performance.now = () => 1000 }`)
	require.NoError(t, stop.Click(proto.InputMouseButtonLeft, 2))
	p.press(input.KeyY) // too soon
	p.has("All work stops, and the session is closed.")
	require.Empty(t, recorded[events.SessionClosed](f), "a double click closes nothing")
	p.settle()
	p.press(input.KeyY)
	p.awaitText("✓ closed")
	require.Len(t, recorded[events.SessionClosed](f), 1)
	require.NoError(t, p.Reload())
	p.awaitText("✓ closed")
	require.NotContains(t, p.text(), "Pause")
}

// leadsToTheNext goes from a question, a change and the figures of a session to what explains them.
func leadsToTheNext(t *testing.T, b *rod.Browser) {
	f := openEmpty(t)
	f.put("operator", events.SessionOpened{Folder: "20260102_030405"})
	p := consoleOf(t, b, f)
	p.awaitText("Nothing is waiting for you.")
	p.press(input.KeyG, input.KeyS)
	p.click("a", "no goal yet")
	p.has("No model has worked in this session.")
	p.click("a", "Submit a goal")
	own := "#/s/" + session
	leads := func(link, to string) {
		t.Helper()
		p.click("a", link)
		p.await(`to => location.hash === to`, own+to)
	}
	p.await(`to => location.hash === to`, own+"/goal")

	f.graph()
	f.begin("T-001")
	f.put(events.ActorApproval, events.AskRaised{Ask: "a1", Gate: events.GateTool, Title: "edit_file a.go",
		Ticket: "T-001", Taint: []string{"repo: README.md"}})
	f.write("c1", "T-001", "a.go", "", events.Digest([]byte("x")))
	p.awaitText("⚑ 1 question waits for you")
	leads("0 of 3 tickets done", "/tickets")
	leads(`\$0\.00`, "/cost")
	p.choose("a1")
	p.has("untrusted text it read")
	leads("What the model said", "/conversation/T-001")
	p.choose("a1")
	leads("Ticket$", "/tickets/T-001")
	p.at("changes/a.go")
	leads("what the model said", "/conversation/T-001?call=c1")

	f.put(events.ActorConductor, events.TicketBlocked{Ticket: "T-001", Kind: events.BlockWorker, Reason: "gave up"})
	p.at("live")
	p.has("T-001 ✗ blocked (worker)")
	require.NotContains(t, p.text(), "Submit a goal")
	p.at("replay")
	p.has("As it was at event ", "A look back changes nothing.")
	p.click("main a", "Changes$")
	p.await(`to => location.hash === to`, own+"/changes")
}

// goesOnAfterARestart ends the gateway and starts another at its address while the page is open.
func goesOnAfterARestart(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.graph()
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("tickets/T-002")
	p.has("T-002", "T-001 (todo)")
	address := strings.TrimPrefix(f.gw.URL(), "http://")
	f.stop()
	p.has("reconnecting since", "T-001 (todo)")
	f.put(events.ActorConductor, events.TicketCompleted{Ticket: "T-001"})
	again := openEmpty(t, func(c *core.Config) {
		c.Listen, c.Log, c.Models, c.Tokens = address, f.log, f.models, f.tokens
		c.PersonLog = func(string) events.Log { return f.log }
	})
	again.tokens = f.tokens
	p.awaitText("This browser is not signed in.")
	other := visit(t, b, again.gw.URL()+"/#login="+again.codeOf(t, access.RightHuman))
	other.awaitText("Nothing is waiting for you.")
	p.has("T-002", "a worker or its track", "● connected")
	p.await(`to => location.hash === to`, "#/s/"+session+"/tickets/T-002")
	p.await(`() => document.querySelectorAll("tbody tr").length === 3`)
	f.begin("T-002")
	p.await(`() => document.querySelector("tr.chosen").innerText.includes("in progress")`)
	p.await(`() => document.querySelectorAll("tbody tr").length === 3`)
}

// signsOthersOut ends the sign-in of another browser from the settings.
func signsOthersOut(t *testing.T, b *rod.Browser) {
	f := open(t)
	private, err := b.Incognito()
	require.NoError(t, err)
	defer func() { require.NoError(t, private.Close()) }()
	other := consoleOf(t, private, f)
	other.awaitText("● connected")
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("settings")
	p.await(`() => document.querySelectorAll("table[aria-label='Signed-in browsers'] tbody tr").length === 2`)
	cells := p.names("cell", 8)
	require.Contains(t, cells[0], "this one: Mozilla")
	require.NotContains(t, cells[4], "this one")
	p.run(`() => document.querySelectorAll("table[aria-label='Signed-in browsers'] button")[1].click()`)
	p.await(`() => document.querySelectorAll("table[aria-label='Signed-in browsers'] tbody tr").length === 1`)
	other.awaitText("This browser is not signed in.")
	p.awaitText("● connected")
}

func showsLiveWork(t *testing.T, b *rod.Browser) {
	say, listening, spoken := speaking()
	go func() {
		for {
			select {
			case <-listening:
			case <-t.Context().Done():
				return
			}
		}
	}()
	f := open(t, spoken)
	f.graph()
	f.put(events.ActorPlanner, events.ModelRequested{StreamID: "Tier 1", Goal: "g1", Attempt: 1, Tier: 1,
		Provider: "script", Model: "m0"})
	f.begin("T-001")
	asked := f.asksModel("T-001", 1)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("live")
	p.has("Tier 1: orchestrator", "Tier 2: tech lead", "Tier 3: workers", "Tier 4: errors", "T-001")
	model := viewOf[projections.Workers](f, "/api/mma/workers")
	require.Len(t, model.Active, 2)
	headings := p.names("heading", 7)
	for _, w := range model.Active {
		name := w.Ticket
		if name == "" {
			name = w.Role
		}
		require.True(t, slices.ContainsFunc(headings, func(h string) bool { return strings.HasPrefix(h, name+" ◐") }),
			"%s in %v", name, headings)
		p.has(w.Task, w.Model, "waiting for the model")
	}
	for !strings.Contains(p.text(), "I look at it") { // the page may not listen yet
		say <- delta(fmt.Sprintf(`{"stream_id":"Tier 3 (Worker): T-001","request":%q,"piece":0,"delta":"I look at it"}`,
			asked.ID))
	}
	f.put(events.ActorModels, events.ModelReplied{Request: asked.ID, Text: "I looked at it all.", Finish: "stop",
		Usage: events.Usage{Input: 10, Output: 5}})
	p.awaitText("I looked at it all.")
	p.await(`() => !document.body.innerText.includes("I look at it")`)
	f.put(events.ActorApproval, events.AskRaised{Ask: "a1", Gate: events.GateTool, Title: "edit_file a.go",
		Ticket: "T-001"})
	p.awaitText("for you: edit_file a.go")
	p.fill("Note to T-001", "use the old name")
	p.click("button", "Send note")
	noted := f.expect("NoteRequested", anyEvent)
	require.Equal(t, events.NoteRequested{Ticket: "T-001", Note: "use the old name"}, noted.Payload)
	f.put(events.ActorConductor, events.TicketBlocked{Ticket: "T-001", Kind: events.BlockWorker, Reason: "gave up"})
	p.await(`() => [...document.querySelectorAll("summary")].some(s => s.innerText.includes("T-001"))`)
}

func showsTickets(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.graph()
	f.begin("T-001")
	f.put(events.ActorConductor, events.TicketBlocked{Ticket: "T-001", Kind: events.BlockWorker, Reason: "gave up"})
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("tickets")
	model := viewOf[views.Tickets](f, "/api/tickets").Tickets
	cells := p.names("cell", 7*len(model))
	for i, ticket := range model {
		require.Equal(t, []string{ticket.ID, ticket.Description, ticket.WaitsFor, fmt.Sprint(ticket.Attempt)},
			[]string{cells[7*i], cells[7*i+2], cells[7*i+3], cells[7*i+4]})
		require.Contains(t, cells[7*i+1], strings.ReplaceAll(ticket.Status, "_", " "))
	}
	p.press(input.KeyJ)
	p.await(`to => location.hash === to`, "#/s/"+session+"/tickets/T-001")
	p.has("it is blocked (worker): gave up")
	p.fill("Note or reason", "try the other file")
	p.click("button", "Retry")
	retried := f.expect("RetryRequested", anyEvent)
	require.Equal(t, events.RetryRequested{Ticket: "T-001", Note: "try the other file"}, retried.Payload)

	p.fill("What a new ticket does", "Paint it")
	p.fill("After which tickets", "T-002, T-003")
	p.click("button", "Add ticket")
	added := f.expect("GraphMutationRequested", anyEvent)
	op := added.Payload.(events.GraphMutationRequested).Ops[0]
	require.Equal(t, []any{"T-004", "TR-1", "Paint it", []string{"T-002", "T-003"}},
		[]any{op.Ticket, op.Track, op.New.Description, op.New.DependsOn})
	p.press(input.Escape, input.KeyV)
	p.await(`() => document.querySelectorAll(".node").length === 3`)
	nodes := slices.DeleteFunc(p.names("link", 5), func(name string) bool {
		return !strings.HasPrefix(name, "T-") ||
			len(name) < 8
	})
	require.Len(t, nodes, len(model))
	for i, ticket := range model {
		require.Contains(t, nodes[i], ticket.ID)
		require.Contains(t, nodes[i], ticket.Description)
	}
	p.await(`() => document.querySelectorAll("path.edge").length === 3`)
	p.await(`() => { const x = [...document.querySelectorAll(".node")].map(n => n.getBoundingClientRect().x)
		return x[0] < x[1] && x[1] < x[2] }`)
	require.NoError(t, p.Reload())
	p.await(`() => document.querySelectorAll(".node").length === 3`)
	p.at("tickets/T-002?as=graph")
	p.has("Change its dependencies")
	p.fill("What T-002 waits for", ", T-003")
	p.click("button", "Change its dependencies")
	changed := f.expect("GraphMutationRequested", func(e events.Event) bool { return e.ID != added.ID })
	require.Equal(t, []events.GraphOp{{Op: events.GraphAddDependency, Ticket: "T-002", Dependency: "T-003"}},
		changed.Payload.(events.GraphMutationRequested).Ops)
}

// connectsTickets drags a line between two tickets, is told of a cycle, and removes a dependency.
func connectsTickets(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.graph()
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("tickets?as=graph")
	p.await(`() => document.querySelectorAll(".node").length === 3`)
	middle := func(ticket string) proto.Point {
		at, err := p.Eval(`id => { const box = [...document.querySelectorAll(".node")].find(n => n.innerText.startsWith(id))
			.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2] }`, ticket)
		require.NoError(t, err)
		return proto.Point{X: at.Value.Arr()[0].Num(), Y: at.Value.Arr()[1].Num()}
	}
	drag := func(from string, to proto.Point) {
		t.Helper()
		require.NoError(t, p.Mouse.MoveTo(middle(from)))
		require.NoError(t, p.Mouse.Down(proto.InputMouseButtonLeft, 1))
		require.NoError(t, p.Mouse.MoveTo(to))
		p.await(`() => document.querySelectorAll("path.edge").length === 4`) // the line that is drawn
		require.NoError(t, p.Mouse.Up(proto.InputMouseButtonLeft, 1))
		p.await(`() => document.querySelectorAll("path.edge").length === 3`)
	}
	below := middle("T-001")
	below.Y += 200
	drag("T-001", below)
	require.Empty(t, recorded[events.GraphMutationRequested](f), "a line to nowhere changes nothing")

	drag("T-003", middle("T-001"))
	asked := f.expect("GraphMutationRequested", anyEvent)
	require.Equal(t, []events.GraphOp{{Op: events.GraphAddDependency, Ticket: "T-001", Dependency: "T-003"}},
		asked.Payload.(events.GraphMutationRequested).Ops)
	const cycle = "the dependencies would form a cycle: T-001 → T-003 → T-001"
	f.react(asked, events.ControlRefused{Request: asked.ID, Kind: asked.Type, Reason: cycle})
	p.has(cycle)
	p.await(`to => location.hash === to`, "#/s/"+session+"/tickets?as=graph") // a drag opens no ticket

	p.at("tickets/T-003?as=graph")
	button, err := p.Element(`[aria-label="Remove T-001 from what T-003 waits for"]`)
	require.NoError(t, err)
	require.NoError(t, button.Focus())
	p.press(input.Enter)
	removed := f.expect("GraphMutationRequested", func(e events.Event) bool { return e.ID != asked.ID })
	ops := removed.Payload.(events.GraphMutationRequested).Ops
	require.Equal(t, []events.GraphOp{{Op: events.GraphRemoveDependency, Ticket: "T-003", Dependency: "T-001"}}, ops)
	f.react(removed, events.GraphMutated{Request: removed.ID, Ops: ops})
	p.has("T-003 does not wait for T-001 any more.")
	p.await(`() => document.querySelectorAll("path.edge").length === 2`)

	p.at(fmt.Sprintf("tickets?as=graph&at=%d", asked.Seq))
	p.await(`() => document.querySelectorAll("path.edge").length === 3`)
	require.NotContains(t, p.text(), "Drag from one ticket to another")
}

func showsFiveHundredTickets(t *testing.T, b *rod.Browser) {
	f := open(t)
	track := events.Track{ID: "TR-1", Title: "All", Description: "All"}
	f.put(events.ActorConductor, events.TrackStarted{Goal: "g", Track: track})
	tickets := make([]events.Ticket, 500)
	for i := range tickets {
		tickets[i] = events.Ticket{ID: fmt.Sprint("T-", i), Description: "Do it", Status: events.StatusTodo}
		if i > 0 {
			tickets[i].DependsOn = []string{fmt.Sprint("T-", (i-1)/3)}
		}
	}
	f.put(events.ActorLead, events.TicketsPlanned{Track: "TR-1", Tickets: tickets})
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("tickets")
	p.await(`() => document.querySelectorAll("tbody tr").length === 500`)
	p.at("tickets/T-499?as=graph")
	p.await(`() => document.querySelectorAll(".node").length === 500 && document.querySelectorAll("path.edge").length === 499`)
	p.has("T-499", "T-166 (todo)")
	require.Len(t, viewOf[views.Tickets](f, "/api/tickets").Tickets, 500)
	require.Equal(t, http.StatusOK, f.get("/api/tickets", access.RightRead).status)
}

// fromGoalToDone takes a goal through the real deciders, with a model that runs a command and is done, by keys alone or
// by the mouse and the fields alone.
func fromGoalToDone(byKeys bool) func(*testing.T, *rod.Browser) {
	return func(t *testing.T, b *rod.Browser) {
		f := crew(t, nil, `{"script":"make test"}`, "DONE: the tests pass.")
		p := consoleOf(t, b, f)
		p.awaitText("Nothing is waiting for you.")
		do := func(keys []input.Key, kind, text string) {
			t.Helper()
			if byKeys {
				p.press(keys...)
			} else {
				p.click(kind, text)
			}
		}
		do([]input.Key{input.KeyG, input.KeyS}, "a", "Sessions")
		p.awaitText("(current)")
		p.await(`() => document.querySelectorAll("a[data-session]").length === 1`)
		if do([]input.Key{input.KeyJ, input.Enter}, "a[data-session]", "no goal yet"); byKeys {
			p.await(`() => location.hash.endsWith("/live")`)
		}
		do([]input.Key{input.KeyG, input.KeyN}, "a", "New goal")
		p.awaitText("Skip planning")
		if byKeys {
			p.press(input.KeyI)
			require.NoError(t, p.InsertText("make the tests pass"))
			p.press(input.Tab, input.Space, input.Tab, input.Enter)
		} else {
			p.fill("Goal", "make the tests pass")
			box, err := p.Element("input[type=checkbox]")
			require.NoError(t, err)
			require.NoError(t, box.Click(proto.InputMouseButtonLeft, 1))
			p.click("button", "Submit")
		}
		p.await(`() => location.hash.endsWith("/live")`)
		p.has("make the tests pass", "for you: run_powershell")
		do([]input.Key{input.KeyG, input.KeyI}, "a", "Inbox")
		p.await(`() => document.querySelectorAll("nav li").length === 1`)
		do([]input.Key{input.KeyJ}, "nav li a", "")
		p.has("make test", "Yes, this once")
		p.settle()
		do([]input.Key{input.KeyA}, "button", "Yes, this once")
		p.has("You said yes.")
		do([]input.Key{input.KeyG, input.KeyS}, "a", "Sessions")
		p.has("✓ the goal is done", "1/1")
		do([]input.Key{input.KeyJ, input.Enter}, "a[data-session]", "make the tests pass")
		p.has("1 of 1 tickets done", "✓ the goal is done")
		do([]input.Key{input.KeyG, input.KeyC}, "a", "Conversation")
		p.awaitText("choose one")
		p.at("tickets")
		do([]input.Key{input.KeyJ}, "tbody a", "")
		p.has("completed")
		require.Len(t, f.answered(), 1)
	}
}
