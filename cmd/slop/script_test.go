package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"manualslop/bus/bustest"
	"manualslop/cmd/slop/app/demo"
	"manualslop/tiers/llm/clitest"
)

// TestMain makes this test binary the command slop of all tests.
func TestMain(m *testing.M) {
	clitest.Play()
	bustest.Node()
	testscript.Main(racesFail{m}, map[string]func(){"slop": main, "mcpclient": mcpClient, "mcpsay": mcpSay,
		"mcpscenario": mcpScenario, "mcpsuite": mcpSuite, "mcpfork": mcpFork})
}

// TestScripts runs testdata/script. Beside the standard commands there are:
//
//	exits STATUS COMMAND…   the command must end with this status
//	until PATTERN COMMAND…  runs the command until a line of its output matches, then ends it
//	eventually PATTERN COMMAND…
//	                        runs the command again until its output matches
//	engine [FLAGS…]         runs slop serve until the script ends; sets HOOKS, NATS, TOKENS, SESSION
//	endengine               ends it before
//	post PATH JSON [later]  posts as the person to the engine's gateway; the answer is stdout, or nobody waits for it
//	sample DIR              writes the demo's project, and its script beside it as script.jsonl
//	fake KIND PATH SCRIPT   writes a fake of a provider's program that plays the script
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup:               setupScript,
		Cmds:                scriptCommands(),
	})
}

// scriptCommands are the commands that TestScripts names.
func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"exits": exitsCommand, "until": untilCommand, "eventually": eventuallyCommand, "engine": engineCommand,
		"endengine": endEngineCommand, "post": postCommand, "sample": sampleCommand, "fake": fakeCommand,
	}
}

// scriptConfig is the person's configuration in every script.
const scriptConfig = `[user]
name = "ada"
[bus]
durability = "relaxed"
[hooks]
listen = "127.0.0.1:0"
[mma]
spawn_approval = false
max_model_attempts = 3
`

// setupScript gives a script a home of its own, where the Go command still
// finds its cache.
func setupScript(env *testscript.Env) error {
	if test, ok := env.T().(testing.TB); ok {
		watched(test)
	}
	home := filepath.Join(env.WorkDir, ".home")
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return err
	}
	examples, err := filepath.Abs("../../docs/examples")
	if err != nil {
		return err
	}
	env.Values[engineKey{}] = &engineSlot{}
	config := filepath.Join(home, ".config")
	env.Vars = append(env.Vars, "HOME="+home, "XDG_CONFIG_HOME="+config, "XDG_STATE_HOME="+filepath.Join(home, ".local",
		"state"), "CONFIG="+filepath.Join(config, "slop"),
		"GOCACHE="+strings.TrimSpace(string(cache)), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOTOOLCHAIN=local", "LANG=C.UTF-8",
		"GORACE="+os.Getenv("GORACE"), "EXAMPLES="+examples, "PYTHONDONTWRITEBYTECODE=1")
	if err := os.MkdirAll(filepath.Join(config, "slop"), 0o700); err != nil {
		return err
	}
	// Scripts of models get a clean environment: they look for the cache at home.
	if err := os.MkdirAll(filepath.Join(home, ".cache"), 0o700); err != nil {
		return err
	}
	if err := os.Symlink(strings.TrimSpace(string(cache)), filepath.Join(home, ".cache", "go-build")); err != nil {
		return err
	}
	own := filepath.Join(config, "slop", "config.toml")
	if _, err := os.Stat(own); err == nil {
		return nil // the script brings its own
	}
	return os.WriteFile(own, []byte(scriptConfig), 0o600)
}

func exitsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%s: %v", args[1], err)
	}
	if got != want {
		ts.Fatalf("%s ended with status %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// started is a command at work in the script's folder and environment.
type started struct {
	cmd     *exec.Cmd
	lines   *bufio.Reader
	said    *lockedBuffer
	drained chan struct{} // nil while somebody reads lines
}

func start(ts *testscript.TestScript, name string, args ...string) *started {
	s := &started{cmd: exec.Command(name, args...), said: &lockedBuffer{}}
	path, err := exec.LookPath(name)
	ts.Check(err)
	s.cmd.Path = path
	s.cmd.Dir = ts.MkAbs(".")
	for _, key := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "PATH", "GOCACHE", "GOFLAGS", "GOPROXY",
		"GOTOOLCHAIN", "LANG", "TMPDIR", "GORACE"} {
		s.cmd.Env = append(s.cmd.Env, key+"="+ts.Getenv(key))
	}
	s.cmd.Stderr = s.said
	out, err := s.cmd.StdoutPipe()
	ts.Check(err)
	s.lines = bufio.NewReader(out)
	ts.Check(s.cmd.Start())
	ts.Defer(s.stop)
	return s
}

// stop asks the command to end and waits for it.
func (s *started) stop() {
	if s.cmd.ProcessState != nil {
		return
	}
	_ = s.cmd.Process.Signal(os.Interrupt)
	s.drain()
	<-s.drained
	_ = s.cmd.Wait()
}

// drain reads what nobody wants, so that the command is not held up.
func (s *started) drain() {
	if s.drained != nil {
		return
	}
	s.drained = make(chan struct{})
	go func() {
		defer close(s.drained)
		_, _ = io.Copy(io.Discard, s.lines)
	}()
}

func untilCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until PATTERN COMMAND…")
	}
	want, err := regexp.Compile(args[0])
	ts.Check(err)
	s := start(ts, args[1], args[2:]...)
	defer s.stop()
	for {
		line, err := s.lines.ReadString('\n')
		if want.MatchString(line) {
			_, err := io.WriteString(ts.Stdout(), line)
			ts.Check(err)
			return
		}
		if err != nil {
			ts.Fatalf("%s ended without a line that matches %q: %s", args[1], args[0], s.said)
		}
	}
}

func eventuallyCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: eventually PATTERN COMMAND…")
	}
	want, err := regexp.Compile(args[0])
	ts.Check(err)
	for began := time.Now(); time.Since(began) < patience; {
		if ts.Exec(args[1], args[2:]...) == nil && want.MatchString(ts.ReadFile("stdout")) {
			return
		}
	}
	ts.Fatalf("%s never wrote what matches %q", strings.Join(args[1:], " "), args[0])
}

// engineSlot holds a script's engine.
type engineSlot struct{ running *started }

// engineKey finds it.
type engineKey struct{}

func endEngineCommand(ts *testscript.TestScript, neg bool, args []string) {
	slot, ok := ts.Value(engineKey{}).(*engineSlot)
	if neg || len(args) > 0 || !ok || slot.running == nil {
		ts.Fatalf("usage: endengine, after engine")
	}
	slot.running.stop()
	slot.running = nil
}

func engineCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("unsupported: ! engine")
	}
	// On a free port, whatever the script's configuration says: scripts run beside each other.
	s := start(ts, "slop", append([]string{"serve", "--json", "--listen", "127.0.0.1:0"}, args...)...)
	line, err := s.lines.ReadBytes('\n')
	if err != nil {
		ts.Fatalf("slop serve ended before it was ready: %s", s.said)
	}
	var ready struct {
		Hooks, Tokens, Session string
		NATS                   *string
	}
	ts.Check(json.Unmarshal(line, &ready))
	ts.Setenv("HOOKS", ready.Hooks)
	ts.Setenv("TOKENS", ready.Tokens)
	ts.Setenv("SESSION", ready.Session)
	if ready.NATS != nil {
		ts.Setenv("NATS", *ready.NATS)
	}
	s.drain()
	if slot, ok := ts.Value(engineKey{}).(*engineSlot); ok {
		slot.running = s
	}
}

func postCommand(ts *testscript.TestScript, neg bool, args []string) {
	later := len(args) == 3 && args[2] == "later"
	if len(args) != 2 && !later {
		ts.Fatalf("usage: post PATH JSON [later]")
	}
	token, err := os.ReadFile(filepath.Join(ts.Getenv("TOKENS"), "human.token"))
	ts.Check(err)
	ctx, cancel := context.WithCancel(context.Background())
	ts.Defer(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, ts.Getenv("HOOKS")+args[0], strings.NewReader(args[1]))
	ts.Check(err)
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	req.Header.Set("Content-Type", "application/json")
	if later {
		go func() {
			if res, err := http.DefaultClient.Do(req); err == nil {
				res.Body.Close()
			}
		}()
		return
	}
	res, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer res.Body.Close()
	_, err = io.Copy(ts.Stdout(), res.Body)
	ts.Check(err)
	if refused := res.StatusCode >= http.StatusBadRequest; refused != neg {
		ts.Fatalf("post %s: status %d", args[0], res.StatusCode)
	}
}

func sampleCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sample DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(demo.Extract(dir))
	ts.Check(os.WriteFile(filepath.Join(filepath.Dir(dir), "script.jsonl"), demo.Script(), 0o600))
}

func fakeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: fake KIND PATH SCRIPT")
	}
	ts.Check(clitest.Install(ts.MkAbs(args[1]), args[0], ts.MkAbs(args[2]), ""))
}
