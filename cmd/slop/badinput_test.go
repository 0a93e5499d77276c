package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
)

func TestSecondEngineOnAFolderIsToldOfTheFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	first, log := s.serve()
	before, err := log.Last(t.Context(), events.Filter{})
	require.NoError(t, err)
	for _, second := range [][]string{{"run", "edit"}, {"serve"}, {"bus"}, {"keys"}} {
		said := s.fails(1, second...)
		require.Contains(t, said, fmt.Sprintf("process %d", first.cmd.Process.Pid), second)
		require.Contains(t, said, s.data(""), second)
	}
	after, err := log.Last(t.Context(), events.Filter{})
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.Equal(t, first.cmd.Process.Pid, s.engine().PID, "the first is still the one that clients find")
	require.Contains(t, s.ok("ask", "list"), "nothing waits for you")
}

func TestPortInUseEndsServeAndMovesRun(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	holder, _ := s.serve()
	taken := strings.TrimPrefix(s.engine().Hooks, "http://")

	other := newSite(t, twoFiles)
	said := other.fails(1, "serve", "--listen", taken)
	require.Contains(t, said, "another program (or another slop) is already listening on "+taken)
	require.Contains(t, said, "--listen")
	require.NoFileExists(t, other.data("run.json"))
	require.Contains(t, other.fails(1, "run", "--listen", taken, "--script", other.script(twoEdits), "edit"),
		"listening on "+taken)
	require.Contains(t, other.fails(1, "serve", "--nats-listen", strings.TrimPrefix(s.engine().NATS, "nats://")),
		"address already in use")

	other.configure(strings.Replace(scriptConfig, "127.0.0.1:0", taken, 1))
	r := other.start("run", "--script", other.script(twoEdits), "edit")
	r.sees(prompt)
	require.NotEqual(t, "http://"+taken, other.engine().Hooks)
	require.Contains(t, other.ok("ask", "list"), "edit_file a.txt")
	holder.kill()
}

func TestDamagedDataFolderIsRefusedWithAnExplanationAndLeftAlone(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(t *testing.T, stream string){
		"meta of the stream is gone": func(t *testing.T, stream string) {
			require.NoError(t, os.Remove(filepath.Join(stream, "meta.inf")))
		},
		"a bit is flipped": func(t *testing.T, stream string) {
			block := filepath.Join(stream, "msgs", "1.blk")
			body, err := os.ReadFile(block)
			require.NoError(t, err)
			body[len(body)/2] ^= 1
			require.NoError(t, os.WriteFile(block, body, 0o600))
		},
		"the log is gone": func(t *testing.T, stream string) { require.NoError(t, os.RemoveAll(stream)) },
		"the record of its end is unreadable": func(t *testing.T, stream string) {
			require.NoError(t, os.WriteFile(filepath.Join(stream, "..", "..", "..", "..", "ends.json"), []byte("?"), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, twoFiles)
			s.ok("run", "--yes", "--script", s.script(twoEdits), "edit")
			harm(t, filepath.Join(s.data("bus"), "jetstream", "$G", "streams", bus.StreamEvents))
			blocks := blocksOf(t, s)
			for _, command := range [][]string{{"run", "edit"}, {"serve"}, {"sessions"}} {
				said := s.fails(1, command...)
				require.Contains(t, said, "the store on disk is damaged", command)
			}
			require.Equal(t, blocks, blocksOf(t, s), "nothing was deleted or made anew")
		})
	}
}

// blocksOf is every block of recorded messages below the data folder.
func blocksOf(t *testing.T, s *site) map[string]string {
	t.Helper()
	out := tree(t, s.data("bus"))
	for name := range out {
		if filepath.Ext(name) != ".blk" {
			delete(out, name)
		}
	}
	return out
}

func TestUnknownEventStallsTheSessionByNameAndReplaySkipsIt(t *testing.T) {
	t.Parallel()
	a := ask(t)
	e := a.engine()
	nc, refused := bustest.Stock(t, e.NATS, a.data("keys/person-"+person+".json"), person)
	subject := "slop.ev.project." + e.Session + "." + person + ".HorizonShifted.-"
	require.NoError(t, nc.Publish(subject,
		fmt.Appendf(nil, `{"specversion":"1.0","id":"x-1","source":%q,"type":"HorizonShifted","subject":%q,`+
			`"time":"2026-01-02T03:04:05Z","session":%q,"v":1,"data":{"by":3}}`, person, subject, e.Session)))
	require.NoError(t, nc.Flush())
	require.Empty(t, refused)

	require.Equal(t, 1, a.run.wait())
	a.run.warns("session " + e.Session + " is stalled: ")
	a.run.warns("HorizonShifted")
	a.run.warns("`slop run --resume --script ")
	require.Contains(t, a.ok("sessions"), "stalled")
	require.Contains(t, a.ok("replay", e.Session), "mma_status")
	verified := a.slop("replay", e.Session, "--verify")
	require.Equal(t, 4, verified.status, "decisions on an event that this program does not know cannot be checked")
	require.Contains(t, verified.out, "HorizonShifted")
	require.Contains(t, a.fails(1, "run", "--resume", "--script", a.script(twoEdits)), "HorizonShifted")
	log := historyOf(t, a.dir)
	require.Len(t, only[events.AskRaised](log), 1, "what was recorded is still there")
	require.Empty(t, only[events.SessionClosed](log))
	stalled := only[events.SessionStalled](log)
	require.Len(t, stalled, len(events.Deciders()), "each decider says so once, however often it starts")
	require.Contains(t, stalled[0].Reason, "HorizonShifted")
	require.Equal(t, "one\n", a.read("a.txt"))
}

func TestMalformedEventsOfAPersonAreSkipped(t *testing.T) {
	t.Parallel()
	a := ask(t)
	e := a.engine()
	nc, refused := bustest.Stock(t, e.NATS, a.data("keys/person-"+person+".json"), person)
	for _, typ := range []string{"GoalSubmitted.-", "PauseRequested.-", "RuleAdded.-", "SessionClosed.-",
		"KillRequested.-"} {
		for _, body := range []string{"", "no JSON", "{}", "[1,2", `{"specversion":"1.0"}`} {
			require.NoError(t, nc.Publish("slop.ev.project."+e.Session+"."+person+"."+typ, []byte(body)))
		}
	}
	require.NoError(t, nc.Flush())
	require.Empty(t, refused)
	a.run.types("y")
	a.run.sees("edit_file b.txt")
	a.run.sees(prompt)
	a.run.types("y")
	require.Zero(t, a.run.wait())
	require.Equal(t, "TWO\n", a.read("b.txt"))
	requireVerified(t, historyOf(t, a.dir))
}

func TestWhatIsOverALimitIsRefusedWithItsStatus(t *testing.T) {
	t.Parallel()
	a := ask(t)
	id := raised(t, a.log, 1).Corr
	e := a.engine()
	before, err := a.log.Last(t.Context(), events.Filter{Actor: person})
	require.NoError(t, err)
	long := func(n int) string { return strings.Repeat("x", n) }
	for name, refused := range map[string]struct{ path, body string }{
		"body": {"/api/goal", `{"goal":"` + long(1<<20) + `"}`},
		"goal": {"/api/goal", `{"goal":"` + long(events.MaxInline+1) + `"}`},
		"answer": {"/api/ask/respond", `{"request_id":"` + id + `","response":{"approved":true,"args":{"path":"` +
			long(256<<10) + `"}}}`},
	} {
		status, got := a.post(refused.path, refused.body)
		require.Equal(t, http.StatusRequestEntityTooLarge, status, "%s: %v", name, got)
		require.NotEmpty(t, got["hint"], name)
	}
	after, err := a.log.Last(t.Context(), events.Filter{Actor: person})
	require.NoError(t, err)
	require.Equal(t, before, after)

	nc, _ := bustest.Stock(t, e.NATS, a.data("keys/person-"+person+".json"), person)
	require.NoError(t, nc.Publish("slop.ev.project."+e.Session+"."+person+".AskAnswered.tool",
		[]byte(`{"ask":"`+id+`","decision":"yes","reason":"`+long(events.MaxEventBytes+8<<10)+`"}`)))
	require.NoError(t, nc.Flush())
	after, err = a.log.Last(t.Context(), events.Filter{Actor: person})
	require.NoError(t, err)
	require.Equal(t, before, after, "a message over the stream's limit is not stored")
	require.Equal(t, "one\n", a.read("a.txt"))
}

func TestFullDiskEndsTheEngineAndLosesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a.txt": "one\n", "big.txt": noise(60 << 10)})
	s.configure(strings.Replace(scriptConfig, "[bus]\n", "[bus]\nmax_bytes = 8388608\n", 1))
	fill(t, s.data(""), 2900<<10)
	s.ok("adopt", "--yes")
	replies := slices.Repeat([]string{calls("read_file", map[string]any{"path": "big.txt"})}, 36)
	script := s.script(onePlan(append(replies, says("DONE: done"))...))
	said := s.fails(1, "run", "--script", script, "fill it")
	require.Contains(t, said, "only the reserve of the disk budget is left")
	require.Contains(t, said, "slop sessions prune")
	require.NoFileExists(t, s.data("run.json"))

	log := historyOf(t, s.dir)
	require.NotEmpty(t, only[events.ToolSettled](log))
	require.Empty(t, only[events.GoalCompleted](log))
	s.configure(scriptConfig)
	s.ok("run", "--resume", "--script", script)
	after := historyOf(t, s.dir)
	require.NotEmpty(t, only[events.GoalCompleted](after))
	requireVerified(t, after)
	require.Equal(t, marshal(t, log), marshal(t, after[:len(log)]), "what was recorded is as it was")
}

// fill puts so many bytes of another project's events into a new store of the
// least size.
func fill(t *testing.T, data string, size int) {
	t.Helper()
	server, err := bus.Open(t.Context(), bus.Config{Dir: data, Durability: bus.Relaxed, MaxBytes: bus.MinBudget})
	require.NoError(t, err)
	conn, err := server.Connect(bus.Role{Kind: bus.Person, Name: person})
	require.NoError(t, err)
	text := noise(250 << 10)
	for i := range size / len(text) {
		e, err := events.New(events.Origin{ID: fmt.Sprint("filler-", i), Time: time.Unix(int64(i), 0), Project: "other",
			Session: "s1", Actor: person},
			events.GoalSubmitted{Goal: text})
		require.NoError(t, err)
		_, err = conn.Append(t.Context(), e, nil)
		require.NoError(t, err)
	}
	conn.Close()
	require.NoError(t, server.Close())
}

// noise is text that does not compress.
func noise(n int) string {
	b := make([]byte, n)
	x := uint64(1)
	for i := range b {
		x = x*6364136223846793005 + 1442695040888963407
		b[i] = 'a' + byte(x>>33%26)
		if i%100 == 99 {
			b[i] = '\n'
		}
	}
	return string(b)
}

func marshal(t *testing.T, log []events.Event) string {
	t.Helper()
	b, err := json.Marshal(log)
	require.NoError(t, err)
	return string(b)
}
