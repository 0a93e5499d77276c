package events_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// The laws hold for everything in the catalogue; a new type is tested by its line there.

// eachType runs law once for every registered type.
func eachType(t *testing.T, law func(t *testing.T, r *events.Registry, d events.Def)) {
	t.Helper()
	r := events.Catalogue()
	for _, d := range r.Defs() {
		t.Run(d.Type.Name, func(t *testing.T) {
			t.Parallel()
			law(t, r, d)
		})
	}
}

// anAuthor is an actor that may write facts of the definition.
func anAuthor(d events.Def) string {
	first, _, _ := strings.Cut(d.Writer, ", ")
	switch first {
	case "person":
		return "ada"
	case "worker":
		return "worker-host1-1"
	case "agent":
		return "agent-ci"
	case "any decider":
		return events.ActorConductor
	}
	return first
}

// sampleEvent wraps the sample of a type as one of its writers would.
func sampleEvent(t *testing.T, d events.Def) events.Event {
	t.Helper()
	e, err := events.New(events.Origin{ID: "01KDZV3M880000000000000000", Time: time.Date(2026, 1, 2, 3, 4, 5, 678e6,
		time.UTC),
		Project: "p1", Session: "01KDZV3M87SESSION000000000", Actor: anAuthor(d), Cause: "01KDZV3M87CAUSE00000000000", N: 7},
		d.Sample)
	require.NoError(t, err)
	return e
}

func TestEverySampleSurvivesARoundTrip(t *testing.T) {
	t.Parallel()
	eachType(t, func(t *testing.T, r *events.Registry, d events.Def) {
		t.Helper()
		want := sampleEvent(t, d)
		wire, err := json.Marshal(want)
		require.NoError(t, err)
		var got events.Event
		require.NoError(t, json.Unmarshal(wire, &got))
		r.Decode(&got)
		require.Equal(t, want, got)
		again, err := json.Marshal(got)
		require.NoError(t, err)
		require.Equal(t, string(wire), string(again))
	})
}

func TestEverySampleFillsWhatItsTypeRequires(t *testing.T) {
	t.Parallel()
	eachType(t, func(t *testing.T, _ *events.Registry, d events.Def) {
		t.Helper()
		require.NotEmpty(t, d.Writer)
		require.True(t, strings.HasSuffix(d.Doc, ".") || strings.HasSuffix(d.Doc, "?"), "%q is a sentence", d.Doc)
		if reflect.TypeOf(d.Sample).NumField() > 0 {
			require.False(t, reflect.ValueOf(d.Sample).IsZero(), "the sample is empty")
		}
	})
}

// pastTense are the endings of a fact: what happened, or the state that was reached.
var pastTense = regexp.MustCompile(`^([A-Z]+[a-z]+)*(ed|Built|Full|Given|Lost|Ready|Rewritten|Set)$`)

func TestEveryNameSaysWhatHappened(t *testing.T) {
	t.Parallel()
	eachType(t, func(t *testing.T, _ *events.Registry, d events.Def) {
		t.Helper()
		require.True(t, events.ValidToken(d.Type.Name))
		require.Regexp(t, pastTense, d.Type.Name)
		require.Equal(t, reflect.TypeOf(d.Sample).Name(), d.Type.Name, "as long as nobody had to rename the Go type")
	})
}

func TestAFactCountsOnlyFromThoseWhoMayWriteIt(t *testing.T) {
	t.Parallel()
	strangers := []string{"ada", "worker-host1-1", "agent-ci", events.ActorModels, events.ActorTimers, events.ActorGateway,
		events.ActorAdmin, "", "-"}
	strangers = append(strangers, events.Deciders()...)
	eachType(t, func(t *testing.T, r *events.Registry, d events.Def) {
		t.Helper()
		require.True(t, d.MayWrite(anAuthor(d)))
		for _, actor := range strangers {
			e := sampleEvent(t, d)
			e.Actor, e.Payload = actor, nil
			r.Decode(&e)
			if d.MayWrite(actor) {
				require.Equal(t, d.Sample, e.Payload, actor)
			} else {
				require.IsType(t, events.Malformed{}, e.Payload, actor)
			}
		}
		require.False(t, d.MayWrite(events.ActorAdmin))
		require.False(t, d.MayWrite(""))
	})
}

func TestOnlyApprovalApproves(t *testing.T) {
	t.Parallel()
	d, ok := events.Catalogue().Lookup("ToolApproved")
	require.True(t, ok)
	for _, actor := range append(events.Deciders(), "ada", "worker-host1-1", events.ActorModels) {
		require.Equal(t, actor == events.ActorApproval, d.MayWrite(actor), actor)
	}
}

func TestEventTypeDoesNotDependOnTheValue(t *testing.T) {
	t.Parallel()
	eachType(t, func(t *testing.T, _ *events.Registry, d events.Def) {
		t.Helper()
		zero, ok := reflect.Zero(reflect.TypeOf(d.Sample)).Interface().(events.Payload)
		require.True(t, ok)
		require.Equal(t, d.Type, zero.EventType())
	})
}

func TestEveryFieldHasANameOnTheWire(t *testing.T) {
	t.Parallel()
	snake := regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	var walk func(t *testing.T, typ reflect.Type)
	walk = func(t *testing.T, typ reflect.Type) {
		t.Helper()
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(t, typ.Elem())
		case reflect.Struct:
			if typ == reflect.TypeFor[time.Time]() {
				return
			}
			for f := range fields(typ) {
				if !f.IsExported() {
					continue // it is not on the wire
				}
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				require.Regexp(t, snake, name, "%s.%s", typ.Name(), f.Name)
				walk(t, f.Type)
			}
		}
	}
	eachType(t, func(t *testing.T, _ *events.Registry, d events.Def) {
		t.Helper()
		walk(t, reflect.TypeOf(d.Sample))
	})
}

// fields yields the fields of a struct type.
func fields(typ reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range typ.NumField() {
			if !yield(typ.Field(i)) {
				return
			}
		}
	}
}

func bodyFile(typ string, v int) string {
	return filepath.Join("testdata", typ, "v"+strconv.Itoa(v)+".json")
}

func TestEveryVersionHasAFrozenBodyThatDecodes(t *testing.T) {
	t.Parallel()
	eachType(t, func(t *testing.T, r *events.Registry, d events.Def) {
		t.Helper()
		for v := 1; v <= d.Type.Version; v++ {
			var sample []byte
			if v == d.Type.Version {
				sample = indented(t, d.Sample)
			} else {
				require.FileExists(t, bodyFile(d.Type.Name, v), "the body of an old version was removed")
			}
			frozen := requireFrozen(t, bodyFile(d.Type.Name, v), sample)
			e := sampleEvent(t, d)
			e.V, e.Data, e.Payload = v, frozen, nil
			r.Decode(&e)
			require.IsType(t, d.Sample, e.Payload, "version %d", v)
			if v == d.Type.Version {
				require.JSONEq(t, string(frozen), string(indented(t, e.Payload)),
					"a field of version %d is gone or means something else: bump the version and write a lift", v)
			}
		}
	})
}

// indented is a value as its golden file holds it.
func indented(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	require.NoError(t, enc.Encode(v))
	return b.Bytes()
}

func TestTestdataHoldsOnlyBodiesOfKnownTypes(t *testing.T) {
	t.Parallel()
	r := events.Catalogue()
	folders, err := os.ReadDir("testdata")
	require.NoError(t, err)
	for _, folder := range folders {
		if folder.Name() == "fuzz" {
			continue
		}
		d, ok := r.Lookup(folder.Name())
		require.True(t, ok, "testdata/%s: a type that was ever written stays in the catalogue", folder.Name())
		files, err := os.ReadDir(filepath.Join("testdata", folder.Name()))
		require.NoError(t, err)
		require.Len(t, files, d.Type.Version, "one body per version of %s", folder.Name())
	}
}

func TestAnyBodyDecodesToItsTypeOrMalformedAndNeverPanics(t *testing.T) {
	t.Parallel()
	eachType(t, func(t *testing.T, r *events.Registry, d events.Def) {
		t.Helper()
		for _, body := range []string{``, `null`, `[]`, `"x"`, `1`, `{`, `{"ticket":{}}`,
			`{"ticket":1,"tickets":1,"call":[]}`} {
			e := events.Event{Type: d.Type.Name, V: d.Type.Version, Actor: anAuthor(d), Data: json.RawMessage(body)}
			r.Decode(&e)
			require.NotNil(t, e.Payload, body)
			require.Equal(t, d.Type.Name, e.Payload.EventType().Name)
			if _, bad := e.Payload.(events.Malformed); !bad {
				require.IsType(t, d.Sample, e.Payload)
				require.True(t, strings.HasPrefix(body, "{"), "%s decodes although it is no object", body)
			}
		}
	})
}
