package events_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func ticketReady(t *testing.T) events.Event {
	t.Helper()
	d, ok := events.Catalogue().Lookup("TicketReady")
	require.True(t, ok)
	return sampleEvent(t, d)
}

func TestEnvelopeIsCloudEventsStructuredMode(t *testing.T) {
	t.Parallel()
	wire, err := json.Marshal(ticketReady(t))
	require.NoError(t, err)
	require.Equal(t, `{"specversion":"1.0","id":"01KDZV3M880000000000000000","source":"conductor","type":"TicketReady",`+
		`"subject":"slop.ev.p1.01KDZV3M87SESSION000000000.conductor.TicketReady.-","time":"2026-01-02T03:04:05.678Z",`+
		`"datacontenttype":"application/json","dataschema":"urn:slop:TicketReady:1","session":"01KDZV3M87SESSION000000000",`+
		`"cause":"01KDZV3M87CAUSE00000000000","corr":"T-001","v":1,"n":7,"data":{"ticket":"T-001"}}`, string(wire))
}

// TestEveryEnvelopeObeysCloudEvents checks what CloudEvents 1.0 demands of attributes: the
// required ones are non-empty strings, names are lower-case letters and digits, time is RFC
// 3339, extension attributes are simple values.
func TestEveryEnvelopeObeysCloudEvents(t *testing.T) {
	t.Parallel()
	eachType(t, func(t *testing.T, _ *events.Registry, d events.Def) {
		t.Helper()
		wire, err := json.Marshal(sampleEvent(t, d))
		require.NoError(t, err)
		var attributes map[string]any
		require.NoError(t, json.Unmarshal(wire, &attributes))
		for _, required := range []string{"specversion", "id", "source", "type"} {
			value, ok := attributes[required].(string)
			require.True(t, ok && value != "", required)
		}
		require.Equal(t, "1.0", attributes["specversion"])
		require.Equal(t, "application/json", attributes["datacontenttype"])
		require.Equal(t, d.Type.Name, attributes["type"])
		stamp, ok := attributes["time"].(string)
		require.True(t, ok)
		_, err = time.Parse(time.RFC3339Nano, stamp)
		require.NoError(t, err)
		for name, value := range attributes {
			require.Regexp(t, `^[a-z0-9]{1,20}$`, name)
			if name != "data" {
				require.NotContains(t, []string{"map[string]interface {}", "[]interface {}"}, typeName(value), name)
			}
		}
	})
}

func typeName(v any) string {
	switch v.(type) {
	case map[string]any:
		return "map[string]interface {}"
	case []any:
		return "[]interface {}"
	}
	return "simple"
}

func TestEnvelopeOmitsAttributesThatDoNotApply(t *testing.T) {
	t.Parallel()
	e := ticketReady(t)
	e.Cause, e.Corr, e.N, e.Tier = "", "", 0, 0
	wire, err := json.Marshal(e)
	require.NoError(t, err)
	for _, name := range []string{`"cause"`, `"corr"`, `"n"`, `"tier"`} {
		require.NotContains(t, string(wire), name)
	}
}

func TestTimesAreWrittenAndReadInUTC(t *testing.T) {
	t.Parallel()
	e := ticketReady(t)
	e.Time = e.Time.In(time.FixedZone("east", 5*3600))
	wire, err := json.Marshal(e)
	require.NoError(t, err)
	require.Contains(t, string(wire), `"time":"2026-01-02T03:04:05.678Z"`)
	shifted := strings.Replace(string(wire), "03:04:05.678Z", "08:04:05.678+05:00", 1)
	var got events.Event
	require.NoError(t, json.Unmarshal([]byte(shifted), &got))
	require.Equal(t, time.UTC, got.Time.Location())
	require.True(t, e.Time.Equal(got.Time))
}

func TestUnknownExtensionAttributesAreTolerated(t *testing.T) {
	t.Parallel()
	wire, err := json.Marshal(ticketReady(t))
	require.NoError(t, err)
	more := strings.Replace(string(wire), `"v":1`, `"v":1,"traceparent":"00-ab-cd-01"`, 1)
	var got events.Event
	require.NoError(t, json.Unmarshal([]byte(more), &got))
}

func TestEnvelopesThatContradictThemselvesAreRefused(t *testing.T) {
	t.Parallel()
	wire, err := json.Marshal(ticketReady(t))
	require.NoError(t, err)
	cases := map[string][2]string{
		"not JSON":                    {`{"specversion"`, `"specversion"`},
		"another CloudEvents version": {`"specversion":"1.0"`, `"specversion":"0.3"`},
		"no specversion":              {`"specversion":"1.0",`, ``},
		"no id":                       {`"id":"01KDZV3M880000000000000000",`, ``},
		"id over the limit": {`"id":"01KDZV3M880000000000000000"`, `"id":"` + strings.Repeat("x",
			events.MaxIDLength+1) + `"`},
		"a source that did not write": {`"source":"conductor"`, `"source":"approval"`},
		"a type not in the subject":   {`"type":"TicketReady"`, `"type":"ToolApproved"`},
		"another session":             {`"session":"01K`, `"session":"02K`},
		"a subject of another space":  {`"subject":"slop.ev.`, `"subject":"slop.sig.`},
		"no subject":                  {`"subject":`, `"sub":`},
		"no version":                  {`"v":1,`, ``},
		"version zero":                {`"v":1`, `"v":0`},
		"negative version":            {`"v":1`, `"v":-1`},
		"tier five":                   {`"n":7`, `"tier":5`},
		"negative tier":               {`"n":7`, `"tier":-1`},
		"negative ordinal":            {`"n":7`, `"n":-7`},
		"no time at all":              {`"time":"2026`, `"time":"x2026`},
		"a time after the last year":  {`"time":"2026-`, `"time":"9001-`},
		"a time before the year zero": {`"time":"2026-01-02T03:04:05.678Z"`, `"time":"0000-01-01T00:00:00+01:00"`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, string(wire), c[0])
			var got events.Event
			err := json.Unmarshal([]byte(strings.Replace(string(wire), c[0], c[1], 1)), &got)
			if name != "not JSON" {
				require.ErrorIs(t, err, events.ErrEnvelope)
			}
			require.Error(t, err)
			require.Zero(t, got)
		})
	}
}

func TestIDAtTheLimitIsAccepted(t *testing.T) {
	t.Parallel()
	e := ticketReady(t)
	e.ID = strings.Repeat("x", events.MaxIDLength)
	wire, err := json.Marshal(e)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(wire, &events.Event{}))
}

func TestNewFillsTopicTierAndCorrelationFromThePayload(t *testing.T) {
	t.Parallel()
	o := events.Origin{ID: "E", Project: "p", Session: "s", Actor: "approval"}
	e, err := events.New(o, events.ToolApproved{Call: "C-0", Tool: "mcp.server/tool"})
	require.NoError(t, err)
	require.Equal(t, "mcp_server_tool", e.Topic, "a tool's name becomes a token")
	require.Equal(t, "C-0", e.Corr)
	e, err = events.New(o, events.ModelRequested{Tier: 4, Call: "C-0", Ticket: "T"})
	require.NoError(t, err)
	require.Equal(t, "tier4", e.Topic)
	require.Equal(t, 4, e.Tier)
	require.Equal(t, "C-0", e.Corr, "the most particular thing it belongs to")
	e, err = events.New(o, events.ToolRequested{})
	require.NoError(t, err)
	require.Equal(t, "-", e.Topic)
}

func TestNewRefusesAPayloadThatIsNotJSON(t *testing.T) {
	t.Parallel()
	_, err := events.New(events.Origin{}, events.ToolRequested{Args: json.RawMessage(`{`)})
	require.Error(t, err)
}

func TestDecidedEventCarriesItsCause(t *testing.T) {
	t.Parallel()
	cause := ticketReady(t)
	e, err := events.Decided("approval", cause, 3, 12, events.SpawnApproved{Ticket: "T-001"})
	require.NoError(t, err)
	require.Equal(t, cause.ID, e.Cause)
	require.Equal(t, cause.Time, e.Time)
	require.Equal(t, cause.Session, e.Session)
	require.Equal(t, cause.Project, e.Project)
	require.Equal(t, uint64(12), e.N)
	require.Equal(t, events.DecidedID("approval", cause, 3), e.ID)
	id, err := ulid.ParseStrict(e.ID)
	require.NoError(t, err)
	require.Equal(t, uint64(cause.Time.UnixMilli()), id.Time())
}
