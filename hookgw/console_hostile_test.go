package hookgw_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"
	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/access"
	"manualslop/projections/search"
)

// corpus is text that wants to be more than text.
var corpus = []string{
	`<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`,
	`"><svg onload="document.title='taken'"><a href="javascript:document.title='taken'">x</a>`,
	"</textarea></title></style><iframe srcdoc=\"<script>parent.document.title='taken'</script>\">",
	"{{constructor.constructor('document.title=1')()}}${document.title=1}&lt;b&gt;&#x202e;",
	"\u202egnp.exe\u2066\u2069\u200b\ufeff\u00ad\u061c",
	"\x1b[31mred\x1b]0;taken\x07\x00\x08\x7f\u0085\u2028",
	"../../etc/passwd?#/s/x/live&at=1\r\nSet-Cookie: a=b",
	"e\u0301\u0301\u0301\u0301 \U000e0041\U0001f468\u200d\U0001f469",
}

// takesHostileTextInEveryField makes every text of every answer of the gateway end with the corpus, and opens every
// view.
func takesHostileTextInEveryField(t *testing.T, b *rod.Browser) {
	blobs := eventstest.NewMemory()
	f := searching(t, withBlobs(blobs))
	f.showing(blobs)
	require.Eventually(t, func() bool {
		var found search.Answer
		a := f.get("/api/search?q=x", access.RightRead)
		return json.Unmarshal(a.body, &found) == nil && found.Behind == 0
	}, eventstest.Patience, time.Millisecond)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	// words such as states, times and the names of what the page opens stay: a view without them has fewer fields
	_, err := p.EvalOnNewDocument(`{
		const bad = ` + string(quoted(t, strings.Join(corpus, " "))) + `
		const worse = (name, v) => typeof v === "string" && !/^[a-z_]*$|^\d{4}-\d\d-\d\dT|^s1$|^a1$|^T-001$|^main$/.test(v)
			? v + bad : v
		const real = window.fetch
		window.fetch = async (path, how) => {
			const answer = await real(path, how)
			if (!String(path).startsWith("/api/") || answer.status !== 200) return answer
			const text = JSON.stringify(JSON.parse(await answer.text(), worse))
			window.spoilt = (window.spoilt ?? 0) + 1
			return new Response(text, { headers: answer.headers })
		}
	}`)
	require.NoError(t, err)
	require.NoError(t, p.Reload())
	p.await(`() => window.spoilt > 0`)
	for place := range everyView() {
		p.run(`to => { location.hash = to }`, strings.Replace(place, "q=x", "q=tests", 1))
		p.has("<U+202E>gnp.exe")
		p.await(`() => !document.body.innerText.includes("Reading …")`)
		p.run(`() => document.querySelectorAll("details").forEach(d => { d.open = true })`)
		p.run(`() => new Promise(requestAnimationFrame)`)
		got, err := p.Eval(`() => [document.images.length + document.querySelectorAll("iframe, main svg image, [onload], " +
			"[onerror], [srcdoc]").length, document.scripts.length, document.title.includes("taken"),
			[...document.links].filter(a => !/^((https?:.*)?#|\/api\/spans\?)/.test(a.getAttribute("href"))).length,
			/[\u202a-\u202e\u2066-\u2069\u200b\ufeff\u061c\u0000-\u0008\u001b\u007f]/.test(document.body.innerText)].join(" ")`)
		require.NoError(t, err)
		require.Equal(t, "0 1 false 0 false", got.Value.Str(), place)
	}
}

// takesLongLinesAndBrokenBytes shows a diff and a result of one line of 10 MB with bytes that are no UTF-8.
func takesLongLinesAndBrokenBytes(t *testing.T, b *rod.Browser) {
	blobs := eventstest.NewMemory()
	f := open(t, withBlobs(blobs))
	f.approve()
	f.listed(blobs)
	line := "+" + strings.Repeat("x\xff\xfe\xc3(", 2<<20) + "end\n"
	diff, err := blobs.Put(t.Context(), []byte(line), events.ContentBytesMedia)
	require.NoError(t, err)
	f.put(events.ActorApproval, events.AskRaised{Ask: "a9", Gate: events.GateTool, Title: "write_file a.bin",
		Tool: "write_file", Diff: "+x", DiffBlob: &diff})
	f.put(events.ActorContributor, events.ToolRequested{Call: "c9", Tool: "cat", Args: json.RawMessage(`{}`),
		Ticket: "T-001", Attempt: 1, Round: 1})
	f.put(events.ActorApproval, events.ToolApproved{Call: "c9", Tool: "cat", Args: json.RawMessage(`{}`),
		ArgsSHA256: "d", Effect: "reads", Ticket: "T-001", Attempt: 1, Generation: 1, By: person})
	f.put("worker-h-1", events.ToolSettled{Call: "c9", Tool: "cat", Outcome: events.ToolDone, Text: "+x\ufffd",
		TextBlob: &diff, SHA256: diff.SHA256, ArgsSHA256: "d", Generation: 1})
	before, err := blobs.Put(t.Context(), []byte("\xff\xfe\x00old\n"), events.ContentBytesMedia)
	require.NoError(t, err)
	f.write("c8", "T-001", "long.txt", before.SHA256, diff.SHA256)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.choose("a9")
	p.has("not all of it is drawn")
	require.NotContains(t, p.text(), "end\n")
	p.click("button", "Show all of it")
	p.await(`() => document.querySelector(".diff").textContent.endsWith("end\n")`)
	drawn, err := p.Eval(`() => document.querySelector(".diff").textContent.length`)
	require.NoError(t, err)
	require.Greater(t, drawn.Value.Int(), 8<<20)
	p.at("changes/long.txt")
	p.has("Who wrote it")
	p.at("timeline/c9")
	p.has("ToolSettled")
	p.click("button", "All of text")
	p.has("The first 1000000 characters of")
}

// loserIsTold lets two tabs and a terminal answer one question at once: the first answer counts, and the others are
// told whose it was.
func loserIsTold(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.approve()
	f.raise("a1", events.GateTool)
	one, two := consoleOf(t, b, f), consoleOf(t, b, f)
	for _, p := range []tab{one, two} {
		p.await(`() => document.querySelectorAll("nav li").length === 1`)
		p.choose("a1")
		p.run(`() => {
			const real = fetch
			window.fetch = (path, how) => how?.method !== "POST" ? real(path, how)
				: new Promise(done => { window.release = () => done(real(path, how)) })
		}`)
		p.press(input.KeyA)
		p.has("The answer is being sent.")
	}
	require.Equal(t, http.StatusOK, f.post("/api/ask/respond", access.RightHuman,
		`{"request_id":"a1","response":{"approved":false,"reason":"not now"}}`).status)
	for _, p := range []tab{one, two} {
		_, err := p.Activate() // a tab behind another draws no list
		require.NoError(t, err)
		p.run(`() => release()`)
		p.has("Answered by " + person + ": no. Your answer did not count.")
		p.has("✓ closed")
	}
	require.Equal(t, events.No, f.answered()[0].Decision)
}

// neverSendsTwice breaks the connection after the gateway took an answer and before the page knows.
func neverSendsTwice(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.approve()
	f.raise("a1", events.GateTool)
	f.raise("a2", events.GateTool)
	p := consoleOf(t, b, f)
	p.await(`() => document.querySelectorAll("nav li").length === 2`)
	sent := 0
	router := p.HijackRequests()
	require.NoError(t, router.Add("*/api/ask/respond*", proto.NetworkResourceTypeFetch, func(h *rod.Hijack) {
		sent++
		h.Request.Req().Header.Set("Origin", f.gw.URL())
		h.Request.Req().Header.Set("Sec-Fetch-Site", "same-origin")
		if err := h.LoadResponse(f.client, true); err != nil {
			t.Error(err)
		}
		h.Response.Fail(proto.NetworkErrorReasonConnectionReset)
	}))
	go router.Run()
	defer func() { require.NoError(t, router.Stop()) }()
	p.choose("a1")
	p.press(input.KeyA)
	p.has("The connection broke. The answer may have arrived; it is not sent again.")
	for range 3 {
		p.settle()
		p.press(input.KeyA)
	}
	p.has("✓ closed")
	p.choose("a2") // another question is not affected
	require.Equal(t, []events.AskAnswered{{Ask: "a1", Decision: events.Yes}}, f.answered())
	require.Equal(t, 1, sent)
}

// survivesAClockThatDiffers opens the page with a clock that is two hours ahead.
func survivesAClockThatDiffers(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.raise("a1", events.GateTool)
	p := visit(t, b, "about:blank")
	_, err := p.EvalOnNewDocument(`{ const real = Date.now; Date.now = () => real() + 2 * 3600_000 }`)
	require.NoError(t, err)
	require.NoError(t, p.Navigate(f.gw.URL()+"/#login="+f.codeOf(t, access.RightHuman)))
	p.has("● connected", "this computer's clock is 2 h 0 min ahead", "⚑ ")
	require.NotContains(t, p.text(), "⚑ 2 h")
	f.begin("T-001")
	asked := f.asksModel("T-001", 1)
	early, err := events.New(events.Origin{ID: ulid.Make().String(), Time: asked.Time.Add(-time.Minute), Project: project,
		Session: session, Actor: events.ActorModels}, events.ModelReplied{Request: asked.ID, Text: "x", Finish: "stop"})
	require.NoError(t, err)
	_, err = f.log.Append(t.Context(), early, nil)
	require.NoError(t, err)
	p.at("timeline")
	p.await(`() => document.querySelectorAll("tbody tr").length === 3`)
	require.NotRegexp(t, `(^| )-\d`, strings.Join(p.names("cell", 21), " "), "an end before its start takes no time")
	p.at("asks")
	p.has("edit_file a.go")
	require.NotContains(t, p.text(), "2 h 0 min\n")
}
