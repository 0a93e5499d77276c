package projections

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"manualslop/events"
)

// talk folds the discussion by ticket, so that the order in which parallel
// calls of one round settle does not show.
type talk struct {
	Turns   map[string]int         `json:"turns"`   // replies so far by group
	Place   map[string]int         `json:"place"`   // turn of each request that was answered with calls
	Entries map[string][]talkEntry `json:"entries"` // by group
}

// talkEntry is an entry and its place: the reply of a turn, then its calls by
// index, each with what tier 4 said of it behind.
type talkEntry struct {
	EndEntry
	Turn  int `json:"turn"`
	Index int `json:"index"` // 0 the reply, n the n-th call
	Kind  int `json:"kind"`
}

// Kinds of entries at one place, in their order.
const (
	talkReply = iota
	talkOutcome
	talkTriage
)

func newTalk() talk {
	return talk{Turns: map[string]int{}, Place: map[string]int{}, Entries: map[string][]talkEntry{}}
}

func (t *talk) add(group string, n talkEntry) { t.Entries[group] = append(t.Entries[group], n) }

// said is an entry outside tickets that no model wrote.
func (t *talk) said(role, text string) {
	t.Turns[""]++
	t.add("", talkEntry{EndEntry: EndEntry{Role: role, SHA256: events.Digest([]byte(text)), Head: head(text)},
		Turn: t.Turns[""]})
}

func (t *talk) replied(q request, p *events.ModelReplied) {
	n := talkEntry{EndEntry: EndEntry{Role: RoleAI, SHA256: p.SHA256, Head: head(p.Text)}, Kind: talkReply}
	if q.Call != "" {
		n.Turn, n.Index, n.Kind = t.Place[requestOf(q.Call)], indexOf(q.Call), talkTriage
		t.add(q.Ticket, n)
		return
	}
	t.Turns[q.Ticket]++
	n.Turn = t.Turns[q.Ticket]
	if len(p.Calls) > 0 {
		t.Place[p.Request] = n.Turn
	}
	t.add(q.Ticket, n)
}

// called notes the last word on a call.
func (t *talk) called(e *events.Event, k *call) {
	n := talkEntry{EndEntry: EndEntry{Role: RoleTool, Tool: k.Tool}, Kind: talkOutcome}
	id := ""
	switch p := e.Payload.(type) {
	case events.ToolSettled:
		if p.Outcome == events.ToolInterrupted {
			return
		}
		id, n.Outcome, n.SHA256, n.Head = p.Call, p.Outcome, p.SHA256, head(p.Text)
	case events.ToolDenied:
		id, n.Outcome, n.SHA256, n.Head = p.Call, outcomeDenied, events.Digest([]byte(p.Reason)), head(p.Reason)
	case events.InterruptResolved:
		if p.Resolution == events.InterruptRetry {
			return
		}
		id, n.Outcome = p.Call, p.Resolution
	default:
		return
	}
	n.Turn, n.Index = t.Place[requestOf(id)], indexOf(id)
	t.add(k.Ticket, n)
}

// indexOf is the place of a call among those of its reply, from 1.
func indexOf(callID string) int {
	n, err := strconv.Atoi(callID[strings.LastIndexByte(callID, '-')+1:])
	if err != nil {
		return 0
	}
	return n + 1
}

// entries is the discussion by ticket in the order of its places.
func (t *talk) entries() map[string][]EndEntry {
	out := make(map[string][]EndEntry, len(t.Entries))
	// order-independent: each key is written once into another map.
	for group, entries := range t.Entries {
		sorted := slices.Clone(entries)
		slices.SortStableFunc(sorted, func(a, b talkEntry) int {
			return cmp.Or(cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Kind, b.Kind),
				strings.Compare(a.SHA256, b.SHA256))
		})
		out[group] = make([]EndEntry, len(sorted))
		for i, n := range sorted {
			out[group][i] = n.EndEntry
		}
	}
	return out
}
