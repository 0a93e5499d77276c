package events_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// said are parts with these texts.
func said(texts ...string) []events.Part {
	out := make([]events.Part, len(texts))
	for i, text := range texts {
		out[i] = events.Part{Role: "user", Text: text}
	}
	return out
}

func continuing(id string, keep int, texts ...string) *events.ModelRequested {
	return &events.ModelRequested{Continues: id, Keep: keep, Manifest: said(texts...)}
}

func TestARequestIsWhatItKeepsAndWhatItSays(t *testing.T) {
	t.Parallel()
	all := events.Prompts[events.Part]{}
	for _, step := range []struct {
		id   string
		asks *events.ModelRequested
		want []string
	}{
		{"1", continuing("", 0, "a", "b"), []string{"a", "b"}},
		{"2", continuing("1", 2, "c", "files"), []string{"a", "b", "c", "files"}},
		{"another", continuing("", 0), nil},
		{"3", continuing("2", 3, "d"), []string{"a", "b", "c", "d"}},
		{"retry", continuing("3", 4), []string{"a", "b", "c", "d"}},
		{"another's next", continuing("x", 1, "y"), []string{"x", "y"}},
		{"shortened", continuing("retry", 1, "rounds were left out", "d"), []string{"a", "rounds were left out", "d"}},
	} {
		if step.id == "another's next" {
			_, err := all.Take("x", continuing("", 0, "x"), events.Same)
			require.NoError(t, err)
		}
		got, err := all.Take(step.id, step.asks, events.Same)
		require.NoError(t, err, step.id)
		require.ElementsMatch(t, said(step.want...), got, step.id)
		again, err := all.Take(step.id, step.asks, events.Same)
		require.NoError(t, err, "an event that is told twice counts once")
		require.Equal(t, got, again)
	}
	require.Len(t, all, 3, "what was continued is kept")
}

func TestARequestThatContinuesWhatItCannotIsAnError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asks *events.ModelRequested
		want string
	}{
		"one that never was": {continuing("lost", 1), `it continues request "lost", which is not an earlier request`},
		"itself":             {continuing("new", 1), `it continues request "new", which is not an earlier request`},
		"one that was continued": {continuing("1", 1),
			`it continues request "1", which is not an earlier request, is over, or was already continued`},
		"a part too many":         {continuing("2", 4), `it keeps 4 parts of request "2", which has 3`},
		"nothing of it":           {continuing("2", 0, "a"), "it keeps 0 parts"},
		"less than nothing of it": {continuing("2", -1, "a"), "it keeps -1 parts"},
		"parts of nobody":         {continuing("", 1, "a"), "it keeps 1 parts but does not continue a request"},
		"fewer parts of nobody":   {continuing("", -1, "a"), "it keeps -1 parts but does not continue a request"},
	} {
		all := events.Prompts[events.Part]{}
		for id, asks := range map[string]*events.ModelRequested{"1": continuing("", 0, "a", "b")} {
			_, err := all.Take(id, asks, events.Same)
			require.NoError(t, err)
		}
		before, err := all.Take("2", continuing("1", 2, "c"), events.Same)
		require.NoError(t, err)
		_, err = all.Take("new", c.asks, events.Same)
		require.ErrorContains(t, err, c.want, name)
		require.Equal(t, events.Prompts[events.Part]{"2": {Parts: before}}, all, name)
		require.Equal(t, said("a", "b", "c"), before, name)
	}
}

func TestAManifestHasAMostOfParts(t *testing.T) {
	t.Parallel()
	all, none := events.Prompts[bool]{}, func(*events.Part) bool { return true }
	half := make([]events.Part, events.MaxManifest/2)
	_, err := all.Take("1", &events.ModelRequested{Manifest: half}, none)
	require.NoError(t, err)
	_, err = all.Take("more", &events.ModelRequested{Continues: "1", Keep: len(half), Manifest: append(half,
		events.Part{})}, none)
	require.ErrorContains(t, err, fmt.Sprintf("its manifest has %d parts; at most %d are allowed", events.MaxManifest+1,
		events.MaxManifest))
	got, err := all.Take("2", &events.ModelRequested{Continues: "1", Keep: len(half), Manifest: half}, none)
	require.NoError(t, err)
	require.Len(t, got, events.MaxManifest)
}

func TestAConversationOfAnyLengthCostsWhatIsNewInIt(t *testing.T) {
	t.Parallel()
	all := events.Prompts[events.Part]{}
	take := func(id, before, keep int, texts ...string) {
		asks := continuing("", 0, texts...)
		if keep > 0 {
			asks = continuing(fmt.Sprint(before), keep, texts...)
		}
		_, err := all.Take(fmt.Sprint(id), asks, events.Same)
		require.NoError(t, err)
	}
	take(0, 0, 0, "a")
	const deep = 100_000
	for i := range deep {
		take(i+1, i, 1)
	}
	require.Equal(t, said("a"), all[fmt.Sprint(deep)].Parts)
	require.Len(t, all, 1)
	moved, at := 0, &all[fmt.Sprint(deep)].Parts[0]
	for i := range 10_000 {
		take(deep+i+1, deep+i, i+1, "b")
		if now := &all[fmt.Sprint(deep+i+1)].Parts[0]; now != at {
			moved, at = moved+1, now
		}
	}
	require.Len(t, all[fmt.Sprint(deep+10_000)].Parts, 10_001)
	require.Less(t, moved, 50, "a step costs as much as the whole conversation")
}

// line is a conversation in the making: what its decider means to send.
type line struct {
	id    string
	whole []events.Part
	next  []events.Part
}

// TestWhatIsTakenIsWhatWasMeant has random conversations side by side grow,
// repeat themselves, show a block of files, and be shortened.
func TestWhatIsTakenIsWhatWasMeant(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 44))
		anew := 0
		all, sizes, lines := events.Prompts[events.Part]{}, events.Prompts[int]{}, make([]line, 3)
		for n := range 200 {
			l := &lines[random.IntN(len(lines))]
			l.change(random, n)
			m := events.ModelRequested{Manifest: slices.Clone(l.next)}
			m.Continue(l.id, l.whole)
			if m.Continues == "" {
				anew++
			}
			require.LessOrEqual(t, len(m.Manifest), len(l.next))
			m = reread(t, m)
			id := fmt.Sprint(n)
			got, err := all.Take(id, &m, events.Same)
			require.NoError(t, err)
			require.True(t, slices.Equal(l.next, got), "seed %d, request %d", seed, n)
			measured, err := sizes.Take(id, &m, func(p *events.Part) int { return len(p.Text) })
			require.NoError(t, err)
			require.Len(t, measured, len(got))
			for i, p := range got {
				require.Equal(t, len(p.Text), measured[i])
			}
			l.id, l.whole = id, slices.Clone(l.next)
		}
		require.Len(t, all, anew, "what was continued is kept")
	}
}

// change is what a decider does between two requests.
func (l *line) change(random *rand.Rand, n int) {
	if k := len(l.next) - 1; k >= 0 && l.next[k].Kind == events.PartRefresh {
		l.next = l.next[:k]
	}
	switch random.IntN(8) {
	case 0: // the same again
		l.next = slices.Clone(l.whole)
	case 1: // rounds are left out
		if len(l.next) > 4 {
			l.next = slices.Concat(l.next[:2], said(fmt.Sprint("left out at ", n)), l.next[4:])
		}
	case 2: // a result is shortened
		if len(l.next) > 2 {
			l.next = slices.Clone(l.next)
			l.next[random.IntN(len(l.next))].Head = 8000 + n
		}
	case 3: // files changed
		l.next = append(slices.Clip(l.next), events.Part{Role: "user", Kind: events.PartRefresh, Text: fmt.Sprint("files ",
			n)})
	case 4: // another attempt at the ticket begins anew
		*l = line{next: said(fmt.Sprint("begin ", n))}
	default:
		l.next = append(slices.Clip(l.next), said(fmt.Sprint("a", n), fmt.Sprint("b", n))...)
	}
	if len(l.next) == 0 {
		l.next = said(fmt.Sprint("begin ", n))
	}
}

func reread(t *testing.T, m events.ModelRequested) (out events.ModelRequested) {
	t.Helper()
	raw, err := json.Marshal(m)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &out))
	return out
}

func TestConversationsAreForgottenWithWhatTheyAreAbout(t *testing.T) {
	t.Parallel()
	open := map[string]events.ModelRequested{
		"goal":     {Tier: 1, Goal: "G"},
		"track":    {Tier: 2, Goal: "G", Track: "TR"},
		"review":   {Tier: 2, Track: "TR", Ticket: "T", TicketAttempt: 1},
		"ticket":   {Tier: 3, Track: "TR", Ticket: "T", TicketAttempt: 1},
		"again":    {Tier: 3, Track: "TR", Ticket: "T", TicketAttempt: 2},
		"hint":     {Tier: 4, Ticket: "T", TicketAttempt: 1, Call: "c"},
		"patch":    {Tier: 4, Call: "c"},
		"nobody's": {},
	}
	for name, c := range map[string]struct {
		by   events.Payload
		gone []string
	}{
		"the goal's tracks":        {events.TracksProposed{Goal: "G"}, []string{"goal"}},
		"another goal's tracks":    {events.TracksProposed{Goal: "H"}, nil},
		"the track's tickets":      {events.TicketsPlanned{Track: "TR"}, []string{"track"}},
		"no plan of the goal":      {events.PlanningFailed{Tier: 1, Goal: "G"}, []string{"goal"}},
		"no plan of the track":     {events.PlanningFailed{Tier: 2, Goal: "G", Track: "TR"}, []string{"track"}},
		"a verdict":                {events.TicketReviewed{Ticket: "T", Attempt: 1}, []string{"review"}},
		"the attempt's end":        {events.TicketResolved{Ticket: "T", Attempt: 1}, []string{"hint", "ticket"}},
		"the second attempt's end": {events.TicketResolved{Ticket: "T", Attempt: 2}, []string{"again", "hint", "ticket"}},
		"the end of nobody":        {events.TicketResolved{}, nil},
		"a kill":                   {events.TicketKilled{Ticket: "T", Attempt: 1}, []string{"hint", "review", "ticket"}},
		"a kill of nobody":         {events.TicketKilled{}, nil},
		"an answer of tier 4":      {events.ModelReplied{Request: "hint"}, []string{"hint"}},
		"an answer of tier 3":      {events.ModelReplied{Request: "ticket"}, nil},
		"an answer to nobody":      {events.ModelReplied{Request: "lost"}, nil},
		"a failure":                {events.ModelFailed{Request: "hint"}, nil},
	} {
		all := events.Prompts[events.Part]{}
		for id, m := range open {
			_, err := all.Take(id, &m, events.Same)
			require.NoError(t, err)
		}
		all.Forget(&events.Event{Payload: c.by})
		for id := range open {
			_, kept := all[id]
			require.Equal(t, slices.Contains(c.gone, id), !kept, "%s: %s", name, id)
		}
		_, failed := c.by.(events.ModelFailed)
		require.Equal(t, !failed, events.EndsPrompts(c.by), name)
	}
}
