package replay_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/replay"
)

// The histories under testdata were recorded once and are replayed by every
// later program: good ones must verify and fold to the recorded digests, bad
// ones must be refused with the recorded code at the recorded position.
//
// A good one that no longer verifies means that a decider decides otherwise on
// a session of yesterday. Each release has a folder, which is never changed; see
// released. What is not released yet stands in one that may be deleted and
// recorded anew with make generate.

const (
	allHistories = "testdata/histories"
	histories    = allHistories + "/unreleased"
)

func TestRecordedHistoriesStillVerify(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			file := frozen(t, filepath.Join(histories, "good", s.name+".jsonl"),
				func() []byte { return exported(t, play(1, s.script), textShelf()) })
			back, err := imported(t, file)
			require.NoError(t, err)
			report, err := replay.Verify(back.Events, replay.Deciders()...)
			require.NoError(t, err)
			require.Equal(t, back.Summary.Events, report.Events)
			require.Equal(t, string(file), string(exported(t, back.Events, shelf(back.Blobs))))
		})
	}
}

// fault is one way to spoil a history; the file it gives is refused.
type fault struct {
	name string
	make func(t *testing.T, history []events.Event) []byte
}

// position finds the n-th event of a type, from 0.
func position(history []events.Event, typ string, n int) int {
	for i := range history {
		if history[i].Type == typ {
			if n--; n < 0 {
				return i
			}
		}
	}
	panic("no " + typ)
}

// spoiled is a fault that changes events and writes them as plain numbered lines.
func spoiled(change func(h []events.Event) []events.Event) func(*testing.T, []events.Event) []byte {
	return func(t *testing.T, history []events.Event) []byte {
		t.Helper()
		var b strings.Builder
		for _, e := range change(slices.Clone(history)) {
			wire, err := json.Marshal(e)
			require.NoError(t, err)
			fmt.Fprintf(&b, `{"seq":%d,"event":%s}`+"\n", e.Seq, wire)
		}
		return []byte(b.String())
	}
}

// one changes the n-th event of a type.
func one(typ string, n int, change func(e *events.Event)) func(*testing.T, []events.Event) []byte {
	return spoiled(func(h []events.Event) []events.Event {
		change(&h[position(h, typ, n)])
		return h
	})
}

// rewritten changes a body.
func rewritten(old, new string) func(e *events.Event) {
	return func(e *events.Event) {
		changed := strings.Replace(string(e.Data), old, new, 1)
		if changed == string(e.Data) {
			panic("nothing to change in " + string(e.Data))
		}
		e.Data = json.RawMessage(changed)
	}
}

func without(typ string, n int) func(*testing.T, []events.Event) []byte {
	return spoiled(func(h []events.Event) []events.Event {
		i := position(h, typ, n)
		return slices.Delete(h, i, i+1)
	})
}

// exchanged lets two events change places; the sequences stay.
func exchanged(h []events.Event, i, j int) []events.Event {
	h[i], h[j] = h[j], h[i]
	h[i].Seq, h[j].Seq = h[j].Seq, h[i].Seq
	return h
}

func faults() []fault {
	return []fault{
		{"R001-a-settlement-is-missing", without("AskSettled", 0)},
		{"R002-an-approval-too-many", spoiled(func(h []events.Event) []events.Event {
			i := position(h, "ToolApproved", 0)
			e := h[i]
			e.ID, e.N = "01KDZFORGED000000000000000", e.N+1
			h = slices.Insert(h, i+1, e)
			for j := i + 1; j < len(h); j++ {
				h[j].Seq++
			}
			return h
		})},
		{"R003-other-arguments-were-approved", one("ToolApproved", 0, rewritten(`"content":"c"`, `"content":"d"`))},
		{"R003-a-no-became-a-yes", one("AskSettled", 0, rewritten(`"outcome":"no"`, `"outcome":"yes"`))},
		{"R003-another-time", one("TicketReady", 0, func(e *events.Event) { e.Time = e.Time.Add(time.Second) })},
		{"R003-another-id", one("GoalCompleted", 0, func(e *events.Event) { e.ID = "01KDZFORGED000000000000000" })},
		{"R003-another-cause", one("TicketReady", 0, func(e *events.Event) { e.Cause = "" })},
		{"R004-decisions-out-of-order", spoiled(func(h []events.Event) []events.Event {
			return exchanged(h, position(h, "AskSettled", 0), position(h, "ToolDenied", 0))
		})},
		{"R005-an-event-twice", spoiled(func(h []events.Event) []events.Event {
			e := h[position(h, "ModelReplied", 0)]
			e.Seq = h[len(h)-1].Seq + 1
			return append(h, e)
		})},
		{"R006-a-worker-skipped-a-number", one("ContextBuilt", 1, func(e *events.Event) { e.N += 2 })},
		{"R006-a-decider-skipped-a-number", one("TicketReady", 0, func(e *events.Event) { e.N++ })},
		{"R007-an-approval-is-missing", without("ToolApproved", 0)},
		{"R007-a-reply-is-missing", without("ModelReplied", 2)},
		{"R007-a-cause-from-elsewhere", one("ModelReplied", 0,
			func(e *events.Event) { e.Cause = "01KDZELSEWHERE000000000000" })},
		{"R007-a-cause-that-comes-later", spoiled(func(h []events.Event) []events.Event {
			h[position(h, "ModelReplied", 0)].Cause = h[len(h)-1].ID
			return h
		})},
		{"R008-a-changed-event", broken8(`"path"`, `"Path"`)},
		{"R008-another-footer", broken8(`"blobs":10`, `"blobs":11`)},
		{"R009-the-end-is-missing", spoiled(func(h []events.Event) []events.Event {
			return h[:position(h, "ModelReplied", 1)+
				1]
		})},
		{"R010-a-type-of-tomorrow", one("ModelReplied", 1, func(e *events.Event) { e.Type = "ModelDreamed" })},
		{"R010-a-version-of-tomorrow", one("ToolSettled", 0, func(e *events.Event) { e.V = 9 })},
		{"R012-an-outcome-about-another-call", one("ToolSettled", 0, func(e *events.Event) { e.Corr = "C-1" })},
		{"R013-no-beginning", spoiled(func(h []events.Event) []events.Event { return h[1:] })},
		{"R013-opened-twice", spoiled(func(h []events.Event) []events.Event {
			e := h[0]
			e.ID, e.Seq = "01KDZAGAIN0000000000000000", h[len(h)-1].Seq+1
			return append(h, e)
		})},
		{"R014-another-text", one("ModelReplied", 2, rewritten(`"I call`, `"I do not call`))},
		{"R014-another-result", one("ToolSettled", 0, rewritten(`result of`, `failure of`))},
		{"R015-nobody-approved-it", one("ToolSettled", 0, rewritten(`"args_sha256":"`, `"args_sha256":"0`))},
		{"R016-a-worker-approves", spoiled(func(h []events.Event) []events.Event {
			h[position(h, "ToolApproved", 0)].Actor = "worker-h-1"
			return h
		})},
	}
}

// broken8 changes a byte in an exported file and leaves the chain as it was.
func broken8(old, new string) func(*testing.T, []events.Event) []byte {
	return func(t *testing.T, history []events.Event) []byte {
		t.Helper()
		file := string(exported(t, history, textShelf()))
		changed := strings.Replace(file, old, new, 1)
		require.NotEqual(t, file, changed)
		return []byte(changed)
	}
}

// judge reads and verifies a file and says code and position.
func judge(t *testing.T, file []byte) string {
	t.Helper()
	back, err := imported(t, file)
	if err == nil {
		_, err = replay.Verify(back.Events, replay.Deciders()...)
	}
	var f *replay.FileError
	if errors.As(err, &f) {
		return fmt.Sprintf("file line %d: %v\n", f.Line, f.Err)
	}
	var d *replay.Divergence
	require.ErrorAs(t, err, &d, "it is accepted")
	return fmt.Sprintf("%s %d\n%s\n", d.Code, d.Position, d.Error())
}

// verdict is "verified", or what judge says.
func verdict(t *testing.T, file []byte) string {
	t.Helper()
	back, err := imported(t, file)
	if err == nil {
		_, err = replay.Verify(back.Events, replay.Deciders()...)
	}
	if err == nil {
		return "verified"
	}
	return err.Error()
}

func firstLine(s string) string { s, _, _ = strings.Cut(s, "\n"); return s }

func TestSpoiledHistoriesAreRefusedWithTheirCodeAtTheirPlace(t *testing.T) {
	t.Parallel()
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			base := filepath.Join(histories, "bad", f.name)
			file := frozen(t, base+".jsonl", func() []byte { return f.make(t, play(1, scenarioNamed("asked"))) })
			got := judge(t, file)
			want := string(frozen(t, base+".want", func() []byte { return []byte(got) }))
			require.Equal(t, firstLine(want), firstLine(got), got)
			code, _, _ := strings.Cut(f.name, "-")
			require.True(t, strings.HasPrefix(got, code+" "), got)
		})
	}
}

func TestEveryRecordedHistoryIsLookedAt(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, s := range scenarios() {
		known["good/"+s.name+".jsonl"] = true
	}
	for _, f := range faults() {
		known["bad/"+f.name+".jsonl"], known["bad/"+f.name+".want"] = true, true
	}
	for _, folder := range []string{"good", "bad"} {
		files, err := os.ReadDir(filepath.Join(histories, folder))
		if *update && os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		for _, file := range files {
			demo := strings.HasPrefix(file.Name(), "demo-") // cmd/slop reads them
			require.True(t, demo || known[folder+"/"+file.Name()], "%s/%s is read by no test", folder, file.Name())
		}
	}
}
