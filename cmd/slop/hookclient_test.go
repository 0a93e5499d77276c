package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/hookgw/hookclient"
)

// caller calls methods of the client, by name, on a real engine.
type caller struct {
	t      *testing.T
	client *hookclient.Client
	called map[string]bool
}

// call calls a method that must succeed and reads what it gives into out.
func (c *caller) call(out any, name string, args ...string) {
	c.t.Helper()
	c.called[name] = true
	m, ok := hookclient.FindMethod(name)
	require.True(c.t, ok, name)
	got, err := m.Call(c.t.Context(), c.client, args)
	require.NoError(c.t, err, "%s %q", name, args)
	raw, err := json.Marshal(got)
	require.NoError(c.t, err)
	if out != nil {
		require.NoError(c.t, json.Unmarshal(raw, out), "%s gave %s", name, raw)
	}
}

// object is like call for a method that gives an object.
func (c *caller) object(name string, args ...string) map[string]any {
	c.t.Helper()
	var out map[string]any
	c.call(&out, name, args...)
	return out
}

// later calls a method that waits; what it gives comes on the channel.
func (c *caller) later(name string, args ...string) <-chan string {
	c.t.Helper()
	c.called[name] = true
	m, ok := hookclient.FindMethod(name)
	require.True(c.t, ok, name)
	out := make(chan string, 1)
	go func() {
		got, err := m.Call(c.t.Context(), c.client, args)
		raw, _ := json.Marshal(got)
		if err != nil {
			raw = []byte(err.Error())
		}
		out <- string(raw)
	}()
	return out
}

// soon waits for what a waiting method gives.
func (c *caller) soon(from <-chan string) string {
	c.t.Helper()
	select {
	case got := <-from:
		return got
	case <-time.After(patience):
		c.t.Fatal("the method does not end")
		return ""
	}
}

// ask is the oldest pending ask, once there is one.
func (c *caller) ask() hookclient.Ask {
	c.t.Helper()
	var asks []hookclient.Ask
	require.Eventually(c.t, func() bool {
		c.call(&asks, "get_asks", "pending")
		return len(asks) > 0
	}, patience, 20*time.Millisecond)
	return asks[0]
}

func TestEveryMethodOfTheClientWorksOnARealEngine(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n", "other.toml": "[project]\nname = \"other\"\n"})
	_, _ = s.serve("--script", s.script(onePlan(edits("a.txt", "one", "ONE"), says("DONE: edited"))+
		`{"tier":3,"contains":"say hello","reply":{"text":"DONE: hello"}}`+"\n"+
		`{"tier":3,"contains":"say goodbye","reply":{"text":"DONE: goodbye"}}`+"\n"+
		`{"tier":3,"contains":"change b","reply":`+edits("b.txt", "one", "TWO")+`}`+"\n"))
	e := s.engine()
	client, err := hookclient.New(hookclient.Options{BaseURL: e.Hooks, TokenFile: filepath.Join(e.Tokens, "human.token"),
		Reader: "test"})
	require.NoError(t, err)
	t.Cleanup(client.Close)
	c := &caller{t: t, client: client, called: map[string]bool{}}

	c.startsUp()
	c.drivesTheGUI()
	c.readsAndWritesTheProject()
	c.asksThePerson()
	c.runsAnEpic(s)
	c.steersWorkers(s)
	c.readsState()
	c.ends(s)
	for _, m := range hookclient.Methods() {
		require.True(t, c.called[m.Name], "no test calls %s", m.Name)
	}
}

func (c *caller) startsUp() {
	c.call(nil, "wait_for_server", "10")
	require.Equal(c.t, "ok", c.object("get_status")["status"])
	require.Equal(c.t, "ok", c.object("get_health")["status"])
	require.Equal(c.t, true, c.object("get_warmup_wait", "30")["done"])
	require.Empty(c.t, c.object("get_warmup_status")["failed"])
	var canaries []map[string]any
	c.call(&canaries, "get_warmup_canaries")
	require.NotEmpty(c.t, canaries)
	require.Equal(c.t, true, c.object("get_gui_health")["healthy"])
	c.call(nil, "post_performance", `{"fps": 60}`)
	require.EqualValues(c.t, 60, c.object("get_performance")["fps"])
	require.NotEmpty(c.t, c.object("get_system_telemetry")["version"])
}

func (c *caller) drivesTheGUI() {
	c.call(nil, "get_events")
	c.call(nil, "set_value", "ai_input", "hello")
	c.call(nil, "wait_for_value", "ai_input", "hello", "10")
	var text string
	c.call(&text, "get_value", "ai_input")
	require.Equal(c.t, "hello", text)
	c.call(&text, "get_text_value", "mma_step_mode")
	require.Equal(c.t, "false", text)
	c.call(nil, "push_event", "greeting", `{"n": 1}`)
	require.Equal(c.t, map[string]any{"n": 1.0}, c.object("wait_for_event", "greeting", "10")["payload"])
	c.call(nil, "select_tab", "main_tabs", "mma")
	c.call(nil, "select_list_item", "tracks", "TR-1")
	require.NotEmpty(c.t, c.object("get_gui")["buttons"])
	c.call(nil, "post_gui", `{"action": "set_value", "item": "ai_input", "value": "bye"}`)
	require.Equal(c.t, "bye", c.object("get_gui_state")["ai_input"])
	c.call(nil, "custom_callback", "no_such_callback")
	require.Contains(c.t, c.object("wait_for_event", "gui_task_failed", "10")["payload"], "error")
}

func (c *caller) readsAndWritesTheProject() {
	c.call(nil, "post_project",
		`{"project": {"name": "mine", "git_dir": "", "system_prompt": "be brief", "main_context": ""}}`)
	require.Equal(c.t, "mine", c.object("get_project")["project"].(map[string]any)["name"])
	c.call(nil, "switch_project", "other.toml", "true")
	require.Empty(c.t, c.object("wait_for_project_switch", "30")["error"])
	require.Equal(c.t, "other", c.object("get_project")["project"].(map[string]any)["name"])
	require.Equal(c.t, false, c.object("get_project_switch_status")["in_progress"])
	c.call(nil, "load_project")
	c.call(nil, "save_project", "saved.toml")
	c.call(nil, "save_project", "", "true")
	c.call(nil, "post_session", `[{"role": "User", "content": "hi"}]`)
	require.Equal(c.t, []any{map[string]any{"role": "User", "content": "hi"}}, c.object("get_session")["entries"])
	require.NotEmpty(c.t, c.object("inject_context", "b.txt", "full")["sha256"])
	require.Equal(c.t, 1.0,
		c.object("add_slice", `{"path": "b.txt", "start_line": 1, "end_line": 1}`)["slice"].(map[string]any)["start_line"])
	require.NotEmpty(c.t, c.object("get_context_state")["injected"])
	require.Contains(c.t, c.object("get_context_preview", "And now?")["markdown"], "And now?")
	position := fmt.Sprint(int(c.object("get_curation")["position"].(float64)))
	undone := c.object("undo_curation", position)
	require.Equal(c.t, "changed files", undone["step"].(map[string]any)["what"])
	require.Equal(c.t, undone["step"], c.object("redo_curation")["step"])
}

func (c *caller) asksThePerson() {
	waiting := c.later("request_confirmation", "deploy", `{"to": "staging"}`)
	c.call(nil, "respond_to_ask", c.ask().RequestID, `{"approved": true}`)
	require.JSONEq(c.t, `{"approved": true}`, c.soon(waiting))
	waiting = c.later("post_ask", `{"question": "blue?"}`)
	c.call(nil, "respond_to_ask", c.ask().RequestID, "navy")
	require.Equal(c.t, `"navy"`, c.soon(waiting))
}

func (c *caller) runsAnEpic(s *site) {
	c.call(nil, "click", "btn_mma_resume")
	var goal string
	c.call(&goal, "post_goal", "edit a")
	require.NotEmpty(c.t, goal)
	var waiting []hookclient.PendingAction
	require.Eventually(c.t, func() bool {
		c.call(&waiting, "get_pending_actions")
		return len(waiting) > 0
	}, patience, 20*time.Millisecond)
	require.Equal(c.t, "edit_file", waiting[0].Tool)
	other := c.object("preview_ask", waiting[0].ActionID, `{"path":"a.txt","old_string":"one","new_string":"uno"}`)
	require.Contains(c.t, other["diff"], "-one\n+uno\n")
	require.NotContains(c.t, other, "error")
	require.Equal(c.t, "one\n", s.read("a.txt"), "a preview changes nothing")
	var status string
	c.call(&status, "get_node_status", "T-001")
	require.Equal(c.t, "in_progress", status)
	c.call(nil, "confirm_action", waiting[0].ActionID, "true", "go on")
	c.call(nil, "wait_for_value", "mma_status", "done", "60")
	require.Equal(c.t, "ONE\n", s.read("a.txt"))
	require.Equal(c.t, "restored", c.object("undo", `{"ticket": "T-001"}`)["status"])
	require.Equal(c.t, "one\n", s.read("a.txt"))
	c.call(nil, "raise_budget", "2500000")
	c.call(nil, "raise_budget", "1500000", "T-001")
	c.call(nil, "request_patch", waiting[0].ActionID) // no call that failed: PatchSkipped says so
}

func (c *caller) steersWorkers(s *site) {
	require.Equal(c.t, "DONE: hello", c.object("generate", "say hello")["text"])
	c.call(nil, "pause_mma_pipeline")
	ticket, ok := c.object("spawn_mma_worker", "say goodbye", "b.txt")["ticket"].(string)
	require.True(c.t, ok)
	c.call(nil, "mutate_mma_dag", `{"op": "set_priority", "ticket": "`+ticket+`", "priority": "high"}`)
	c.call(nil, "note_mma_ticket", ticket, "say it in English")
	c.call(nil, "resume_mma_pipeline")
	c.call(nil, "wait_for_value", ticket, "completed", "60")
	doomed, ok := c.object("spawn_mma_worker", "change b")["ticket"].(string)
	require.True(c.t, ok)
	require.Equal(c.t, doomed, c.ask().Ticket)
	require.NotEmpty(c.t, c.object("get_mma_workers")["active"])
	c.call(nil, "kill_mma_worker", doomed)
	c.call(nil, "wait_for_value", doomed, "blocked", "60")
	require.Equal(c.t, "one\n", s.read("b.txt"))
}

func (c *caller) readsState() {
	require.NotEmpty(c.t, c.object("get_mma_status")["mma_streams"])
	require.Equal(c.t, map[string]any{"thinking": false, "live": false, "prior": false}, c.object("get_gui_diagnostics"))
	var shown bool
	c.call(&shown, "get_indicator_state", "thinking_indicator")
	require.False(c.t, shown)
	require.NotEmpty(c.t, c.object("get_token_stats")["messages"])
	require.NotEmpty(c.t, c.object("get_timeline", "1")["rows"])
	require.NotEmpty(c.t, c.object("get_financial_metrics")["tracks"])
}

func (c *caller) ends(s *site) {
	c.call(nil, "reset_session")
	require.Equal(c.t, "idle", c.object("get_mma_status")["mma_status"])
	require.Equal(c.t, "engine", c.object("shutdown", "enough")["stops"])
	require.Eventually(c.t, func() bool {
		_, err := os.Stat(s.data("run.json"))
		return os.IsNotExist(err)
	}, patience, 20*time.Millisecond)
}
