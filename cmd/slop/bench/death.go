package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"manualslop/bus"
	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/engine"
	"manualslop/events"
)

// deaths is how often the death of an orchestrator is measured.
const deaths = 5

// steadyTime is how long everything runs before the kill: just after the start of a server a lost process may still be
// reconnecting.
const steadyTime = 3 * time.Second

// silentProvider is the name of a provider that never answers.
const silentProvider = "silent"

// orchestratorDeath measures the time from the kill of an orchestrator in the middle of a model call to the next
// attempt on the log: by a second one that is running already, or by the killed one, restarted at once.
func (b *runner) orchestratorDeath(ctx context.Context, restarted bool) (Result, error) {
	r := Result{Name: "a killed orchestrator's model call is sent again", Durability: bus.Sync, Unit: "ms", Goal: 300}
	if restarted {
		r.Name = "the same, by the restarted orchestrator"
	}
	var took []float64
	for range deaths {
		one, err := b.oneDeath(ctx, restarted)
		if err != nil {
			return r, err
		}
		took = append(took, float64(one.Microseconds())/1e3)
	}
	r.Value, r.N = median(took), len(took)
	return r, nil
}

// silentServer is a provider that never answers. It reports which orchestrator sent the request.
func silentServer() (url string, sends <-chan string, stop func()) {
	out := make(chan string, 16)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		_, _ = io.Copy(io.Discard, r.Body) // or the server does not notice that the client is gone
		out <- name
		<-r.Context().Done()
	}))
	return s.URL, out, func() { s.CloseClientConnections(); s.Close() }
}

// oneDeath runs one orchestrator next to another, or alone, and kills the one that called the model.
func (b *runner) oneDeath(ctx context.Context, restarted bool) (time.Duration, error) {
	url, sends, stop := silentServer()
	defer stop()
	e, err := b.silentEngine(ctx)
	if err != nil {
		return 0, err
	}
	defer e.Close()
	names := []string{"one", "two"}
	if restarted {
		names = names[:1]
	}
	running := map[string]*exec.Cmd{}
	for _, name := range names {
		if running[name], err = b.orchestrator(e, name, url); err != nil {
			return 0, err
		}
	}
	feed, err := submitGoal(e)
	if err != nil {
		return 0, err
	}
	var killed *exec.Cmd
	select {
	case name := <-sends:
		killed = running[name]
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	select {
	case <-time.After(steadyTime):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	start := time.Now()
	if err := killed.Process.Kill(); err != nil {
		return 0, err
	}
	if restarted {
		if _, err := b.orchestrator(e, names[0], url); err != nil {
			return 0, err
		}
	}
	return secondAttempt(feed, start)
}

// secondAttempt returns the time from start to the second attempt at a model call on a log.
func secondAttempt(feed iter.Seq2[events.Event, error], start time.Time) (time.Duration, error) {
	attempts := 0
	for event, err := range feed {
		if err != nil {
			return 0, err
		}
		if event.Type == (events.ModelStarted{}).EventType().Name {
			attempts++
		}
		if attempts == 2 {
			return time.Since(start), nil
		}
	}
	return 0, errors.New("the log's feed ended")
}

// silentEngine returns a bus with a worker, for sessions whose models never answer.
func (b *runner) silentEngine(ctx context.Context) (*engine.Engine, error) {
	e, err := b.engine(ctx, bus.Sync, "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	for n := range e.Config.Tiers {
		e.Config.Tiers[n] = config.Tier{Provider: silentProvider, Model: "none"}
	}
	if err = e.WriteKeys(); err == nil {
		_, err = b.process("worker", "--project", e.Project, "--nats", e.Bus.Server.URL(),
			"--creds", filepath.Join(e.KeysDir(), "worker.json"), "--json", "-q")
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// submitGoal opens a session with a goal and returns the feed of its project.
func submitGoal(e *engine.Engine) (iter.Seq2[events.Event, error], error) {
	conn, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Person, Name: e.Person})
	if err != nil {
		return nil, err
	}
	v, err := engine.OpenSession(e.Ctx, conn, e.Place, nil, "", false)
	if err != nil {
		return nil, err
	}
	_, feed, err := conn.Watch(e.Ctx, events.Filter{Project: e.Name}, 1)
	if err != nil {
		return nil, err
	}
	_, _, err = v.Publish(e.Ctx, events.GoalSubmitted{Goal: "measure"})
	return feed, err
}

// orchestrator starts an orchestrator process.
func (b *runner) orchestrator(e *engine.Engine, name, url string) (*exec.Cmd, error) {
	path := filepath.Join(b.dir(), "config.toml")
	text := fmt.Sprintf("[providers.%s]\nkind = \"openai\"\nbase_url = \"%s/%s/v1\"\n", silentProvider, url, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return nil, err
	}
	return b.process("orchestrator", "--project", e.Project, "--nats", e.Bus.Server.URL(), "--creds",
		filepath.Join(e.KeysDir(), "orchestrator.json"),
		"--config", path, "--json", "-q")
}
