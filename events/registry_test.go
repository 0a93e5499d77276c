package events_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// teaBrewed is a message of a registry that only this test knows; v2 counts cups where v1
// said whether there was a pot.
type teaBrewed struct {
	Cups int    `json:"cups"`
	Kind string `json:"kind"`
}

func (teaBrewed) EventType() events.Type { return events.Type{Name: "TeaBrewed", Version: 2} }

// teaBrewedV1 turns v1's pot into the four cups that every pot then held. Both shapes are
// written out here, so that the next version does not change what this lift means.
func teaBrewedV1(b json.RawMessage) (json.RawMessage, error) {
	var was struct {
		Pot  *bool  `json:"pot"`
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(b, &was); err != nil {
		return nil, err
	}
	if was.Pot == nil {
		return nil, errors.New("no pot")
	}
	cups := 1
	if *was.Pot {
		cups = 4
	}
	return json.Marshal(struct {
		Cups int    `json:"cups"`
		Kind string `json:"kind"`
	}{cups, was.Kind})
}

func teaRegistry(t testing.TB) *events.Registry {
	t.Helper()
	r, err := events.NewRegistry([]events.Def{events.Define(events.Command, "person", "Tea is ready.", teaBrewed{2,
		"green"},
		teaBrewedV1)})
	require.NoError(t, err)
	return r
}

func decodeTea(t *testing.T, v int, body string) events.Payload {
	t.Helper()
	e := events.Event{Type: "TeaBrewed", V: v, Actor: "ada", Data: json.RawMessage(body)}
	teaRegistry(t).Decode(&e)
	require.Equal(t, body, string(e.Data), "what was stored stays as it was stored")
	require.Equal(t, v, e.V)
	return e.Payload
}

func TestABodyOfAnOldVersionIsLiftedToTodays(t *testing.T) {
	t.Parallel()
	require.Equal(t, teaBrewed{4, "black"}, decodeTea(t, 1, `{"pot":true,"kind":"black"}`))
	require.Equal(t, teaBrewed{1, "mint"}, decodeTea(t, 1, `{"pot":false,"kind":"mint"}`))
	require.Equal(t, teaBrewed{3, "green"}, decodeTea(t, 2, `{"cups":3,"kind":"green"}`))
}

func TestABodyThatALiftRefusesIsMalformed(t *testing.T) {
	t.Parallel()
	bad, ok := decodeTea(t, 1, `{"kind":"black"}`).(events.Malformed)
	require.True(t, ok)
	require.Contains(t, bad.Detail, "lift from version 1: no pot")
	require.Equal(t, events.Type{Name: "TeaBrewed", Version: 1}, bad.EventType())
}

func TestAVersionFromTheFutureIsUnknownWithItsBytes(t *testing.T) {
	t.Parallel()
	require.Equal(t, events.Unknown{Name: "TeaBrewed", Version: 3, Raw: json.RawMessage(`{"litres":1}`)},
		decodeTea(t, 3, `{"litres":1}`))
}

func TestATypeFromTheFutureIsUnknownWithItsBytes(t *testing.T) {
	t.Parallel()
	e := events.Event{Type: "CakeBaked", V: 1, Actor: "ada", Data: json.RawMessage(`{}`)}
	events.Catalogue().Decode(&e)
	require.Equal(t, events.Unknown{Name: "CakeBaked", Version: 1, Raw: json.RawMessage(`{}`)}, e.Payload)
	require.Equal(t, events.Type{Name: "CakeBaked", Version: 1}, e.Payload.EventType())
}

func TestAVersionBelowOneIsMalformed(t *testing.T) {
	t.Parallel()
	for _, v := range []int{0, -1} {
		require.IsType(t, events.Malformed{}, decodeTea(t, v, `{"cups":1}`))
	}
}

func TestNullIsNoBody(t *testing.T) {
	t.Parallel()
	require.IsType(t, events.Malformed{}, decodeTea(t, 2, " null\n"))
}

// cakeBaked is at version 3 and so needs two lifts.
type cakeBaked struct{}

func (cakeBaked) EventType() events.Type { return events.Type{Name: "CakeBaked", Version: 3} }

// badName cannot stand in a subject.
type badName struct{}

func (badName) EventType() events.Type { return events.Type{Name: "Bad.Name", Version: 1} }

// noVersion forgot its version.
type noVersion struct{}

func (noVersion) EventType() events.Type { return events.Type{Name: "NoVersion"} }

func TestRegistryRefusesWhatAProgrammerForgot(t *testing.T) {
	t.Parallel()
	tea := func(c events.Class, lifts ...events.Lift) []events.Def {
		return []events.Def{events.Define(c, "person", "Tea is ready.", teaBrewed{}, lifts...)}
	}
	for name, groups := range map[string][][]events.Def{
		"no lift":       {tea(events.Command)},
		"one too many":  {tea(events.Command, teaBrewedV1, teaBrewedV1)},
		"one of two":    {{events.Define(events.Command, "person", "Cake.", cakeBaked{}, teaBrewedV1)}},
		"no class":      {tea(0, teaBrewedV1)},
		"a class of 5":  {tea(events.Notice+1, teaBrewedV1)},
		"a double":      {tea(events.Command, teaBrewedV1), tea(events.Command, teaBrewedV1)},
		"no token":      {{events.Define(events.Command, "person", "Bad.", badName{})}},
		"no version":    {{events.Define(events.Command, "person", "None.", noVersion{})}},
		"an empty type": {{{Class: events.Command}}},
	} {
		_, err := events.NewRegistry(groups...)
		require.ErrorIs(t, err, events.ErrRegistry, name)
	}
}

func TestRegistryListsItsTypesByName(t *testing.T) {
	t.Parallel()
	last := ""
	for _, d := range events.Catalogue().Defs() {
		require.Greater(t, d.Type.Name, last)
		last = d.Type.Name
		found, ok := events.Catalogue().Lookup(d.Type.Name)
		require.True(t, ok)
		require.Equal(t, d.Type, found.Type)
	}
	_, ok := events.Catalogue().Lookup("CakeBaked")
	require.False(t, ok)
}

func TestClassesHaveNames(t *testing.T) {
	t.Parallel()
	require.Equal(t, "decision outcome command notice", fmt.Sprint(events.Decision, events.Outcome, events.Command,
		events.Notice))
	require.Equal(t, "invalid", events.Class(0).String())
	require.Equal(t, "invalid", (events.Notice + 1).String())
	require.Equal(t, "invalid", events.Class(-1).String())
}

func FuzzLift(f *testing.F) {
	f.Add(1, []byte(`{"pot":true,"kind":"black"}`))
	f.Add(2, []byte(`{"cups":1}`))
	f.Add(9, []byte(`[]`))
	registry := teaRegistry(f)
	f.Fuzz(func(t *testing.T, v int, body []byte) {
		e := events.Event{Type: "TeaBrewed", V: v, Actor: "ada", Data: body}
		registry.Decode(&e)
		require.NotNil(t, e.Payload)
	})
}
