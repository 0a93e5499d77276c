package snapshot_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/snapshot"
)

type key struct {
	name string
	n    int
}

type node struct {
	name string
	next *node
	all  map[key]*node
}

type state struct {
	first, second *node
	list          []*node
	long, short   []string
	none, empty   []int
	when          []time.Time
	nothing       map[string]int
	event         *events.Event
	owed          []events.Payload
	float         float64
	small         int8
	bytes         []byte
	derived       *func() `snapshot:"-"`
}

func filled() *state {
	a := &node{name: "a"}
	b := &node{name: "b", next: a, all: map[key]*node{{"x", 1}: a}}
	a.next, a.all = b, b.all
	words := []string{"one word that is long enough to share", "two", "three"}
	zone := time.FixedZone("", 5400)
	done := func() {}
	return &state{first: a, second: b, list: []*node{a, b, a}, long: words, short: words[:2:2], empty: []int{},
		when:  []time.Time{{}, time.Unix(1, 5).UTC(), time.Unix(1, 0).In(zone)},
		event: &events.Event{ID: "E", Payload: events.GoalSubmitted{Goal: "g"}, Data: []byte(`{}`)},
		owed:  []events.Payload{events.GoalCompleted{Goal: "E"}, events.Unknown{Name: "Foo", Version: 2}, nil},
		float: -0.5, small: -3, bytes: []byte{0, 1}, derived: &done}
}

func TestAStateComesBackWithItsPointersCyclesAndMaps(t *testing.T) {
	t.Parallel()
	s := filled()
	b, err := snapshot.Encode(&s)
	require.NoError(t, err)
	var back *state
	require.NoError(t, snapshot.Decode(b, &back))

	require.Same(t, back.first, back.second.next)
	require.Same(t, back.second, back.first.next)
	require.Same(t, back.first, back.list[2])
	require.Same(t, back.first, back.first.all[key{"x", 1}])
	back.first.all[key{"y", 2}] = back.second
	require.Len(t, back.second.all, 2, "one map is still one map")
	delete(back.first.all, key{"y", 2})

	require.Nil(t, back.derived)
	s.derived = nil
	require.Equal(t, s, back)
	require.Nil(t, back.none)
	require.NotNil(t, back.empty)
	require.Nil(t, back.nothing)
	require.Equal(t, s.when[2].Format(time.RFC3339), back.when[2].Format(time.RFC3339))
	require.Len(t, append(back.short, "other"), 3)
	require.Equal(t, "three", back.long[2], "a slice does not grow into another one")
}

func TestDigestsOfEqualStatesAreEqualWhateverTheyShare(t *testing.T) {
	t.Parallel()
	a, b := filled(), filled()
	b.short = append([]string{}, a.short...)
	digest := func(s *state) string {
		d, err := snapshot.Digest(&s)
		require.NoError(t, err)
		return d
	}
	require.Equal(t, digest(a), digest(b))
	b.list[2] = b.second
	require.NotEqual(t, digest(a), digest(b))
}

func TestWhatCannotComeBackAsItWasIsRefused(t *testing.T) {
	t.Parallel()
	var deep *node
	for range 10_001 {
		deep = &node{next: deep}
	}
	inner := struct {
		list []node
		one  *node
	}{list: make([]node, 3)}
	inner.one = &inner.list[1]
	field := struct {
		whole *node
		part  **node
	}{whole: &node{}}
	field.part = &field.whole.next
	function := struct{ f func() }{}
	free := struct{ x any }{1}
	for name, s := range map[string]any{
		"too deep": &deep, "pointer into a slice": &inner, "pointer into a struct": &field, "any": &free,
		"no pointer": node{}, "nil": (*node)(nil),
	} {
		_, err := snapshot.Encode(s)
		require.ErrorIs(t, err, snapshot.ErrShape, name)
	}
	for name, s := range map[string]any{"function": &function, "any": &free, "pointer as a key": &struct {
		m map[*node]int
	}{}} {
		_, err := snapshot.Shape(s)
		require.ErrorIs(t, err, snapshot.ErrShape, name)
	}
}

func TestAChangedTypeHasAnotherShape(t *testing.T) {
	t.Parallel()
	shape := func(s any) string {
		out, err := snapshot.Shape(s)
		require.NoError(t, err)
		return out
	}
	type one struct{ A, B int }
	type two struct{ B, A int }
	type three struct{ A, B int64 }
	require.Equal(t, shape(&one{}), shape(&one{A: 1}))
	require.NotEqual(t, shape(&one{}), shape(&two{}))
	require.NotEqual(t, shape(&one{}), shape(&three{}))
}

func TestALengthThatLiesTakesNoMemory(t *testing.T) {
	t.Parallel()
	type wide struct{ A [64]int64 }
	s := struct{ list []wide }{make([]wide, 2)}
	b, err := snapshot.Encode(&s)
	require.NoError(t, err)
	back := s
	require.NoError(t, snapshot.Decode(b, &back))
	for _, lie := range []byte{3, 100} {
		spoiled := append([]byte(nil), b...)
		spoiled[0], spoiled[2] = lie+1, lie
		require.ErrorIs(t, snapshot.Decode(spoiled, &back), snapshot.ErrBytes)
	}
}
