package hookgw_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/views"
	"manualslop/projections/sessiongen"
)

// load is how much the heavy checks put: a part of it unless SLOP_LOAD=full.
func load(full, part int) int {
	if os.Getenv("SLOP_LOAD") == "full" {
		return full
	}
	return part
}

// opensALongSession opens every view of a session of 100,000 events, and measures how long it takes. It is the
// generator's session under the fixture's names.
func opensALongSession(t *testing.T, b *rod.Browser) {
	f := openEmpty(t)
	n := load(100_000, 5_000)
	for _, e := range sessiongen.GenerateSession(1, n) {
		e.Project, e.Session = project, session
		if closes(e) {
			continue
		}
		_, err := f.log.Append(t.Context(), e, nil)
		require.NoError(t, err)
	}
	last, err := f.log.Last(t.Context(), events.Filter{Project: project})
	require.NoError(t, err)
	require.NoError(t, f.models.WaitFor(t.Context(), last))
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	shows := map[string]string{
		"timeline":  `() => document.querySelectorAll("tbody tr").length === 300`,
		"tickets":   `() => document.querySelectorAll("tbody tr").length > 0`,
		"live":      `() => document.querySelectorAll(".tiers details, .tiers article").length > 0`,
		"changes":   `() => document.querySelector("nav[aria-label=Files]") !== null`,
		"cost":      `() => document.querySelectorAll("tbody tr").length > 0`,
		"replay":    `() => document.querySelector(".scrubber") !== null`,
		"live?at=1": `() => document.body.innerText.includes("as it was at 1")`,
	}
	for round := range 3 {
		for view, shown := range shows {
			began := time.Now()
			p.run(`to => { location.hash = to }`, "#/s/"+session+"/"+view)
			p.await(shown)
			if round == 0 {
				t.Logf("%s of %d events: %d ms", view, n, time.Since(began).Milliseconds())
			}
		}
		t.Logf("heap of the page after round %d of all views: %d MiB", round+1, p.heap()>>20)
	}
	p.at("timeline")
	p.await(`() => document.querySelectorAll("tbody tr").length === 300`)
	spans := viewOf[views.Spans](f, "/api/spans?limit=300")
	p.has(fmt.Sprint(spans.Older, " earlier rows."))
	require.Len(t, spans.Spans, 300)
	got, err := p.Eval(`() => new Promise(done => {
		let longest = 0, last = performance.now(), pass = 0
		const step = now => {
			longest = Math.max(longest, now - last)
			last = now
			const before = scrollY
			scrollBy(0, 200)
			if (scrollY > before) return requestAnimationFrame(step)
			if (++pass === 2) return done(Math.round(longest))
			scrollTo(0, 0)
			requestAnimationFrame(step)
		}
		requestAnimationFrame(now => { last = now; requestAnimationFrame(step) })
	})`)
	require.NoError(t, err)
	t.Logf("longest pause between two frames while scrolling its timeline twice: %d ms", got.Value.Int())
}

// heap is what the page keeps, in bytes.
func (p tab) heap() int {
	p.t.Helper()
	require.NoError(p.t, proto.HeapProfilerCollectGarbage{}.Call(p))
	got, err := p.Eval(`() => performance.memory.usedJSHeapSize`)
	require.NoError(p.t, err)
	return got.Value.Int()
}

func closes(e events.Event) bool {
	_, is := e.Payload.(events.SessionClosed)
	return is
}

// showsThousandsOfAsks fills the inbox, and answers one in the middle of it.
func showsThousandsOfAsks(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.approve()
	n := load(5_000, 500)
	for i := range n {
		e, err := events.New(events.Origin{ID: ulid.Make().String(), Time: time.Now(), Project: project, Session: session,
			Actor: events.ActorApproval}, events.AskRaised{Ask: fmt.Sprint("a", i), Gate: events.GateTool,
			Title: fmt.Sprint("edit_file ", i)})
		require.NoError(t, err)
		_, err = f.log.Append(t.Context(), e, nil)
		require.NoError(t, err)
	}
	began := time.Now()
	p := consoleOf(t, b, f)
	p.await(`n => document.querySelectorAll("nav li").length === n`, n)
	t.Logf("%d asks: %d ms from signing in", n, time.Since(began).Milliseconds())
	middle := fmt.Sprint("a", n/2)
	p.choose(middle)
	p.click("button", "Yes, this once")
	p.has("You said yes.")
	require.Equal(t, []events.AskAnswered{{Ask: middle, Decision: events.Yes}}, f.answered())
	p.await(`n => document.querySelectorAll("nav li").length === n`, n)
}

// showsEventsSoon measures the time from an event on the log to the pixel.
func showsEventsSoon(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.graph()
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("tickets")
	p.await(`() => document.querySelectorAll("tbody tr").length === 3`)
	took := make([]int64, load(200, 20))
	for i := range took {
		began := time.Now()
		name := fmt.Sprint("try ", i)
		f.put(events.ActorConductor, events.TicketStarted{Track: "TR-1", Ticket: events.Ticket{ID: "T-001",
			Description: name}, Attempt: i + 1})
		p.run(`name => new Promise(done => {
			const look = () => document.querySelector("tbody").innerText.includes(name) ? done() : requestAnimationFrame(look)
			look()
		})`, name)
		took[i] = time.Since(began).Milliseconds()
	}
	slices.Sort(took)
	t.Logf("from the log to the pixel: half within %d ms, 99 %% within %d ms", took[len(took)/2], took[len(took)*99/100])
}

// costsLittle measures the first paint of a session and the processor time of a tab that nobody touches.
func costsLittle(t *testing.T, b *rod.Browser) {
	blobs := eventstest.NewMemory()
	f := open(t, withBlobs(blobs))
	f.listed(blobs)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	paints := make([]int, load(20, 3))
	for i := range paints {
		p.at("tickets")
		require.NoError(t, p.Reload())
		p.await(`() => document.querySelectorAll("tbody tr").length === 3`)
		got, err := p.Eval(`() => new Promise(done => {
			const seen = list => list.getEntries().length > 0 && done(Math.round(list.getEntries()[0].startTime))
			new PerformanceObserver(seen).observe({ type: "paint", buffered: true })
		})`)
		require.NoError(t, err)
		paints[i] = got.Value.Int()
	}
	slices.Sort(paints)
	t.Logf("first paint of a session: half within %d ms, at most %d ms", paints[len(paints)/2], paints[len(paints)-1])
	require.NoError(t, proto.PerformanceEnable{}.Call(p))
	for _, view := range []string{"live", "timeline", "tickets?as=graph"} {
		p.at(view)
		p.awaitText("● connected")
		before, span := p.tasks(), load(10_000, 200)
		p.run(`span => new Promise(done => setTimeout(done, span))`, span)
		t.Logf("an idle tab at %s: %.2f %% of a core", view, 100_000*(p.tasks()-before)/float64(span))
	}
}

// tasks is how long the page kept a processor busy, in seconds.
func (p tab) tasks() float64 {
	p.t.Helper()
	got, err := proto.PerformanceGetMetrics{}.Call(p)
	require.NoError(p.t, err)
	for _, m := range got.Metrics {
		if m.Name == "TaskDuration" {
			return m.Value
		}
	}
	p.t.Fatal("the browser tells no TaskDuration")
	return 0
}
