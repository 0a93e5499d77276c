package hookgw_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/projections"
)

// GUIPage is what GET /api/gui tells beside fields and buttons.
type GUIPage struct {
	Tabs  map[string]string
	Lists map[string]json.RawMessage
	Tasks []projections.GUITaskRow
}

func (f *fixture) page(t *testing.T) GUIPage {
	t.Helper()
	var out GUIPage
	require.NoError(t, json.Unmarshal(f.get("/api/gui", access.RightRead).body, &out))
	return out
}

func TestEverySpellingOfATaskIsUnderstood(t *testing.T) {
	t.Parallel()
	for task, c := range map[string]struct{ tag, want string }{
		`{"action":"set_value","item":"ai_input","value":"x"}`:                          {"ai_input", `"x"`},
		`{"action":"set_value","field":"ai_input","value":"x"}`:                         {"ai_input", `"x"`},
		`{"action":"set_value","tag":"ai_input","value":"x"}`:                           {"ai_input", `"x"`},
		`{"type":"set_value","item":"ai_input","value":"x"}`:                            {"ai_input", `"x"`},
		`{ "value" : "x", "item" : "ui_ai_input", "action" : "set_value", "more": [] }`: {"ai_input", `"x"`},
		`{"action":"select_tab","tab_bar":"main_tabs","tab":"MMA"}`:                     {"main_tabs", `"MMA"`},
		`{"action":"select_tab","item":"main_tabs","value":"MMA"}`:                      {"main_tabs", `"MMA"`},
		`{"action":"select_list_item","listbox":"files","item_value":"a.go"}`:           {"files", `"a.go"`},
		`{"action":"select_list_item","item":"files","value":7}`:                        {"files", `7`},
	} {
		f := open(t)
		require.Equal(t, map[bool]string{true: `""`, false: `null`}[c.tag == "ai_input"], f.value(t, c.tag))
		f.queue(t, task)
		require.Empty(t, f.failures(), task)
		require.JSONEq(t, c.want, f.value(t, c.tag), task)
		require.Len(t, recorded[events.GUITaskQueued](f), 1)
		require.JSONEq(t, task, string(recorded[events.GUITaskQueued](f)[0].Task), "as it came")
	}
}

func TestAValueIsReadInEveryWay(t *testing.T) {
	t.Parallel()
	f := newTeam(t)
	f.queue(t, `{"action":"set_value","item":"ai_input","value":"x"}`)
	for path, want := range map[string]string{
		"/api/gui/value/ai_input": `"x"`, "/api/gui/value?tag=ai_input": `"x"`, "/api/gui/value?item=ai_input": `"x"`,
		"/api/gui/value?field=ui_ai_input": `"x"`,
		"/api/gui/value/nothing":           `null`, "/api/gui/value/T-1": `"in_progress"`,
		"/api/gui/value/node_T-2": `"todo"`, "/api/gui/value/node_T-9": `null`, "/api/gui/value/node_": `null`,
		"/api/gui/value/ai%5Finput": `"x"`, "/api/gui/value/current_provider": `"script"`, "/api/gui/value/" +
			strings.Repeat("x", events.MaxIDLength): `null`,
	} {
		a := f.get(path, access.RightRead)
		require.Equal(t, http.StatusOK, a.status, path)
		require.Equal(t, `{"value":`+want+`}`+"\n", string(a.body), path)
	}
	for path, want := range map[string]int{
		"/api/gui/value": http.StatusBadRequest, "/api/gui/value?tag=": http.StatusBadRequest,
		"/api/gui/value/": http.StatusNotFound, "/api/gui/value/a/b": http.StatusNotFound,
		"/api/gui/value/" + strings.Repeat("x", events.MaxIDLength+1): http.StatusBadRequest,
		"/api/gui/value/x?session=none":                               http.StatusNotFound,
	} {
		require.Equal(t, want, f.get(path, access.RightRead).status, path)
	}
}

func TestAPushedEventAppearsInTheQueue(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, task := range []string{
		`{"action":"push_event","event_type":"note","payload":{"n":1}}`,
		`{"action":"push_event","event":"note","data":{"n":2}}`, `{"action":"note","payload":{"n":3}}`,
		`{"action":"push_event","item":"note","value":{"n":4}}`,
	} {
		f.queue(t, task)
	}
	f.queue(t, `{"action":"push_event","event_type":"bare"}`)
	a := f.get("/api/events", access.RightHuman)
	got := entriesOf(t, a, "note")
	require.Len(t, got, 4)
	for i, payload := range got {
		require.Equal(t, map[string]any{"n": float64(i + 1)}, payload)
	}
	require.Contains(t, string(a.body), `"type":"bare"`)
	require.Empty(t, f.failures())
	require.Empty(t, entriesOf(t, f.get("/api/events", access.RightHuman), "note"), "drained")
	f.requireFailed(t, 0, `{"action":"push_event","payload":{}}`)
	f.requireFailed(t, 1, `{"action":"push_event","event_type":7}`)
}

func TestTasksThatAreOnlyRecordedChangeNothing(t *testing.T) {
	t.Parallel()
	f := open(t)
	before := string(f.get("/api/gui/state", access.RightRead).body)
	tasks := []string{
		`{}`, `{"anything":[1,{"a":null}]}`, `{"type":"ask","request_id":"r1","data":{"tool":"x"}}`,
		`{"action":"clear_ask","request_id":"r1"}`, `{"action":"clear_ask"}`,
		`{"action":"handle_ai_response","payload":{"text":"hi","stream_id":"Tier 1","status":"done"}}`,
		`{"type":"mma_state_update"}`, `{"type":"mma_spawn_approval","payload":{}}`,
	}
	for _, task := range tasks {
		f.queue(t, task)
	}
	require.Empty(t, f.failures())
	require.Len(t, recorded[events.GUITaskQueued](f), len(tasks))
	require.Len(t, f.page(t).Tasks, len(tasks))
	require.JSONEq(t, before, string(f.get("/api/gui/state", access.RightRead).body))
	require.Empty(t, f.get("/api/asks?state=all", access.RightRead).object(t)["asks"],
		"a task of the type ask asks nobody")
}

func TestHostileTasksAreQueuedAndFailVisibly(t *testing.T) {
	t.Parallel()
	f := open(t)
	before := string(f.get("/api/gui/state", access.RightRead).body)
	long := strings.Repeat("x", events.MaxIDLength+1)
	for i, task := range []string{
		`{"action":"explode"}`, `{"action":""}` + "", `{"action":7}`, `{"action":null}`, `{"action":["click"]}`,
		`{"action":{"a":1}}`, `{"action":"` + long + `"}`, `{"action":"` + long + `","payload":{}}`,
		`{"action":"set_value"}`, `{"action":"set_value","item":null,"value":1}`, `{"action":"set_value","item":7,"value":1}`,
		`{"action":"set_value","item":"","value":1}`, `{"action":"set_value","item":"` + long + `","value":1}`,
		`{"action":"set_value","item":"` + strings.Repeat("x", 300_000) + `","value":1}`,
		`{"action":"set_value","item":"__class__","value":"x"}`, `{"action":"set_value","item":"../ai_input","value":"x"}`,
		`{"action":"set_value","item":"ai_input\u0000","value":"x"}`,
		`{"action":"SET_VALUE","item":"ai_input","value":"x"}`,
		`{"Action":"set_value","action":"x","item":"ai_input","value":"x"}`,
		`{"action":"click"}`, `{"action":"click","item":"` + long + `"}`, `{"action":"click","item":["btn_mma_pause"]}`,
		`{"action":"click","item":"btn_mma_pause\n"}`, `{"action":"custom_callback","callback":"__import__"}`,
		`{"action":"custom_callback"}`,
		`{"action":"select_tab","tab_bar":"a"}`, `{"action":"select_tab","tab_bar":"a","tab":null}`,
		`{"action":"select_tab","tab_bar":"a","tab":7}`, `{"action":"select_tab","tab_bar":"a","tab":"` + long + `"}`,
		`{"action":"select_list_item","listbox":"a"}`, `{"action":"select_list_item","listbox":"a","item_value":"` +
			strings.Repeat("x", projections.MaxGUISelected-1) + `"}`,
		`{"action":"set_value","item":"ai_input","value":` + strings.Repeat("[", 60) + strings.Repeat("]", 60) + `}`,
	} {
		if task == `{"action":""}` {
			f.queue(t, task) // names no action: a raw task
			f.queue(t, `{"action":"nothing"}`)
			continue
		}
		got := f.requireFailed(t, i, task)
		require.NotEmpty(t, got.Error)
		require.LessOrEqual(t, len(got.Task), 32<<10, "the failure keeps only the head of a large task")
		require.LessOrEqual(t, len(got.Item), events.MaxIDLength)
		require.LessOrEqual(t, len(got.Error), 1<<10)
	}
	require.JSONEq(t, before, string(f.get("/api/gui/state", access.RightRead).body))
	require.Empty(t, f.page(t).Tabs)
	require.Empty(t, recorded[events.PauseRequested](f))
}

func TestWhatIsNoTaskAtAllIsARealError(t *testing.T) {
	t.Parallel()
	f := open(t)
	for body, want := range map[string]int{
		`[]`: 400, `7`: 400, `null`: 400, `"click"`: 400, `{`: 400, `{"a":1}{}`: 400, "{\"a\":\"\xff\"}": 400,
		strings.Repeat(`{"a":`, 65) + `1` + strings.Repeat(`}`, 65): 400,
		`{"a":"` + strings.Repeat("x", 1<<20) + `"}`:                413, `{"a":"` + strings.Repeat("x", 600<<10) + `"}`: 413,
	} {
		require.Equal(t, want, f.post("/api/gui", access.RightHuman, body).status, "%.40s", body)
	}
	req := f.request(http.MethodPost, "/api/gui", access.RightHuman, `{}`)
	req.Header.Set("Content-Type", "text/plain")
	require.Equal(t, http.StatusUnsupportedMediaType, f.send(req).status)
	for _, right := range []access.Right{access.RightRead, access.RightAsk, access.RightNone} {
		require.Contains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, f.post("/api/gui", right,
			`{"action":"click","item":"btn_approve_tool"}`).status)
	}
	for _, path := range []string{"/api/gui", "/api/gui/state", "/api/gui/value/ai_input"} {
		require.Contains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, f.get(path, access.RightNone).status)
	}
	require.Empty(t, recorded[events.GUITaskQueued](f))
}

func TestWhatTheGUIKeepsIsBounded(t *testing.T) {
	t.Parallel()
	f := open(t)
	for n := range projections.MaxGUISelections {
		f.queue(t, fmt.Sprintf(`{"action":"select_tab","tab_bar":"bar%d","tab":"a"}`, n))
		f.queue(t, fmt.Sprintf(`{"action":"select_list_item","listbox":"box%d","item_value":%d}`, n, n))
	}
	require.Empty(t, f.failures())
	require.Contains(t, f.requireFailed(t, 0, `{"action":"select_tab","tab_bar":"one more","tab":"a"}`).Error, "cannot be stored")
	f.requireFailed(t, 1, `{"action":"select_list_item","listbox":"one more","item_value":1}`)
	f.queue(t, `{"action":"select_tab","tab_bar":"bar0","tab":"b"}`)
	require.Len(t, f.failures(), 2, "one that is there can be changed")
	page := f.page(t)
	require.Len(t, page.Tabs, projections.MaxGUISelections)
	require.Equal(t, "b", page.Tabs["bar0"])
	require.Len(t, page.Lists, projections.MaxGUISelections)
	require.Len(t, page.Tasks, projections.MaxGUITasks)
	last := page.Tasks[projections.MaxGUITasks-1]
	require.Equal(t, "bar0", last.Item)
	require.NotEmpty(t, page.Tasks[projections.MaxGUITasks-2].Error, "a failure shows at its task")
}

func TestASelectionAtTheLimitIsKept(t *testing.T) {
	t.Parallel()
	f := open(t)
	tab, entry := strings.Repeat("t", events.MaxIDLength), strings.Repeat("e", projections.MaxGUISelected-2)
	f.queue(t, `{"action":"select_tab","tab_bar":"a","tab":"`+tab+`"}`)
	f.queue(t, `{"action":"select_list_item","listbox":"b","item_value":"`+entry+`"}`)
	require.Empty(t, f.failures())
	require.JSONEq(t, `"`+tab+`"`, f.value(t, "a"))
	require.JSONEq(t, `"`+entry+`"`, f.value(t, "b"))
}

func TestASetIsSeenByEveryConnectionAndEveryGateway(t *testing.T) {
	t.Parallel()
	gateways := openOnBus(t, 2)
	var all sync.WaitGroup
	for n := range 16 {
		all.Go(func() {
			mine := fmt.Sprintf("box%d", n)
			for i := range 4 {
				task := fmt.Sprintf(`{"action":"select_list_item","listbox":"%s","item_value":%d}`, mine, i)
				a := gateways[n%2].post("/api/gui", access.RightHuman, task)
				if a.status != http.StatusOK {
					t.Errorf("%d: %s", a.status, a.body)
				}
				for _, f := range gateways {
					if got := string(f.get("/api/gui/value/"+mine, access.RightRead).body); got != fmt.Sprintf(`{"value":%d}`, i)+
						"\n" {
						t.Errorf("after %s a read gives %s", task, got)
					}
				}
			}
		})
	}
	all.Wait()
	require.Empty(t, gateways[0].failures())
}

func TestASecretInATaskIsNotPutOnRecord(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) {
		c.Masker = func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), "hunter2", "[hidden]")) }
	})
	f.approve()
	f.raise("a1", events.GateTool)
	f.queue(t, `{"action":"set_value","item":"ai_input","value":"it is hunter2"}`)
	require.JSONEq(t, `"it is [hidden]"`, f.value(t, "ai_input"))
	got := f.requireFailed(t, 0,
		`{"action":"click","item":"btn_approve_tool","user_data":{"request_id":"a1","args":{"script":"echo hunter2"}}}`)
	require.Contains(t, got.Error, "secret")
	require.Empty(t, recorded[events.AskAnswered](f), "masked, something else would run")
	for _, e := range recorded[events.GUITaskQueued](f) {
		require.NotContains(t, string(e.Task), "hunter2")
	}
	require.NotContains(t, string(got.Task), "hunter2")
}

func TestALogThatIsAwayIsARealError(t *testing.T) {
	t.Parallel()
	for typ, task := range map[string]string{
		"GUITaskQueued": `{"action":"set_value","item":"ai_input","value":"x"}`,
		"StepModeSet":   `{"action":"set_value","item":"mma_step_mode","value":true}`,
		"GUITaskFailed": `{"action":"explode"}`, "EventPushed": `{"action":"push_event","event_type":"x"}`,
	} {
		f := open(t, failing(typ, events.ErrClosed))
		require.Equal(t, http.StatusServiceUnavailable, f.post("/api/gui", access.RightHuman, task).status, typ)
	}
}
