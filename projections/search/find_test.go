package search_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections/search"
)

func TestEverythingThatWasSaidIsFound(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.work("S1")
	x := r.opened(r.dir)
	for text, want := range map[string][]string{
		"mend":                           {"GoalSubmitted"},
		"PARSER please":                  {"GoalSubmitted"},
		"parse_line":                     {"ModelReplied"},
		`"shall read"`:                   {"ModelReplied"},
		`"read shall"`:                   {},
		"src/parse.go":                   {"AskRaised", "ToolRequested"},
		`"func (p *parser) next()"`:      {"AskRaised", "ToolRequested"},
		"reasonable":                     {"AskAnswered"},
		"解析器":                            {"ToolSettled"},
		"析":                              {"ToolSettled"},
		"import missing":                 {"HintGiven"},
		"zebra":                          {"HookCalled"},
		"giraff*":                        {"DiscussionChanged"},
		"giraffesandmore*":               {},
		"parser -please":                 {"AskRaised", "ToolRequested"},
		"promptonly":                     {},
		"unheardof":                      {},
		"type:toolsettled":               {"ToolSettled"},
		"tier:4":                         {"HintGiven"},
		"ticket:t-1 type:ModelReplied":   {"ModelReplied"},
		"tool:edit_file ticket:T-1 no":   {"ToolSettled"},
		"type:HintGiven type:ToolParked": {"HintGiven"},
		"session:s1 mend":                {"GoalSubmitted"},
		"session:S2 mend":                {},
		"mend before:2026-01-01T00:02":   {},
		"mend before:2026-01-01T00:03":   {"GoalSubmitted"},
		"mend after:2026-01-01T00:02":    {"GoalSubmitted"},
		"mend after:2026-01-01T00:03":    {},
		"mend after:2w":                  {"GoalSubmitted"},
		"mend after:1d":                  {},
	} {
		require.Equal(t, want, find(t, x, text), text)
	}
}

func TestAHitShowsWhereAndNothingThatSteersATerminal(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.work("S1")
	long := strings.Repeat("äöü filler ", 200)
	r.add("S1", "ada", events.GoalSubmitted{Goal: long + "needle\u202e\x07\nafter" + long})
	x := r.opened("")
	a, err := x.Find(patient(t), parse(t, "line tool:edit_file type:ToolSettled"), search.Page{Limit: 10})
	require.NoError(t, err)
	h := a.Hits[0]
	require.Equal(t, "S1 ToolSettled worker-1 3 T-1 edit_file 9", fmt.Sprint(h.Session, " ", h.Type, " ", h.Actor, " ",
		h.Tier, " ", h.Ticket, " ", h.Tool, " ", h.Seq))
	require.Equal(t, "line", h.Snippet[h.Match[0]:h.Match[1]])
	require.Contains(t, h.Snippet, "no such line\uFFFD[2J in")
	a, err = x.Find(patient(t), parse(t, "needle"), search.Page{Limit: 10})
	require.NoError(t, err)
	s := a.Hits[0].Snippet
	require.Contains(t, s, "needle\uFFFD\uFFFD after")
	require.True(t, strings.HasPrefix(s, "…") && strings.HasSuffix(s, "…"))
	require.Less(t, len(s), 300)
}

func TestPagesAreNewestFirstOrBestFirst(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.add("S1", "ada", events.SessionOpened{Folder: "20260101_000000"})
	r.add("S1", "ada", events.GoalSubmitted{Goal: "apple apple apple"})
	for range 30 {
		r.add("S1", "ada", events.GoalSubmitted{Goal: "apple and a long tail of other words that make it match less well"})
	}
	x := r.opened("")
	page := func(p search.Page) (seqs []uint64) {
		a, err := x.Find(patient(t), parse(t, "apple"), p)
		require.NoError(t, err)
		require.EqualValues(t, 31, a.Total)
		for _, h := range a.Hits {
			seqs = append(seqs, h.Seq)
		}
		return seqs
	}
	require.Equal(t, []uint64{32, 31, 30}, page(search.Page{Limit: 3}))
	require.Equal(t, []uint64{3, 2}, page(search.Page{Limit: 3, Offset: 29}))
	require.Equal(t, []uint64{2}, page(search.Page{Limit: 1, Sort: search.Score}))
	require.Len(t, page(search.Page{Limit: search.MaxLimit + 1}), 31)
}

func TestAPrefixMayNotStandForTooMuch(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.add("S1", "ada", events.SessionOpened{Folder: "20260101_000000"})
	var many strings.Builder
	for i := range search.MaxPrefix {
		fmt.Fprintf(&many, "word%d ", i)
	}
	r.add("S1", "ada", events.GoalSubmitted{Goal: many.String()})
	x := r.opened("")
	require.Equal(t, []string{"GoalSubmitted"}, find(t, x, "word*"))
	r.add("S1", "ada", events.GoalSubmitted{Goal: "wordandonemore"})
	require.NoError(t, x.CatchUp(patient(t), 0))
	_, err := x.Find(patient(t), parse(t, "word*"), search.Page{Limit: 1})
	var refused *search.QueryError
	require.ErrorAs(t, err, &refused)
	require.Contains(t, refused.Message, "word* matches more than 256 words")
}

// holed is a log of which some events cannot be read.
type holed struct {
	events.Log
	from, to uint64
}

// Read fails for an event in the hole.
func (h *holed) Read(ctx context.Context, f events.Filter, from, to uint64) iter.Seq2[events.Event, error] {
	if to != 0 && from >= h.from && to <= h.to {
		return func(yield func(events.Event, error) bool) { yield(events.Event{}, errors.New("damaged record")) }
	}
	return h.Log.Read(ctx, f, from, to)
}

func TestAnEventThatCannotBeReadLeavesTheOtherHits(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	for i := range 3 {
		r.add("S1", "ada", events.GoalSubmitted{Goal: fmt.Sprint("apple ", i)})
	}
	log := &holed{Log: r.log}
	x := search.New(search.Options{Log: log, Project: project})
	require.NoError(t, x.Open(patient(t)))
	require.NoError(t, x.CatchUp(patient(t), 0))
	log.from, log.to = 2, 2
	a, err := x.Find(patient(t), parse(t, "apple"), search.Page{Limit: 3})
	require.NoError(t, err)
	require.EqualValues(t, 3, a.Total)
	require.Equal(t, "apple 2", a.Hits[0].Snippet)
	require.Equal(t, search.Hit{Seq: 2, Snippet: "This event cannot be read."}, a.Hits[1])
	require.Equal(t, "apple 0", a.Hits[2].Snippet)

	log.from, log.to = 1, 3
	_, err = x.Find(patient(t), parse(t, "apple"), search.Page{Limit: 3})
	require.ErrorContains(t, err, "damaged record", "no event can be read")
	require.NoError(t, x.Close())
}
