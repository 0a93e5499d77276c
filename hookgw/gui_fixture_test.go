package hookgw_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
)

// queue posts a task; whatever it says, it is queued.
func (f *fixture) queue(t *testing.T, task string) {
	t.Helper()
	a := f.post("/api/gui", access.RightHuman, task)
	require.Equal(t, http.StatusOK, a.status, "%s: %s", task, a.body)
	require.Equal(t, `{"status": "queued"}`, string(a.body))
}

// set is the task that sets a field.
func set(t *testing.T, field string, value json.RawMessage) string {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"action": "set_value", "item": field, "value": value})
	require.NoError(t, err)
	return string(raw)
}

// value reads a field on a connection of its own.
func (f *fixture) value(t *testing.T, tag string) string {
	t.Helper()
	req := f.request(http.MethodGet, "/api/gui/value/"+url.PathEscape(tag), access.RightRead, "")
	req.Close = true
	a := f.send(req)
	require.Equal(t, http.StatusOK, a.status, string(a.body))
	var out map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(a.body, &out))
	require.Len(t, out, 1)
	return string(out["value"])
}

// failures are the tasks that did not do what they asked, newest last.
func (f *fixture) failures() []events.GUITaskFailed { return recorded[events.GUITaskFailed](f) }

// requireFailed wants exactly one more failure than before, and gives it.
func (f *fixture) requireFailed(t *testing.T, before int, task string) events.GUITaskFailed {
	t.Helper()
	f.queue(t, task)
	all := f.failures()
	require.Len(t, all, before+1, task)
	return all[before]
}

// again is another gateway, with read models of its own, on the same log.
func (f *fixture) again(t *testing.T) *fixture {
	t.Helper()
	log := f.log
	other := openEmpty(t, func(c *core.Config) {
		c.Log, c.Models = log, openModels(t, log, 1000)
		c.PersonLog = func(string) events.Log { return log }
	})
	other.log, other.as = log, f.as
	return other
}
