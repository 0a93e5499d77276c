package contributor

import (
	"slices"
	"strings"

	"manualslop/events"
)

// changed records the file changes of a call.
func (r *run) changed(p events.ToolSettled) {
	r.moved = r.moved || p.Unseen
	for _, f := range p.Files {
		if !f.Written {
			continue
		}
		i := slices.IndexFunc(r.changes, func(c events.FileChange) bool { return c.Path == f.Path })
		switch {
		case i >= 0:
			r.changes[i].After = f.SHA256
		case len(r.changes) < events.MaxReviewFiles && len(f.Path) <= maxReviewPath:
			r.changes = append(r.changes, events.FileChange{Path: f.Path, Before: f.Before, After: f.SHA256})
		}
	}
}

// sum returns all changes of the attempt by path, without those that were reverted.
func (r *run) sum() []events.FileChange {
	out := slices.DeleteFunc(slices.Clone(r.changes), func(c events.FileChange) bool { return c.Before == c.After })
	slices.SortFunc(out, func(a, b events.FileChange) int { return strings.Compare(a.Path, b.Path) })
	if len(out) == 0 {
		return nil
	}
	return out
}
