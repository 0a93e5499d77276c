package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"manualslop/events"
)

// Limits of a search.
const (
	// DefaultLimit and MaxLimit limit the number of hits per answer.
	DefaultLimit = 20
	MaxLimit     = 1000
	// MaxOffset limits how many hits may be skipped.
	MaxOffset = 10_000
	// MaxPrefix limits the number of words that one prefix can match.
	MaxPrefix = 256
	// MaxTime limits the duration of a search.
	MaxTime = 5 * time.Second
	// settleWait is the default time that a search waits for stored events to be indexed. If the
	// index is just being opened, the wait is longer by the factor openShare.
	settleWait = time.Second
	openShare  = 3
)

// Sort orders of hits.
const (
	Newest = "newest" // newest event first
	Score  = "score"  // best match first
)

// Page selects the hits of an answer.
type Page struct {
	Limit, Offset int
	Sort          string // Newest or Score; empty means Newest
}

// Hit is one event that was found.
type Hit struct {
	Session string    `json:"session"`
	Seq     uint64    `json:"seq"`
	Time    time.Time `json:"time"`
	Type    string    `json:"type"`
	Actor   string    `json:"actor"`
	Tier    int       `json:"tier,omitempty"`
	Ticket  string    `json:"ticket,omitempty"`
	Tool    string    `json:"tool,omitempty"`
	// Snippet is the text around the first match, on one line, without terminal control
	// characters. If the event is unreadable, Snippet says so, and Session, Time, Type and Actor
	// are empty.
	Snippet string `json:"snippet"`
	// Match is the position of the match in Snippet, in bytes: start and end.
	Match [2]int `json:"match"`
}

// Answer is the result of a search.
type Answer struct {
	Hits  []Hit  `json:"hits"`
	Total uint64 `json:"total"` // number of matching events
	// Indexed is the newest sequence that was searched, and Behind the number of newer events in
	// the log.
	Indexed uint64 `json:"indexed"`
	Behind  uint64 `json:"behind"`
}

// Find searches the index. It first waits until stored events are indexed, at most for the time in
// Options. It returns a *QueryError, ErrNotOpen, ErrDamaged, or the context's error.
func (x *Index) Find(ctx context.Context, q Query, page Page) (Answer, error) {
	page.Limit = min(max(page.Limit, 0), MaxLimit)
	page.Offset = min(max(page.Offset, 0), MaxOffset)
	defer x.search()()
	head, err := x.settle(ctx)
	if err != nil {
		return Answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, MaxTime)
	defer cancel()
	x.searches.RLock()
	defer x.searches.RUnlock()
	x.mu.RLock()
	index, at := x.index, x.at.Seq
	x.mu.RUnlock()
	if index == nil {
		return Answer{}, ErrNotOpen
	}
	out := Answer{Hits: []Hit{}, Indexed: at, Behind: max(head, at) - at}
	if err = guarded(func() error { return reading{x, index}.search(ctx, q, page, &out) }); errors.Is(err, ErrDamaged) {
		x.damaged()
	}
	return out, err
}

// damaged tells Run to rebuild the index.
func (x *Index) damaged() {
	select {
	case x.broken <- struct{}{}:
	default:
	}
}

// search keeps the index open until over is called.
func (x *Index) search() (over func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.searching++
	return func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.searching--
		x.unsearched = 0
	}
}

// settle waits until the stored events are indexed or the wait has timed out.
func (x *Index) settle(ctx context.Context) (head uint64, err error) {
	if x.opts.Head == nil {
		return 0, nil
	}
	head = x.opts.Head()
	timer := time.NewTimer(x.opts.Settle)
	defer timer.Stop()
	for late := false; ; {
		x.mu.RLock()
		open, at, moved := x.index != nil, x.at.Seq, x.moved
		x.mu.RUnlock()
		if open && at >= head {
			return head, nil
		}
		x.please()
		select {
		case <-moved:
		case <-timer.C:
			if open || late {
				return head, nil
			}
			late = true
			timer.Reset(openShare * x.opts.Settle)
		case <-ctx.Done():
			return head, ctx.Err()
		}
	}
}

// reading is an index that stays open during a search.
type reading struct {
	*Index
	index bleve.Index
}

// search runs the query in the library.
func (r reading) search(ctx context.Context, q Query, page Page, out *Answer) error {
	asked, err := r.build(q)
	if err != nil {
		return err
	}
	req := bleve.NewSearchRequestOptions(asked, page.Limit, page.Offset, false)
	req.Fields = []string{fieldStored}
	req.SortBy([]string{"-_id"})
	if page.Sort == Score {
		req.SortBy([]string{"-_score", "-_id"})
	}
	found, err := r.index.SearchInContext(ctx, req)
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	out.Total = found.Total
	var unread error // the newest read error
	shown := 0
	for _, match := range found.Hits {
		h := Hit{Seq: seqOf(match.ID)}
		if raw, _ := match.Fields[fieldStored].(string); raw != "" {
			var s stored
			if err := json.Unmarshal([]byte(raw), &s); err != nil {
				return fmt.Errorf("%w: event %s cannot be read", ErrDamaged, match.ID)
			}
			h.Tier, h.Ticket, h.Tool = s.Tier, s.Ticket, s.Tool
		}
		if err := r.show(ctx, &h, q.terms); err != nil {
			unread = fmt.Errorf("search: %w", err)
			h.Snippet = unreadable
		} else {
			shown++
		}
		if ctx.Err() != nil {
			return fmt.Errorf("search: %w", ctx.Err())
		}
		out.Hits = append(out.Hits, h)
	}
	switch {
	case unread == nil:
		return nil
	case shown == 0:
		return unread // the error does not concern just one event
	case errors.Is(unread, ErrDamaged):
		r.damaged()
	}
	r.opts.Logger.WarnContext(ctx, "cannot read an event that was found", "error", unread)
	return nil
}

// unreadable is the snippet for an event that cannot be read.
const unreadable = "This event cannot be read."

// show reads the event of a hit from the log.
func (r reading) show(ctx context.Context, h *Hit, terms []term) error {
	for e, err := range r.opts.Log.Read(ctx, events.Filter{Project: r.opts.Project}, h.Seq, h.Seq) {
		if err != nil {
			return fmt.Errorf("event %d: %w", h.Seq, err)
		}
		h.Session, h.Time, h.Type, h.Actor = e.Session, e.Time.UTC(), e.Type, e.Actor
		h.Snippet, h.Match = snippet(Text(&e), terms)
		return nil
	}
	return fmt.Errorf("%w: event %d is not in the log", ErrDamaged, h.Seq)
}

// build converts the query to one of the library.
func (r reading) build(q Query) (query.Query, error) {
	var must, not []query.Query
	for _, t := range q.terms {
		asked, err := r.term(t)
		if err != nil {
			return nil, err
		}
		if t.not {
			not = append(not, asked)
		} else {
			must = append(must, asked)
		}
	}
	sessions, err := r.sessionsOf(q.sessions)
	if err != nil {
		return nil, err
	}
	tiers := make([]string, len(q.tiers))
	for i, tier := range q.tiers {
		tiers[i] = tierWord(tier)
	}
	for _, f := range []struct {
		name   string
		values []string
	}{{fieldType, q.types}, {fieldTier, tiers}, {fieldTicket, q.tickets}, {fieldTool, q.tools}, {fieldSession, sessions}} {
		if len(f.values) > 0 {
			must = append(must, anyOf(f.name, f.values))
		}
	}
	if !q.after.IsZero() || !q.before.IsZero() {
		must = append(must, between(q.after, q.before))
	}
	if len(must) == 0 {
		must = append(must, query.NewMatchAllQuery())
	}
	return query.NewBooleanQuery(must, nil, not), nil
}

func anyOf(field string, values []string) query.Query {
	out := make([]query.Query, len(values))
	for i, v := range values {
		one := query.NewTermQuery(v)
		one.SetField(field)
		out[i] = one
	}
	return query.NewDisjunctionQuery(out)
}

func between(after, before time.Time) query.Query {
	var low, high *float64
	if !after.IsZero() {
		low = new(float64)
		*low = float64(after.UnixMilli())
	}
	if !before.IsZero() {
		high = new(float64)
		*high = float64(before.UnixMilli())
	}
	q := query.NewNumericRangeQuery(low, high) // low is inclusive, high exclusive
	q.SetField(fieldTime)
	return q
}

// term returns the library's query for a word, a phrase or a prefix.
func (r reading) term(t term) (query.Query, error) {
	if !t.prefix {
		if len(t.words) == 1 {
			return anyOf(fieldText, t.words), nil
		}
		return query.NewPhraseQuery(t.words, fieldText), nil
	}
	dict, err := r.index.FieldDictPrefix(fieldText, []byte(t.words[0]))
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	defer dict.Close()
	var all []string
	for {
		entry, err := dict.Next()
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		if entry == nil {
			break
		}
		if all = append(all, entry.Term); len(all) > MaxPrefix {
			return nil, &QueryError{Message: fmt.Sprintf("%s* matches more than %d words", t.words[0], MaxPrefix),
				Hint: "Give more characters of the word."}
		}
	}
	if len(all) == 0 {
		return query.NewMatchNoneQuery(), nil
	}
	return anyOf(fieldText, all), nil
}

// sessionsOf returns the ids of sessions that begin or end with the given values. A value without
// a match is kept and finds nothing.
func (r reading) sessionsOf(asked []string) ([]string, error) {
	if len(asked) == 0 {
		return nil, nil
	}
	dict, err := r.index.FieldDict(fieldSession)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	defer dict.Close()
	out := slices.Clone(asked)
	for {
		entry, err := dict.Next()
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		if entry == nil {
			return out, nil
		}
		if slices.ContainsFunc(asked, func(s string) bool {
			return strings.HasPrefix(entry.Term, s) ||
				strings.HasSuffix(entry.Term, s)
		}) {
			out = append(out, entry.Term)
		}
		if len(out) > MaxLimit+len(asked) {
			return nil, &QueryError{Message: "session: matches too many sessions", Hint: "Give more characters of the id."}
		}
	}
}
