package chaos

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/replay"
)

// log is what the person saw, in order.
func (p *person) log() []events.Event {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]events.Event, 0, len(p.seen))
	for _, e := range p.seen { // order-independent: it is sorted below
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b events.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	return out
}

// judge holds the record against everything that was seen elsewhere.
func (r *run) judge() {
	log := r.person.log()
	r.counts["events"], r.counts["sessions"] = len(log), len(r.person.sessions)
	r.counts["acknowledged"] = len(r.person.acked) + len(r.person.pushed)
	for _, s := range r.person.sessions { // order-independent: a sum
		if s.over {
			r.counts["sessions ended"]++
		}
	}
	for _, what := range unanswered(log) {
		r.violate("request-unanswered", "%s", what)
	}
	r.pushedOnce(log)
	r.ranOnce(log)
	r.editedOnce(log)
	r.verified(log)
	r.noDumps()
	r.rebuilt(log)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range r.violations {
		switch v.name {
		case "acknowledged-lost":
			r.counts["lost"]++
		case "ran-twice", "settled-twice", "event-twice":
			r.counts["doubled"]++
		case "request-unanswered":
			r.counts["requests without outcome"]++
		}
	}
	for _, what := range []string{"lost", "doubled", "requests without outcome"} {
		r.counts[what] += 0 // it is printed when there is none, too
	}
}

// requests are the keys of what an event asks for, and of what it answers.
func requests(e events.Event) (asks, answers string) {
	switch p := e.Payload.(type) {
	case events.ToolRequested:
		asks = "call " + p.Call
	case events.ToolApproved:
		asks = fmt.Sprintf("approved call %s %d", p.Call, p.Generation)
	case events.PreviewRequested:
		asks = "preview " + p.Call
	case events.ContextRequested, events.ContextInjectionRequested, events.RefreshRequested, events.ModelRequested,
		events.WorkspaceRequested, events.MergeRequested:
		asks = e.Type + " " + e.ID
	case events.AskRaised:
		asks = "ask " + p.Ask
	case events.AskPosted:
		asks = "posted " + p.RequestID
	case events.ToolSettled:
		answers = fmt.Sprintf("approved call %s %d", p.Call, p.Generation)
	case events.PreviewBuilt:
		answers = "preview " + p.Call
	case events.ContextBuilt:
		answers = p.Request
	case events.FilesUpdated:
		answers = p.Request
	case events.ModelReplied:
		answers = p.Request
	case events.ModelFailed:
		answers = p.Request
	case events.WorkspacePrepared:
		answers = p.Request
	case events.MergeSettled:
		answers = p.Request
	case events.AskSettled:
		answers = "ask " + p.Ask
	}
	return asks, answers
}

// maxGenerations bounds how often a person has one call run again.
const maxGenerations = 100

// unanswered names the requests without an outcome. What is asked for in a
// session that is closed already, as its question crossed the closing, never
// begins: deciders are silent there.
func unanswered(log []events.Event) []string {
	open, closed := map[string]string{}, map[string]bool{}
	for _, e := range log {
		asks, answers := requests(e)
		closed[e.Session] = closed[e.Session] || events.Closes(e)
		if asks != "" && !(closed[e.Session] && silent(e)) {
			open[e.Session+" "+asks] = fmt.Sprintf("session %s, %d: %s %s", e.Session, e.Seq, e.Type, asks)
		}
		settle(open, e)
		if answers == "" {
			continue
		}
		for _, typ := range []string{"", "ContextRequested ", "ContextInjectionRequested ", "RefreshRequested ",
			"ModelRequested ", "WorkspaceRequested ", "MergeRequested "} {
			delete(open, e.Session+" "+typ+answers)
		}
	}
	var out []string
	for _, key := range sorted(open) {
		out = append(out, open[key])
	}
	return out
}

// silent tells whether a request needs a decision before anybody acts on it.
func silent(e events.Event) bool { return e.Type == "ToolRequested" || e.Type == "AskPosted" }

// settle takes away what an outcome answers beside its own request.
func settle(open map[string]string, e events.Event) {
	switch p := e.Payload.(type) {
	case events.ToolSettled:
		delete(open, e.Session+" call "+p.Call)
	case events.ToolDenied:
		delete(open, e.Session+" call "+p.Call)
	case events.ToolParked:
		delete(open, e.Session+" call "+p.Call)
		for generation := range maxGenerations {
			delete(open, fmt.Sprintf("%s approved call %s %d", e.Session, p.Call, generation))
		}
	case events.AskSettled:
		delete(open, e.Session+" posted "+p.Ask)
	}
}

// pushedOnce checks that each question that the gateway answered is on record
// once, with that answer.
func (r *run) pushedOnce(log []events.Event) {
	posted, settled := map[string]int{}, map[string]string{}
	for _, e := range log {
		switch p := e.Payload.(type) {
		case events.AskPosted:
			posted[p.RequestID]++
		case events.AskSettled:
			settled[p.Ask] = p.Outcome
		}
	}
	for _, id := range sorted(r.person.pushed) {
		if posted[id] == 0 || settled[id] == "" {
			r.violate("acknowledged-lost", "question %s was answered with %s; on record: posted %d times, settled %q", id,
				r.person.pushed[id], posted[id], settled[id])
		}
	}
}

// call is what the record says of one call.
type call struct {
	session, tool, id, ticket string
	approved                  map[int]events.Event // by generation
	outcomes                  []events.ToolSettled
	killed                    uint64 // where its ticket was killed or its session closed
}

// callsOf folds the calls of the log, by call.
func callsOf(log []events.Event) map[string]*call {
	calls := map[string]*call{}
	for _, e := range log {
		switch p := e.Payload.(type) {
		case events.ToolRequested:
			calls[p.Call] = &call{session: e.Session, tool: p.Tool, id: idOf(p.Args), ticket: p.Ticket,
				approved: map[int]events.Event{}}
		case events.ToolApproved:
			if c := calls[p.Call]; c != nil {
				c.approved[p.Generation] = e
			}
		case events.ToolSettled:
			if c := calls[p.Call]; c != nil {
				c.outcomes = append(c.outcomes, p)
			}
		case events.TicketKilled:
			end(calls, e, p.Ticket)
		case events.SessionClosed:
			end(calls, e, "")
		}
	}
	return calls
}

// end marks the calls that are over with their ticket, or with their session.
func end(calls map[string]*call, e events.Event, ticket string) {
	for _, c := range calls { // order-independent: each by itself
		if c.session == e.Session && (ticket == "" || c.ticket == ticket) && c.killed == 0 {
			c.killed = e.Seq
		}
	}
}

// ranOnce holds what scripts left outside against approvals and outcomes.
func (r *run) ranOnce(log []events.Event) {
	marks, calls := r.marks(), callsOf(log)
	at := map[uint64]events.Event{}
	for _, e := range log {
		at[e.Seq] = e
	}
	of := map[string][]*call{} // by id: one play may be performed in several sessions
	for _, key := range sorted(calls) {
		if c := calls[key]; c.tool == "run_powershell" {
			of[c.id] = append(of[c.id], c)
		}
		r.settledOnce(key, calls[key])
	}
	for _, id := range sorted(marks) {
		begun, ended := ran(marks[id])
		allowed, done := 0, 0
		for _, c := range of[id] {
			allowed += len(c.approved)
			for _, o := range first(c.outcomes) {
				if o.Exit != nil && o.Outcome != events.ToolInterrupted {
					done++
				}
			}
			r.notAfterEnd(id, c, marks[id], at[c.killed])
		}
		r.counts["scripts begun"] += begun
		if begun > allowed {
			r.violate("ran-twice", "script %s began %d times on %d approvals: %v", id, begun, allowed, marks[id])
		}
		if ended < done {
			r.violate("outcome-invented", "script %s came to its end %d times, and the record says %d times", id, ended, done)
		}
	}
}

// first is the outcome that counts of each generation.
func first(all []events.ToolSettled) map[int]events.ToolSettled {
	out := map[int]events.ToolSettled{}
	for _, o := range all {
		if _, known := out[o.Generation]; !known {
			out[o.Generation] = o
		}
	}
	return out
}

// settledOnce checks that outcomes of one generation of a changing call say the
// same: whoever finds an outcome of somebody else may repeat it, and nobody has
// another one. A look at a file may be taken twice, and the first one counts.
func (r *run) settledOnce(key string, c *call) {
	if c.tool == "read_file" {
		return
	}
	counts := first(c.outcomes)
	for _, o := range c.outcomes {
		if one := counts[o.Generation]; o.SHA256 != one.SHA256 || o.Outcome != one.Outcome {
			r.violate("settled-twice", "call %s (%s %s) is %s and %s", key, c.tool, c.id, one.Outcome, o.Outcome)
		}
	}
}

// notAfterEnd checks that no process that started after a ticket was killed, or
// its session closed, began its script.
func (r *run) notAfterEnd(id string, c *call, marks []mark, end events.Event) {
	if end.Seq == 0 {
		return
	}
	for _, m := range marks {
		born, known := r.births[m.pid]
		heard := r.person.heard[end.Seq] // the time of the event may be that of a clock that was set back
		if m.begin && known && born.After(heard.Add(1e9)) && c.approved[1].Seq < end.Seq {
			r.violate("ran-after-end", "script %s began in %s, which started %s after %s at %d", id, r.pids[m.pid],
				born.Sub(heard), end.Type, end.Seq)
		}
	}
}

// editedOnce holds the files of the tickets against the outcomes of edits.
func (r *run) editedOnce(log []events.Event) {
	for key, c := range callsOf(log) { // order-independent: each by itself
		if c.tool != "edit_file" || len(c.outcomes) == 0 {
			continue
		}
		ticket, _, _ := strings.Cut(c.id, ".")
		body, err := os.ReadFile(filepath.Join(r.project, "files", ticket+".txt"))
		if err != nil {
			r.violate("harness", "%v", err)
			continue
		}
		changed, maybe := strings.Contains(string(body), c.id+":yes\n"), false
		for _, o := range first(c.outcomes) {
			maybe = maybe || o.Outcome == events.ToolDone || o.Outcome == events.ToolInterrupted || o.Unseen
			switch {
			case o.Outcome == events.ToolDone && !changed:
				r.violate("outcome-invented", "edit %s (call %s) is done on record, and not in the file", c.id, key)
			case strings.Contains(o.Text, "was shown the diff"):
				r.violate("approved-edit-refused", "edit %s (call %s): %s", c.id, key, o.Text)
			}
		}
		if changed && !maybe {
			r.violate("effect-unrecorded", "edit %s (call %s) is in the file, and the record says %s", c.id, key,
				c.outcomes[0].Text)
		}
	}
}

// verified proves every session's record.
func (r *run) verified(log []events.Event) {
	of := map[string][]events.Event{}
	for _, e := range log {
		of[e.Session] = append(of[e.Session], e)
	}
	for _, id := range sorted(of) {
		if _, err := replay.Verify(of[id], replay.Deciders()...); err != nil {
			r.violate("verify-diverged", "session %s: %v", id, err)
			continue
		}
		r.counts["sessions verified"]++
	}
}
