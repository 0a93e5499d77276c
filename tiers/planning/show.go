package planning

import (
	"fmt"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
)

// Limits for the files that a model may request before it plans.
const (
	// MaxShows limits how many replies per plan may request files.
	MaxShows = 3
	// MaxShown limits the number of files per reply.
	MaxShown = 8
	// MaxShownBytes limits the total size of the files shown for one reply; the limit is lower for
	// a small context window.
	MaxShownBytes = 96 << 10
	// MaxPath limits the path of a requested file, in bytes.
	MaxPath = 1024
)

// Show handles a reply that is {"show": ["path", ...]} and nothing else: a request for views of
// those files becomes due, and the reply does not count as a plan. It returns false for every
// other reply, and if the plan has already used all of its requests.
func (j *Job) Show(now *Desk, e *events.Event, r events.ModelReplied) bool {
	if j.shows == MaxShows || r.Finish == "max_tokens" || len(r.Calls) > 0 {
		return false
	}
	paths := wanted(r.Text)
	if len(paths) == 0 {
		return false
	}
	views := make([]events.ViewRequest, min(len(paths), MaxShown))
	for i := range views {
		views[i] = events.ViewRequest{Path: paths[i], View: events.ViewRaw}
	}
	j.talk.Heard(&now.Offers, j.sent.Asked, nil, e.ID, r)
	j.talk.Say(j.round(), events.Part{Role: "assistant", SHA256: r.SHA256, Size: int64(len(r.Text)), From: e.ID})
	j.waits, j.left = "", len(paths)-len(views)
	s := j.subject
	j.due = []events.Payload{events.ContextRequested{Tier: s.Tier, Goal: s.Goal, Track: s.Track, Ticket: s.Ticket,
		Attempt: s.Attempt, Views: views, Workspace: s.Place}}
	return true
}

// Shown folds the views that a reply requested: the next request becomes due. It returns false if
// none were requested.
func (j *Job) Shown(now *Desk, built *events.Event, x events.ContextBuilt) bool {
	if j.talk == nil {
		return false
	}
	j.waits = ""
	// One byte per token of the window fills at most a third of it.
	room := min(MaxShownBytes, j.talk.Room(now.Offers.Reader(j.seat().Take(now.Settings), nil)))
	for i, v := range x.Views {
		part := ViewPart(built, i, v, v.Path)
		if v.Size > room {
			part = events.Part{Role: "user", Text: fmt.Sprintf("# %s\n\nIt is not shown, as there is no room: %d bytes.\n",
				tiers.Line(v.Path), v.Size)}
		}
		if part.SHA256 != "" {
			room -= v.Size
		}
		j.talk.ShowIn(j.round(), v.Path, part)
	}
	j.talk.Say(j.round(), events.Part{Role: "user", Text: j.rest()})
	j.shows++
	j.send(now)
	return true
}

// rest returns a note with the number of files that were not shown, and how often the model may
// still ask.
func (j *Job) rest() string {
	text := ""
	if j.left > 0 {
		text = fmt.Sprintf("%d more files that you asked for are not shown; one reply may name %d. ", j.left, MaxShown)
	}
	if more := MaxShows - j.shows - 1; more > 0 {
		return fmt.Sprintf("%sWrite the plan now, or ask for files again (at most %d times).", text, more)
	}
	return text + "Write the plan now; you cannot ask for files again."
}

// wanted returns the paths in a reply that requests files, each once. The reply may be in a code
// fence.
func wanted(reply string) []string {
	var paths []string
	all := 0
	scan(tiers.WithoutThoughts(reply), func(c candidate) {
		all++
		v, wrong := read(c.text)
		asked, has := v.member("show")
		if wrong != "" || !has || len(v.keys) > 1 || asked.kind != isList {
			return
		}
		seen := map[string]bool{}
		for _, item := range asked.list {
			if p := chars.Trim(item.text); item.kind == isText && p != "" && len(p) <= MaxPath && !seen[p] {
				seen[p] = true
				paths = append(paths, p)
			}
		}
	})
	if all != 1 {
		return nil // the request must be the only candidate
	}
	return paths
}
