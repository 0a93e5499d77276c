package tierstest_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

var release = flag.String("record", "", "record worlds with the decisions of this program as this release, such as v0.2.0")

// releasedWorlds are the files of testdata/worlds with their digests. A release adds a line and a file, and none ever
// changes.
func releasedWorlds() map[string]string {
	return map[string]string{
		"v0.1.0.jsonl.gz": "52e47c800ac7bcc38b2f71e9ba7305e47980cc571e60cd1bc31177aae358fc99",
	}
}

// releasedWorld is a random session, some of whose events were changed, repeated or lost, and what the deciders of a
// release decided on it, in the order of everyDecider. A decision that is among the events is only named by its id.
type releasedWorld struct {
	Events  []json.RawMessage `json:"events"`
	Decided []json.RawMessage `json:"decided"`
}

// TestWorldsOfReleasesAreDecidedAsTheyWere holds that whatever stands in a log, this program decides on it as each
// release did: otherwise a session of that release diverges.
func TestWorldsOfReleasesAreDecidedAsTheyWere(t *testing.T) {
	t.Parallel()
	if *release != "" {
		recordWorlds(t, filepath.Join("testdata", "worlds", *release+".jsonl.gz"))
	}
	files, err := filepath.Glob(filepath.Join("testdata", "worlds", "*"))
	require.NoError(t, err)
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, releasedWorlds()[filepath.Base(file)], events.Digest(b), "%s was released and may not change", file)
		z, err := gzip.NewReader(bytes.NewReader(b))
		require.NoError(t, err)
		text, err := io.ReadAll(z)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			var w releasedWorld
			require.NoError(t, json.Unmarshal([]byte(line), &w))
			decidesAlike(t, w)
		}
	}
	require.Len(t, files, len(releasedWorlds()))
}

func decidesAlike(t *testing.T, w releasedWorld) {
	t.Helper()
	log, byID := decodeAll(t, w.Events), map[string]json.RawMessage{}
	for i, e := range log {
		byID[e.ID] = w.Events[i]
	}
	for i, raw := range w.Decided {
		if raw[0] == '"' {
			w.Decided[i] = byID[strings.Trim(string(raw), `"`)]
		}
	}
	recorded, decided := decodeAll(t, w.Decided), decideAll(t, log)
	for i := range min(len(recorded), len(decided)) {
		was, is := &recorded[i], &decided[i]
		if was.Type != is.Type || was.ID != is.ID || !events.SameBody(was, is) {
			require.Equal(t, encoded(t, was), encoded(t, is))
		}
	}
	require.Len(t, decided, len(recorded))
}

// decideAll returns what each decider in turn decides on a log.
func decideAll(t *testing.T, log []events.Event) []events.Event {
	t.Helper()
	var out []events.Event
	for _, d := range everyDecider() {
		m := d.Start()
		for i := range log {
			facts, err := m.Take(&log[i])
			require.NoError(t, err)
			out = append(out, facts...)
		}
	}
	return out
}

func decodeAll(t *testing.T, lines []json.RawMessage) []events.Event {
	t.Helper()
	out := make([]events.Event, len(lines))
	for i, line := range lines {
		require.NoError(t, json.Unmarshal(line, &out[i]))
		out[i].Seq = uint64(i + 1)
		events.Catalogue().Decode(&out[i])
	}
	return out
}

func encoded(t *testing.T, e *events.Event) string {
	t.Helper()
	b, err := json.Marshal(e)
	require.NoError(t, err)
	return string(b)
}

// recordWorlds writes a new file of worlds for the release of this program.
func recordWorlds(t *testing.T, file string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	require.NoError(t, err)
	z := gzip.NewWriter(f)
	lines := json.NewEncoder(z)
	lines.SetEscapeHTML(false)
	for seed := range uint64(60) {
		c := newChaos(t, seed)
		c.run()
		w := releasedWorld{Events: c.disturbed(t)}
		log, logged := decodeAll(t, w.Events), map[string]bool{}
		for i := range log {
			logged[encoded(t, &log[i])] = true
		}
		for _, e := range decideAll(t, log) {
			line := encoded(t, &e)
			if logged[line] {
				line = strconv.Quote(e.ID)
			}
			w.Decided = append(w.Decided, json.RawMessage(line))
		}
		require.NoError(t, lines.Encode(w))
	}
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
}

// disturbed returns the events of the session, in which some of those that no decider wrote are changed, repeated or
// missing.
func (c *chaos) disturbed(t *testing.T) []json.RawMessage {
	t.Helper()
	var out []json.RawMessage
	for _, e := range c.sim.Events() {
		foreign := !events.IsDecider(e.Actor) && e.Type != events.NameOf[events.SessionOpened]()
		switch {
		case foreign && c.chance(50):
			continue
		case foreign && c.chance(12):
			var body any
			require.NoError(t, json.Unmarshal(e.Data, &body))
			var err error
			e.Data, err = json.Marshal(c.changed(body))
			require.NoError(t, err)
		case foreign && c.chance(50):
			out = append(out, json.RawMessage(encoded(t, &e)))
		}
		out = append(out, json.RawMessage(encoded(t, &e)))
	}
	return out
}

// changed returns a JSON value with a change somewhere within.
func (c *chaos) changed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		if len(names) == 0 {
			return v
		}
		name := names[c.IntN(len(names))]
		if c.chance(8) {
			delete(v, name)
		} else {
			v[name] = c.changed(v[name])
		}
		return v
	case []any:
		if len(v) == 0 || c.chance(4) {
			return append(v, v...)
		}
		i := c.IntN(len(v))
		v[i] = c.changed(v[i])
		return v
	case bool:
		return !v
	case float64:
		return pick(c, 0, 1, -1, 2, 100, 1<<31, 1<<53)
	default:
		return pick(c, "", "x", "T-001", "TR-1-0", strings.Repeat("a", 1100), "\u202e", "yes", "no", "src/a.go", "m1", "high",
			"retry", "session", "finish_ticket", `{"show":["a"]}`, "[]")
	}
}
