package hookgw_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
)

var errKilled = errors.New("the process is dead")

// dyingAfter makes every connection of a gateway fail once so many events
// followed from a click.
func dyingAfter(n int) func(*core.Config) {
	clicked, left := false, n
	return func(c *core.Config) {
		log := troubled{Log: c.Log, onAppend: func(e events.Event) error {
			switch {
			case e.Type == "GUITaskQueued" && string(e.Data) == `{"task":`+resetClick+`}`:
				clicked = true
			case !clicked:
			case left == 0:
				return errKilled
			default:
				left--
			}
			return nil
		}}
		c.Log, c.PersonLog = log, func(string) events.Log { return log }
	}
}

const resetClick = `{"action":"click","item":"btn_reset_session"}`

// A reset is several events. Whoever dies after any of them, the next gateway
// ends with one open session that has the tools, the settings and the project.
func TestAResetThatAKillCutShortIsFinishedByTheNextGateway(t *testing.T) {
	t.Parallel()
	for died := range 6 {
		t.Run(strconv.Itoa(died), func(t *testing.T) {
			t.Parallel()
			files := &folder{files: map[string]string{"p.toml": `{"project":{"name":"of p"}}`}}
			f := open(t, withFolder(files), dyingAfter(died))
			tools := events.ToolsOffered{Tools: []events.ToolOffer{{Name: "read_file", Effect: "reads",
				Schema: json.RawMessage(`{}`)}}}
			f.put(person, tools)
			f.put(person, events.ContextPresetChanged{Operation: events.PresetSave, Name: "one",
				Files: []events.TrackedFile{{Path: "a.go"}}})
			f.put(person, events.ContextPresetChanged{Operation: events.PresetSave, Name: "two",
				Files: []events.TrackedFile{{Path: "b.go"}}})
			f.queue(t, `{"action":"set_value","item":"project_path","value":"p.toml"}`)
			f.queue(t, `{"action":"set_value","item":"current_provider","value":"gemini_cli"}`)
			f.post("/api/gui", access.RightHuman, resetClick)
			f.stop()

			g := f.another(t, withFolder(files))
			var now string
			var sessions int
			whole := func() bool {
				now, sessions = current(t, g)
				return died == 0 || now != session && g.value(t, "project_path") == `"p.toml"` &&
					len(g.names(t, now, "ContextPresetChanged")) == 2
			}
			require.Eventually(t, whole, eventstest.Patience, 5*time.Millisecond)
			if died == 0 {
				require.Equal(t, 1, sessions, "nothing was done of what the click wants")
				return
			}
			require.Equal(t, 2, sessions)
			require.JSONEq(t, `"gemini_cli"`, g.value(t, "current_provider"))
			require.Len(t, g.names(t, now, "ToolsOffered"), 1)
			require.NoError(t, g.gw.FinishReset(t.Context()))
			require.Len(t, g.names(t, now, ""), 5, "and nothing is there twice")
		})
	}
}

// Between the opening of a session and its tools another gateway may reset it.
func TestAResetOfASessionThatIsNotWholeYetLosesNothing(t *testing.T) {
	t.Parallel()
	f := open(t, dyingAfter(2)) // the end of the old session and the opening of the new one
	f.put(person, events.ToolsOffered{Tools: []events.ToolOffer{{Name: "read_file", Effect: "reads",
		Schema: json.RawMessage(`{}`)}}})
	g := f.another(t)
	f.post("/api/gui", access.RightHuman, resetClick)
	var half string
	require.Eventually(t, func() bool { half, _ = current(t, g); return half != session }, eventstest.Patience,
		time.Millisecond)
	g.queue(t, resetClick)
	require.Empty(t, g.failures())
	now, sessions := current(t, g)
	require.Equal(t, 3, sessions)
	require.Len(t, g.names(t, half, "ToolsOffered"), 1)
	require.Len(t, g.names(t, now, "ToolsOffered"), 1)
}

// names are the ids of a session's events of a type.
func (f *fixture) names(t *testing.T, of, typ string) []string {
	t.Helper()
	var out []string
	for _, e := range eventstest.All(t, f.log, events.Filter{Project: project, Session: of, Type: typ}) {
		if e.Type != "HookCalled" {
			out = append(out, e.ID)
		}
	}
	return out
}
