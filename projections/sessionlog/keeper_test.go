package sessionlog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/projections/live"
	"manualslop/projections/sessionlog"
)

// facts folds events of one session.
func facts(t *testing.T, payloads ...events.Payload) *sessionlog.Facts {
	t.Helper()
	f, by := &sessionlog.Facts{}, tell(t)
	for _, p := range append([]events.Payload{opened()}, payloads...) {
		def, ok := events.Catalogue().Lookup(p.EventType().Name)
		require.True(t, ok)
		actor := strings.Split(def.Writer, ", ")[0]
		if somebody, role := map[string]string{"person": "ada", "worker": "worker-1",
			"any decider": events.ActorConductor}[actor]; role {
			actor = somebody
		}
		e := by.event(actor, p)
		f.Apply(events.Catalogue(), &e)
	}
	return f
}

func messages(n int) []events.Payload {
	out := make([]events.Payload, n)
	for i := range out {
		out[i] = events.ModelReplied{Request: "E", Text: "fine", Finish: "stop"}
	}
	return out
}

func TestWhatIsKeptWithoutAStar(t *testing.T) {
	t.Parallel()
	require.Empty(t, facts(t, messages(10)...).Kept())
	require.Equal(t, "11 messages", facts(t, messages(11)...).Kept())
	for _, word := range []string{"ERROR", "WARNING", "EXCEPTION"} {
		require.Equal(t, "contains "+word, facts(t, events.ModelReplied{Request: "E", Text: "an " + word + " came"}).Kept())
	}
	require.Empty(t, facts(t, events.ModelReplied{Request: "E", Text: "an error came"}).Kept(), "as in source code")
	require.Equal(t, "1 errors", facts(t, events.ToolSettled{Call: "c", Outcome: events.ToolFailed}).Kept())
	require.Equal(t, "has TrackStarted", facts(t, events.TrackStarted{Goal: "g"}).Kept())
	require.Equal(t, "starred", facts(t, events.SessionStarred{On: true}).Kept())
	require.Empty(t, facts(t, events.SessionStarred{On: true}, events.SessionStarred{}).Kept())
	require.Equal(t, "restored", facts(t, events.LogsPruned{}, events.LogsRestored{}).Kept())
}

func TestWhatIsPrunedAndWhen(t *testing.T) {
	t.Parallel()
	closed := events.SessionClosed{Reason: "done"}
	over := func(f *sessionlog.Facts, more time.Duration) string {
		if f.Closed == nil {
			return f.Prunable(at(9).Add(1000 * time.Hour))
		}
		return f.Prunable(f.Closed.Add(sessionlog.PruneAge + more))
	}
	require.Equal(t, "no messages were exchanged with a model", over(facts(t, closed), 1))
	require.Empty(t, over(facts(t, closed), 0), "a day is not more than a day")
	require.Empty(t, over(facts(t), 1), "open sessions stay")
	require.Empty(t, over(facts(t, events.SessionStarred{On: true}, closed), 1))
	require.Empty(t, over(facts(t, closed, events.LogsPruned{}), 1), "once is enough")
	reply := events.ModelReplied{Request: "E", Text: "short", Finish: "stop"}
	small := facts(t, reply, closed)
	require.Equal(t, "under 2048 bytes", over(small, 1))
	fill := int(sessionlog.PruneSize - small.Size)
	reply.Text += strings.Repeat("x", fill-1)
	require.Equal(t, "under 2048 bytes", over(facts(t, reply, closed), 1))
	reply.Text += "x"
	require.Empty(t, over(facts(t, reply, closed), 1), "2048 bytes are not under 2048")
}

// household is a stage with sessions that were over for two days, and the parts that keep its logs.
type household struct {
	*stage
	live *live.Live
}

func keep(t *testing.T, sessions int) *household {
	t.Helper()
	s := newStage(t)
	for i := range sessions {
		by := tell(t)
		by.session, by.n = fmt.Sprintf("S%d", i+1), 10*i
		s.add(by.event("ada", events.SessionOpened{Folder: fmt.Sprintf("2026010%d_000000", i+1)}))
		s.add(by.event("ada", events.SessionClosed{Reason: "done"}))
	}
	l, err := live.Open(patient(t), s.log, project, live.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return &household{s, l}
}

// run starts writer and keeper until the test ends.
func (h *household) run() {
	h.t.Helper()
	ctx, cancel := context.WithCancel(patient(h.t))
	w := h.writer()
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx, h.live) }()
	h.t.Cleanup(func() {
		cancel()
		require.NoError(h.t, <-ended)
	})
	h.keeper(h.live, nil)
}

// keeper starts a keeper until the test ends. Before it prunes, it calls chosen.
func (h *household) keeper(source sessionlog.Source, chosen func()) {
	h.t.Helper()
	startKeeper(h.t, h.log, h.dir, source, chosen)
}

func startKeeper(t testing.TB, log events.Log, dir string, source sessionlog.Source, chosen func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(patient(t))
	n := 0
	keeper := &sessionlog.Keeper{Log: log, Registry: events.Catalogue(), Project: project, Dir: dir,
		Encode: func(v any) ([]byte, error) { return json.MarshalIndent(v, "", " ") },
		Clock: func() time.Time {
			if chosen != nil {
				chosen()
			}
			return at(59).Add(48 * time.Hour)
		},
		NewID: func() string { n++; return fmt.Sprintf("PRUNE%d", n) }}
	ended := make(chan error, 1)
	go func() { ended <- keeper.Run(ctx, source) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
}

func TestGatewayMayPruneOnARealBus(t *testing.T) {
	t.Parallel()
	server := bustest.Open(t)
	person := bustest.Connect(t, server, bus.Role{Kind: bus.Person, Name: "ada"})
	gateway := bustest.Connect(t, server, bus.Role{Kind: bus.Gateway})
	for n := range 3 {
		by := tell(t)
		by.session, by.n = fmt.Sprintf("S%d", n), 10*n
		for _, p := range []events.Payload{events.SessionOpened{Folder: by.session}, events.SessionClosed{Reason: "done"}} {
			_, err := person.Append(patient(t), by.event("ada", p), nil)
			require.NoError(t, err)
		}
	}
	l, err := live.Open(patient(t), gateway, project, live.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	startKeeper(t, gateway, t.TempDir(), l, nil)
	pruned := eventstest.Expect(t, gateway, events.Filter{Project: project, Type: "LogsPruned"}, "LogsPruned",
		"LogsPruned")
	require.Equal(t, []string{"S0", "S1"}, []string{pruned[0].Session, pruned[1].Session})
}

func (h *household) folder(n int) string {
	return filepath.Join(h.dir, sessionlog.Base, fmt.Sprintf("2026010%d_000000", n))
}

// registry is the registry file.
func (h *household) registry() map[string]sessionlog.Row {
	raw, err := os.ReadFile(filepath.Join(h.dir, sessionlog.RegistryFile))
	rows := map[string]sessionlog.Row{}
	if err == nil {
		_ = json.Unmarshal(raw, &rows)
	}
	return rows
}

func (h *household) until(what string, holds func() bool) {
	h.t.Helper()
	require.Eventually(h.t, holds, eventstest.Patience, 2*time.Millisecond, what)
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func TestWhatIsNotWorthKeepingIsPrunedAtTheStartAndStaysAway(t *testing.T) {
	t.Parallel()
	h := keep(t, 4)
	by := tell(t)
	by.session, by.n = "S2", 100
	h.add(by.event("ada", events.SessionStarred{On: true}))
	require.NoError(t, h.writer().Rebuild(patient(t), "S3"))
	note := filepath.Join(h.folder(3), "notes.txt")
	require.NoError(t, os.WriteFile(note, []byte("mine"), 0o600))
	h.run()
	h.until("the others are there", func() bool { return exists(h.folder(2)) && exists(h.folder(4)) })
	h.until("the first is pruned", func() bool { return h.registry()["20260101_000000"].Pruned && !exists(h.folder(1)) })
	require.True(t, exists(note))
	rows := h.registry()
	require.Equal(t, "starred", rows["20260102_000000"].Reason)
	require.False(t, rows["20260103_000000"].Pruned, "something else is in it")
	require.False(t, rows["20260104_000000"].Pruned, "the newest one")
	require.Equal(t, "logs/sessions/20260101_000000", rows["20260101_000000"].Path)

	require.NoError(t, h.writer().Rebuild(patient(t), "S1"))
	require.False(t, exists(h.folder(1)), "a rebuild does not bring it back")
	by.session = "S1"
	h.add(by.event("ada", events.LogsRestored{}))
	h.until("it is taken back", func() bool {
		return exists(filepath.Join(h.folder(1), ".complete")) && h.registry()["20260101_000000"].Reason == "restored"
	})
	require.Equal(t, h.rendered("S1"), only(h.files(), "20260101_000000"))
}

// lagging is a source that has not taken the newest events of the log yet.
type lagging struct {
	*live.Live
	position uint64
}

func (l lagging) Position() uint64 { return l.position }

func TestSessionStarredBehindThePositionOfTheReadModelsIsNotPruned(t *testing.T) {
	t.Parallel()
	h := keep(t, 3)
	l := lagging{h.live, h.live.Position()}
	by := tell(t)
	by.session, by.n = "S2", 100
	star := h.add(by.event("ada", events.SessionStarred{On: true}))
	require.NoError(t, h.live.WaitFor(patient(t), star.Seq))
	h.keeper(l, nil)
	h.until("the first is pruned", func() bool { return h.registry()["20260101_000000"].Pruned })
	require.Equal(t, []string{"S1"}, h.pruned(), "S2 is starred on the log")
}

func TestSessionStarredWhileSessionsArePrunedIsKept(t *testing.T) {
	t.Parallel()
	h := keep(t, 3)
	h.keeper(h.live, func() {
		by := tell(t)
		by.session, by.n = "S1", 100
		h.add(by.event("ada", events.SessionStarred{On: true}))
	})
	h.until("the second is pruned", func() bool { return h.registry()["20260102_000000"].Pruned })
	require.Equal(t, []string{"S2"}, h.pruned(), "S1 was starred after it was chosen")
}

// pruned lists the sessions whose logs were pruned.
func (h *household) pruned() []string {
	h.t.Helper()
	var out []string
	for _, e := range eventstest.All(h.t, h.log, events.Filter{Project: project, Type: "LogsPruned"}) {
		out = append(out, e.Session)
	}
	return out
}

func only(files map[string]string, part string) map[string]string {
	out := map[string]string{}
	for name, content := range files {
		if strings.Contains(name, part) {
			out[name] = content
		}
	}
	return out
}

func TestPruningLeavesLinksAndForeignFiles(t *testing.T) {
	t.Parallel()
	h := keep(t, 2)
	outside := filepath.Join(h.dir, "src")
	require.NoError(t, os.MkdirAll(outside, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(outside, sessionlog.Comms), []byte("mine"), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Dir(h.folder(1)), 0o700))
	require.NoError(t, os.Symlink("../../src", h.folder(1)))
	by := tell(t)
	by.session, by.n = "S1", 100
	e := h.add(by.event(events.ActorGateway, events.LogsPruned{Reason: "test"}))
	require.ErrorIs(t, h.writer().Take(patient(t), &e), sessionlog.ErrFolder)
	require.FileExists(t, filepath.Join(outside, sessionlog.Comms))
	require.NoError(t, os.Remove(h.folder(1)))

	require.NoError(t, h.writer().Rebuild(patient(t), "S2"))
	note := filepath.Join(h.folder(2), "outputs", "mine.txt")
	require.NoError(t, os.WriteFile(note, []byte("mine"), 0o600))
	by.session = "S2"
	e = h.add(by.event(events.ActorGateway, events.LogsPruned{Reason: "test"}))
	require.NoError(t, h.writer().Take(patient(t), &e))
	require.FileExists(t, note)
	require.False(t, exists(filepath.Join(h.folder(2), sessionlog.Comms)))
}

func TestAPruneThatTheGatewayDidNotSayDoesNotCount(t *testing.T) {
	t.Parallel()
	h := keep(t, 1)
	by := tell(t)
	by.session, by.n = "S1", 100
	e := h.add(by.event("ada", events.LogsPruned{Reason: "forged"}))
	require.NoError(t, h.writer().Take(patient(t), &e))
	require.True(t, exists(h.folder(1)))
}

func TestTheRegistryFollowsStarsAndComesBackWhenItIsDeleted(t *testing.T) {
	t.Parallel()
	h := keep(t, 1)
	h.run()
	h.until("it is written", func() bool { return len(h.registry()) == 1 })
	require.NoError(t, os.Remove(filepath.Join(h.dir, sessionlog.RegistryFile)))
	by := tell(t)
	by.session, by.n = "S1", 100
	h.add(by.event("ada", events.SessionStarred{On: true}))
	h.until("it shows the star", func() bool { return h.registry()["20260101_000000"].Starred })
	require.Len(t, eventstest.All(t, h.log, events.Filter{Project: project, Type: "LogsPruned"}), 0)
}
