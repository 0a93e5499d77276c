package hookgw_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// hostileValues are JSON values that a client may put anywhere.
func hostileValues() []string {
	return []string{
		`null`, `true`, `false`, `0`, `-1`, `1e999`, `-0`, `0.1`, `18446744073709551616`, `9007199254740993`, `1e-999`, `""`,
		`" "`, `"\u0000"`, `"\ud800"`, `"\u001b[31m"`, `"../../x.toml"`, `"/etc/passwd"`,
		`"a.toml"`, `"main"`, `"main_take_1"`, `"T-1"`, `"TR-1"`, `"a1"`, `"a2"`, `"pause"`, `"kill"`, `"retry"`, `"block"`,
		`"step_mode"`, `"full"`, `"*"`, `"["`, `"**/*"`, `"high"`, `"add_ticket"`, `"set_dependencies"`,
		`[]`, `[null]`, `[[]]`, `[""]`, `["T-1","T-1"]`, `{}`, `{"":""}`, `{"a":{"b":null}}`, `{"entries":[]}`,
		`{"entries":[null,1,{"role":7}]}`, `{"approved":true}`, `{"approved":true,"args":{"path":"b"}}`,
		`{"files":{"paths":["*",{"path":"x","view_mode":7},null]}}`, `{"discussion":{"history":[null]}}`,
		`{"discussion":{"roles":["",""],"discussions":{"":{"history":["x"]}}}}`, `{"project":{"name":1e400}}`,
		`"set_value"`, `"click"`, `"select_tab"`, `"select_list_item"`, `"custom_callback"`, `"push_event"`,
		`"current_provider"`, `"gcli_path"`, `"temperature"`, `"files_paths"`, `"disc_entries"`, `"btn_approve_tool"`,
		`"btn_mma_kill_ticket"`, `"btn_mma_accept_tracks"`, `"btn_gen_send"`, `"btn_project_save"`, `"btn_star_log"`,
		`"` + strings.Repeat("x", 5000) + `"`, `{"ticket":"T-1"}`, `[{"op":"add_ticket"}]`,
		`[{"op":"set_dependencies","ticket":"T-1","depends_on":["T-1"]}]`,
	}
}

// hostileBody is an object of some of the names that bodies have.
func hostileBody(r *rand.Rand) string {
	names := strings.Fields("request_id response goal action ticket reason on project path force discard toml name to " +
		"entry roles role content collapsed discussion mode files screenshots prompt context target_file " +
		"model priority step_mode timeout_s worker_uid uid op ops depends_on dependency track approved script args fps " +
		"input_lag_ms item value user_data type event_type payload callback session entries kwargs tab_bar tab listbox " +
		"item_value id description ticket_id")
	values := hostileValues()
	var members []string
	for range 1 + r.IntN(4) {
		members = append(members, fmt.Sprintf("%q:%s", names[r.IntN(len(names))], values[r.IntN(len(values))]))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// hostileQuery is a query with a few of the parameters that routes have.
func hostileQuery(r *rand.Rand) string {
	names := strings.Fields("client since filter signals session channels state q limit offset sort tag name ticket " +
		"timeout")
	values := []string{"", "0", "-1", "NaN", "Inf", "1e9", "18446744073709551615", "18446744073709551616", "s1", "nowhere",
		"\x00", "\x1b[2J", "a b", "*", ">", "a.>", "..", strings.Repeat("y", 300), "\xff", "all", "log,events", "type:x", `"`,
		"before:", "before:NaN", "T-1", "1"}
	out := url.Values{}
	for range r.IntN(3) {
		out.Add(names[r.IntN(len(names))], values[r.IntN(len(values))])
	}
	return out.Encode()
}

// openHostile is a gateway that waits for nobody, in a session with an open ask
// at two gates, a ticket and a pushed event.
func openHostile(t testing.TB) *fixture {
	short := limited(func(l *request.Limits) {
		l.SettleWait, l.AskGrace, l.Generate = time.Millisecond, time.Millisecond, time.Millisecond
		l.Refusals, l.RefusalBurst = 1, 1
	})
	f := open(t, short, withFolder(&folder{files: map[string]string{"a.toml": "{}"}}),
		func(c *core.Config) { c.AskTimeout = time.Millisecond })
	f.put(events.ActorPlanner, events.TracksProposed{Goal: "g", Tracks: []events.Track{{ID: "TR-1"}}})
	f.put(events.ActorLead, events.TicketsPlanned{Track: "TR-1", Tickets: []events.Ticket{
		{ID: "T-1", TargetFile: "a.go"}}})
	f.put(events.ActorApproval, events.AskRaised{Ask: "a1", Gate: events.GateTool, Tool: "run_powershell",
		Args: json.RawMessage(`{"script":"ls"}`)})
	f.put(events.ActorApproval, events.AskRaised{Ask: "a2", Gate: events.GateStep})
	f.put(person, events.EventPushed{Kind: "k", Payload: json.RawMessage(`1`)})
	return f
}

// requireNoHarm sends one request with every right; whatever it says, the
// gateway answers, and never that it failed itself.
func requireNoHarm(t *testing.T, f *fixture, token string, route request.Route, query, body string) {
	t.Helper()
	path := strings.NewReplacer("{gate}", "tool", "{tag}", "temperature", "{action_id}", "a1", "{sha256}",
		strings.Repeat("0", 64)).Replace(route.Pattern)
	if route.Method != http.MethodPost {
		body = ""
	}
	if query != "" {
		path += "?" + query
	}
	if route.Pattern == "/api/warmup_wait" {
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), eventstest.Patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, route.Method, f.gw.URL()+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := f.client.Do(req)
	require.NoError(t, err, "%s %s %s", route.Method, path, body)
	defer resp.Body.Close()
	said := fmt.Sprintf("%s %s %s: %d", route.Method, path, body, resp.StatusCode)
	require.NotEqual(t, http.StatusInternalServerError, resp.StatusCode, "%s\n%s", said, f.logged)
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		return
	}
	answer, err := io.ReadAll(resp.Body)
	require.NoError(t, err, said)
	if resp.Header.Get("Content-Type") == "application/json" {
		require.True(t, json.Valid(answer), "%s %s", said, answer)
	}
}

// requireWell wants the session's models at work and its views readable.
func requireWell(t *testing.T, f *fixture) {
	t.Helper()
	view, ok := f.models.Session(f.models.Current())
	require.True(t, ok)
	require.NoError(t, view.Read(t.Context(), func(*projections.Set) {}))
	require.Empty(t, view.Stopped())
	require.NoError(t, f.models.Err())
}

// FuzzEveryRoute sends anything to every route: no panic, no hang, no failure
// of the gateway's own, and the read models go on.
func FuzzEveryRoute(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	routes := hookgw.Routes()
	for i := range routes {
		for range 6 {
			f.Add(uint(i), hostileQuery(r), hostileBody(r))
		}
	}
	f.Add(uint(0), "%zz&;=", `{"a":1,"a":2}`)
	gateway := openHostile(f)
	token := gateway.token(access.RightHuman)
	f.Fuzz(func(t *testing.T, route uint, query, body string) {
		if _, err := url.Parse("/?" + query); err != nil || strings.ContainsAny(query, " #\r\n") || !printable(query) {
			t.Skip("no request line")
		}
		requireNoHarm(t, gateway, token, routes[route%uint(len(routes))], query, body)
		requireWell(t, gateway)
	})
}

func printable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0
}
