package hookgw_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/launcher"
	"github.com/go-rod/rod/lib/proto"
	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
)

// tab is a page of a browser at the console of a gateway.
type tab struct {
	t *testing.T
	*rod.Page
}

// TestTheConsole drives one Chromium through every view, against a real gateway.
func TestTheConsole(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium here; on Debian: apt-get install chromium")
	}
	start := launcher.New().Bin(path).Leakless(false).NoSandbox(true).Set("disable-dev-shm-usage").
		Set("host-resolver-rules", "MAP evil.test 127.0.0.1")
	address, err := start.Launch()
	require.NoError(t, err)
	t.Cleanup(start.Cleanup)
	t.Cleanup(start.Kill)
	browser := rod.New().ControlURL(address)
	require.NoError(t, browser.Connect())
	for name, check := range map[string]func(*testing.T, *rod.Browser){
		"signs in once":                       signsInOnce,
		"signs in by a file":                  signsInByFile,
		"shows the inbox and answers by keys": answersByKeys,
		"needs the whole diff for a yes":      needsTheWholeDiff,
		"answers a question by a text":        answersByText,
		"shows hostile text as text":          showsHostileText,
		"tells what was answered elsewhere":   tellsOfOthers,
		"lists the sessions":                  listsSessions,
		"tells that the gateway is away":      tellsOfALostLink,
		"cannot be used from elsewhere":       refusesOtherPages,
		"frames a session":                    framesASession,
		"leads from one thing to the next":    leadsToTheNext,
		"goes on after a restart":             goesOnAfterARestart,
		"shows live work":                     showsLiveWork,
		"shows tickets":                       showsTickets,
		"connects tickets":                    connectsTickets,
		"shows five hundred tickets":          showsFiveHundredTickets,
		"edits arguments":                     editsArguments,
		"answers as a rule":                   answersAsARule,
		"needs more than a yes":               needsMoreThanAYes,
		"notifies of asks":                    notifiesOfAsks,
		"lists answered asks":                 listsAnsweredAsks,
		"takes pictures":                      takesPictures,
		"from goal to done by keys":           fromGoalToDone(true),
		"from goal to done by mouse":          fromGoalToDone(false),
		"names everything":                    namesEverything,
		"has no faults of axe":                hasNoFaultsOfAxe,
		"edits a plan":                        editsAPlan,
		"costs little":                        costsLittle,
		"signs others out":                    signsOthersOut,
		"answers several at once":             answersSeveral,
		"answers about a budget":              answersBudgets,
		"takes hostile text in every field":   takesHostileTextInEveryField,
		"takes long lines and broken bytes":   takesLongLinesAndBrokenBytes,
		"tells the loser who was first":       loserIsTold,
		"never sends an answer twice":         neverSendsTwice,
		"survives a clock that differs":       survivesAClockThatDiffers,
		"opens a long session":                opensALongSession,
		"shows thousands of asks":             showsThousandsOfAsks,
		"shows events soon":                   showsEventsSoon,
		"asks to load a newer console":        asksToLoadANewerConsole,
		"shows hostile text everywhere":       showsHostileTextEverywhere,
		"shows a timeline":                    showsATimeline,
		"shows a conversation":                showsAConversation,
		"shows changes":                       showsChanges,
		"shows cost":                          showsCost,
		"finds words":                         findsWords,
		"replays a session":                   replaysASession,
		"shows settings":                      showsSettings,
		"sets every field":                    setsEveryField,
		"sets fields":                         setsFields,
		"shows discussions":                   showsDiscussions,
		"moves discussions":                   movesDiscussions,
		"submits a goal":                      submitsAGoal,
		"starts a session":                    startsASession,
		"hands a discussion on":               handsADiscussionOn,
		"chooses lines of a file":             choosesLines,
		"shows quarantined tools":             showsQuarantinedTools,
		"says what became of a call":          saysWhatBecameOfACall,
		"lists attempts":                      listsAttempts,
		"keeps log files":                     keepsLogFiles,
		"takes sides":                         takesSides,
		"stops all":                           stopsAll,
		"compares positions":                  comparesPositions,
		"explains a change":                   explainsAChange,
		"undoes changes":                      undoesChanges,
		"shows blocked tickets":               showsBlockedTickets,
		"fits a phone":                        fitsAPhone,
		"names events whole":                  namesEventsWhole,
	} {
		t.Run(name, func(t *testing.T) {
			private, err := browser.Incognito()
			require.NoError(t, err)
			defer func() { require.NoError(t, private.Close()) }()
			check(t, private)
		})
	}
}

// visit opens an address in a new tab.
func visit(t *testing.T, b *rod.Browser, url string) tab {
	t.Helper()
	page, err := b.Page(proto.TargetCreateTarget{URL: url})
	require.NoError(t, err)
	return tab{t, page.Timeout(eventstest.Patience)}
}

// consoleOf signs a new tab in.
func consoleOf(t *testing.T, b *rod.Browser, f *fixture) tab {
	t.Helper()
	return visit(t, b, f.gw.URL()+"/#login="+f.codeOf(t, access.RightHuman))
}

// await waits until an expression holds in the page, also if that leads on to another one meanwhile.
func (p tab) await(js string, args ...any) {
	p.t.Helper()
	err := p.Wait(rod.Eval(js, args...))
	for gone := new(cdp.Error); errors.As(err, &gone); {
		err = p.Wait(rod.Eval(js, args...))
	}
	if err != nil {
		require.NoError(p.t, err, "%s %v\n%s", js, args, tab{p.t, p.CancelTimeout()}.text())
	}
}

// text is what the page shows.
func (p tab) text() string {
	got, err := p.Eval(`() => document.body.innerText`)
	if err != nil {
		return err.Error()
	}
	return got.Value.Str()
}

func (p tab) awaitText(text string) {
	p.t.Helper()
	p.await(`text => document.body?.innerText.includes(text)`, text)
}

// names lists the accessible names of a role, in the order of the page, once there are at least so many.
func (p tab) names(role string, least int) []string {
	p.t.Helper()
	for {
		tree, err := proto.AccessibilityGetFullAXTree{}.Call(p)
		require.NoError(p.t, err)
		var names []string
		for _, node := range tree.Nodes {
			if !node.Ignored && node.Role != nil && node.Role.Value.Str() == role && node.Name != nil {
				names = append(names, node.Name.Value.Str())
			}
		}
		if len(names) >= least {
			return names
		}
		_, err = p.Eval(`() => new Promise(requestAnimationFrame)`) // the browser makes the tree as it draws
		require.NoError(p.t, err, p.text())
	}
}

// choose opens a question and waits until keys may answer it.
func (p tab) choose(ask string) {
	p.t.Helper()
	p.run(`ask => { location.hash = "#/inbox/" + ask }`, ask)
	p.await(`ask => document.querySelector("article dl")?.innerText.includes(ask)`, ask)
	p.settle()
}

// settle moves the page's clock on, so that a question has stood as long as keys need.
func (p tab) settle() {
	p.t.Helper()
	p.run(`() => { const now = performance.now(); performance.now = () => now + 400 }`)
}

// run calls a function in the page.
func (p tab) run(js string, args ...any) {
	p.t.Helper()
	_, err := p.Eval(js, args...)
	require.NoError(p.t, err)
}

func (p tab) press(keys ...input.Key) {
	p.t.Helper()
	require.NoError(p.t, p.Keyboard.Type(keys...))
}

// answered lists the answers on the log, oldest first.
func (f *fixture) answered() []events.AskAnswered { return recorded[events.AskAnswered](f) }

func signsInOnce(t *testing.T, b *rod.Browser) {
	f := open(t)
	link := f.gw.URL() + "/#login=" + f.codeOf(t, access.RightHuman)
	p := visit(t, b, link)
	p.awaitText("Nothing is waiting for you.")
	p.awaitText("● connected")
	at, err := p.Eval(`() => [location.href, document.cookie].join(" ")`)
	require.NoError(t, err)
	require.Equal(t, f.gw.URL()+"/#/inbox ", at.Value.Str(), "neither the code nor the cookie can be read afterwards")
	require.NoError(t, p.Reload())
	p.awaitText("Nothing is waiting for you.")

	other, err := b.Incognito()
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close()) }()
	late := visit(t, other, link)
	late.awaitText("this link is invalid")
	require.NotContains(t, late.text(), "Inbox")
	late.run(`code => { location.hash = "#login=" + code }`, f.codeOf(t, access.RightRead)) // pasted into the same tab
	late.awaitText("Nothing is waiting for you.")
}

func signsInByFile(t *testing.T, b *rod.Browser) {
	f := open(t)
	file := filepath.Join(t.TempDir(), "console.html")
	page := access.OpeningPage(f.gw.URL() + "/#login=" + f.codeOf(t, access.RightHuman))
	require.NoError(t, os.WriteFile(file, []byte(page), 0o600))
	p := visit(t, b, "file://"+file)
	p.awaitText("Nothing is waiting for you.")
	require.NoError(t, p.Reload())
	p.awaitText("Nothing is waiting for you.")

	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `<!doctype html><meta http-equiv="refresh" content="0; url=%s">`,
			f.gw.URL()+r.FormValue("to"))
	}))
	defer foreign.Close()
	for to, shows := range map[string]string{
		"/": "cross-site requests are refused", "/#login=x": "cross-site requests are refused",
		access.Entrance: "This browser is not signed in.", access.Entrance + "#/inbox": "This browser is not signed in.",
		access.Entrance + "#login=": "This browser is not signed in.", access.Entrance + "#login=x": "this link is invalid",
	} {
		lured := visit(t, b, foreign.URL+"/?to="+url.QueryEscape(to))
		lured.awaitText(shows)
		require.NotContains(t, lured.text(), "Nothing is waiting for you.", to)
	}
}

func answersByKeys(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.approve()
	f.put(events.ActorApproval, events.AskRaised{Ask: "a1", Gate: events.GateTool, Title: "edit_file a.go",
		Tool: "edit_file", Effect: "writes", Note: "no rule allows it", Diff: "--- a.go\n+++ a.go\n@@ -1 +1 @@\n-old\n+new\n",
		Args: json.RawMessage(`{"path":"a.go","n":12345678901234567890}`)})
	f.raise("a2", events.GateTool)
	p := consoleOf(t, b, f)
	p.await(`() => document.querySelectorAll("nav li").length === 2`)

	var model struct {
		Asks []struct {
			Title string `json:"title"`
			Note  string `json:"note"`
			Diff  string `json:"diff"`
		} `json:"asks"`
	}
	require.NoError(t, json.Unmarshal(f.get("/api/inbox", access.RightRead).body, &model))
	require.Len(t, model.Asks, 2)
	links := slices.DeleteFunc(p.names("link", 4), func(name string) bool { return !strings.Contains(name, "edit_file") })
	require.Len(t, links, len(model.Asks))
	for i, ask := range model.Asks {
		require.Contains(t, links[i], ask.Title)
	}

	p.run(`() => { performance.now = () => 1000 }`)
	p.press(input.KeyA) // nothing is selected, so nothing is answered
	p.press(input.KeyJ)
	p.await(`() => location.hash === "#/inbox/a1"`)
	p.awaitText(model.Asks[0].Note)
	p.awaitText("The diff changes 1 file: 1 line added, 1 removed.")
	p.run(`() => { document.querySelector("details").open = true }`)
	p.awaitText("12345678901234567890")
	require.NotContains(t, p.text(), "rawJSON")
	for _, line := range strings.Split(strings.TrimSpace(model.Asks[0].Diff), "\n") {
		require.Contains(t, p.text(), line)
	}
	p.run(`() => { performance.now = () => 1399 }`)
	p.press(input.KeyA) // too soon: it may have been meant for what was here before
	require.NotContains(t, p.text(), "being sent")
	require.NotContains(t, p.text(), "You said")
	p.settle()
	f.raise("a3", events.GateTool)
	p.await(`() => document.querySelectorAll("nav li").length === 3`)
	p.await(`() => location.hash === "#/inbox/a1" && document.activeElement === document.body`)
	require.Empty(t, f.answered())

	p.press(input.KeyA)
	p.awaitText("You said yes.")
	p.press(input.KeyA) // once is enough
	p.await(`() => document.querySelectorAll("nav li").length === 3 && document.querySelectorAll("nav .over").length === 1`)
	require.Equal(t, []events.AskAnswered{{Ask: "a1", Decision: events.Yes}}, f.answered())

	p.press(input.KeyJ)
	p.choose("a2")
	p.press(input.KeyR) // a no needs a reason
	p.await(`() => document.activeElement.tagName === "TEXTAREA"`)
	require.NoError(t, p.InsertText("use the old name"))
	p.press(input.Escape)
	p.await(`() => document.activeElement === document.body`)
	p.press(input.KeyR)
	p.awaitText("You said no: use the old name")
	require.Equal(t, events.AskAnswered{Ask: "a2", Decision: events.No, Reason: "use the old name"}, f.answered()[1])
	require.Len(t, f.answered(), 2)
}

// needsTheWholeDiff presses the key for yes while a diff is read, when it cannot be read, when it is cut, and too soon
// after it was drawn.
func needsTheWholeDiff(t *testing.T, b *rod.Browser) {
	blobs := eventstest.NewMemory()
	f := open(t, func(c *core.Config) { c.Blobs = blobs })
	f.approve()
	ref, err := blobs.Put(t.Context(), []byte(strings.Repeat("+new\n", 2000)+"+last\n"), events.ContentBytesMedia)
	require.NoError(t, err)
	missing := events.BlobRef{SHA256: strings.Repeat("a", 64), Size: 5, MediaType: ref.MediaType}
	for ask, diff := range map[string]*events.BlobRef{"a1": &ref, "a2": &missing} {
		f.put(events.ActorApproval, events.AskRaised{Ask: ask, Gate: events.GateTool, Title: "edit_file a.go",
			Tool: "edit_file", Diff: "+head\n", DiffBlob: diff})
	}
	p := consoleOf(t, b, f)
	p.await(`() => document.querySelectorAll("nav li").length === 2`)
	p.run(`() => {
		const real = fetch
		window.fetch = (path, how) => String(path).startsWith("/api/blobs/")
			? new Promise(done => { window.release = () => done(real(path, how)) }) : real(path, how)
	}`)
	noYes := func(because string) {
		t.Helper()
		p.awaitText(because)
		p.settle()
		p.press(input.KeyA)
		p.await(`() => document.querySelector(".answer button").disabled`)
		require.NotContains(t, p.text(), "being sent")
		require.NotContains(t, p.text(), "You said")
	}
	p.choose("a2")
	noYes("Reading the diff")
	release := func() {
		t.Helper()
		p.await(`() => window.release !== undefined`) // the page reads
		p.run(`() => { release(); window.release = undefined }`)
	}
	release()
	noYes("The diff cannot be read (status 404)")
	require.Contains(t, p.text(), "slop ask show a2 --session "+session)
	p.choose("a1")
	noYes("Reading the diff")
	release()
	noYes("Show the whole diff before you answer yes.")
	p.run(`() => { performance.now = () => 1e9 }`)
	button, err := p.ElementR("button", "Show all of it")
	require.NoError(t, err)
	require.NoError(t, button.Click(proto.InputMouseButtonLeft, 1))
	p.await(`() => document.querySelector(".diff").innerText.includes("+last")`)
	p.await(`() => !document.querySelector(".answer button").disabled`)
	p.press(input.KeyA) // too soon
	require.NotContains(t, p.text(), "being sent")
	require.NotContains(t, p.text(), "You said")
	require.Empty(t, f.answered())
	p.settle()
	p.press(input.KeyA)
	p.awaitText("You said yes.")
	require.Equal(t, []events.AskAnswered{{Ask: "a1", Decision: events.Yes}}, f.answered())
}

func answersByText(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.approve()
	for _, ask := range []string{"a1", "a2"} {
		f.put(events.ActorApproval, events.AskRaised{Ask: ask, Gate: events.GateQuestion, Title: "Which API?",
			Note: "Answer yes or no",
			Args: json.RawMessage(`{"question":"Which API?","choices":["the old one","a new one"]}`)})
	}
	p := consoleOf(t, b, f)
	p.await(`() => document.querySelectorAll("nav li").length === 2`)
	p.choose("a1")
	require.NotContains(t, p.text(), "Yes, this once")
	require.NotContains(t, p.text(), "Answer yes or no")
	p.press(input.KeyR) // no bare no, either
	p.press(input.KeyA)
	p.await(`() => document.activeElement.ariaLabel === "Answer"`)
	require.NoError(t, p.InsertText("neither"))
	p.press(input.Escape)
	p.await(`() => document.activeElement === document.body`)
	require.Empty(t, f.answered())
	p.press(input.KeyA)
	p.awaitText("You answered: neither")
	p.choose("a2")
	button, err := p.ElementR("button", "a new one")
	require.NoError(t, err)
	require.NoError(t, button.Click(proto.InputMouseButtonLeft, 1))
	p.awaitText("You answered: a new one")
	require.Equal(t, []events.AskAnswered{
		{Ask: "a1", Decision: events.Yes, Args: json.RawMessage(`{"answer":"neither"}`)},
		{Ask: "a2", Decision: events.Yes, Args: json.RawMessage(`{"answer":"a new one"}`)},
	}, f.answered())
}

func showsHostileText(t *testing.T, b *rod.Browser) {
	f := open(t)
	hostile := `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>` +
		"\u202egnp.exe\x1b[31m"
	args, err := json.Marshal(map[string]string{hostile: hostile})
	require.NoError(t, err)
	f.put("operator", events.GoalSubmitted{Goal: hostile})
	f.put(events.ActorApproval, events.AskRaised{Ask: "a1", Gate: events.GateTool, Title: hostile, Note: hostile,
		Tool: hostile, Diff: "+" + hostile + strings.Repeat("x", 30_000) + "end", Args: args, Taint: []string{hostile}})
	p := consoleOf(t, b, f)
	p.await(`() => document.querySelectorAll("nav li").length === 1`)
	p.choose("a1")
	p.awaitText("not all of it is drawn")
	button, err := p.ElementR("button", "Show all of it")
	require.NoError(t, err)
	require.NoError(t, button.Click(proto.InputMouseButtonLeft, 1))
	p.await(`() => document.querySelector(".diff").textContent.includes("xxxend")`)
	p.await(`() => document.images.length === 0 && document.scripts.length === 1 && document.title === "⚑ 1 · slop"`)
	spelled := strings.NewReplacer("\u202e", "<U+202E>", "\x1b", "<U+001B>").Replace(hostile)
	require.Contains(t, p.names("heading", 2), spelled)
	require.NotContains(t, p.text(), "\u202e")
}

func tellsOfOthers(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.approve()
	f.raise("a1", events.GateTool)
	p := consoleOf(t, b, f)
	p.await(`() => document.querySelectorAll("nav li").length === 1`)
	p.choose("a1")
	require.Equal(t, http.StatusOK, f.post("/api/ask/respond", access.RightHuman,
		`{"request_id":"a1","response":false}`).status)
	p.awaitText("Answered elsewhere by " + person + ": no.")
	p.awaitText("✓ closed")
	p.press(input.KeyA)
	p.settle()
	require.Len(t, f.answered(), 1)
}

func listsSessions(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.put("operator", events.GoalSubmitted{Goal: "make the tests pass"})
	f.raise("a1", events.GateTool)
	p := consoleOf(t, b, f)
	p.await(`() => document.querySelectorAll("nav li").length === 1`)
	p.press(input.KeyG, input.KeyS)
	p.awaitText("make the tests pass")
	var model struct {
		Sessions []struct {
			Session string `json:"session"`
			Goal    string `json:"goal"`
		} `json:"sessions"`
	}
	require.NoError(t, json.Unmarshal(f.get("/api/sessions", access.RightRead).body, &model))
	cells := p.names("cell", 5*len(model.Sessions))
	for _, s := range model.Sessions {
		require.Contains(t, cells, s.Goal)
		require.Contains(t, cells, s.Session+" (current)")
	}
	require.Contains(t, cells, "⚑ waiting for you")
	require.NoError(t, p.Reload())
	p.awaitText("make the tests pass")
}

func tellsOfALostLink(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.raise("a1", events.GateTool)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.choose("a1")
	f.stop()
	p.awaitText("reconnecting since")
	p.awaitText("the data shown may be out of date")
	p.press(input.KeyA)
	p.awaitText("it is not sent again")
	require.Contains(t, p.text(), "edit_file a.go", "what was known stays")
}

// refusesOtherPages tries to use a signed-in browser from a page at another port, which is the same site to it, and
// from a name that leads here.
func refusesOtherPages(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.approve()
	f.raise("a1", events.GateTool)
	consoleOf(t, b, f).awaitText("● connected")
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<iframe src="` + f.gw.URL() + `/"></iframe>`))
	}))
	defer foreign.Close()
	p := visit(t, b, foreign.URL)
	got, err := p.Eval(`async gateway => {
		const tries = []
		for (const how of [{}, {method: "POST", mode: "no-cors", body: '{"request_id":"a1","response":true}'},
			{method: "POST", headers: {"Content-Type": "application/json"}, body: '{"request_id":"a1","response":true}'}]) {
			const path = how.method ? "/api/ask/respond" : "/api/inbox"
			tries.push(await fetch(gateway + path, {credentials: "include", ...how}).then(r => r.type + r.status, () => "refused"))
		}
		tries.push(await new Promise(done => {
			const ws = new WebSocket(gateway.replace("http", "ws") + "/ws?channels=asks")
			ws.onmessage = () => done("message")
			ws.onclose = () => done("closed")
		}))
		return tries.join(" ")
	}`, f.gw.URL())
	require.NoError(t, err)
	require.Equal(t, "refused refused refused closed", got.Value.Str())
	require.Empty(t, f.answered())
	inner, err := p.Element("iframe")
	require.NoError(t, err)
	frame, err := inner.Frame()
	require.NoError(t, err)
	shown, err := frame.Eval(`() => document.documentElement.innerText`)
	require.NoError(t, err)
	require.NotContains(t, shown.Value.Str(), "Inbox")

	rebound := visit(t, b, "http://evil.test:"+portOf(t, f)+"/")
	rebound.awaitText("this Host is not served")
}
