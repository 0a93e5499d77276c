package projections

import (
	"cmp"
	"slices"

	"manualslop/events"
)

// MaxInjections is how many views that a person wants may be waited for.
const MaxInjections = 64

// injection is a view of a file that a person wants in a discussion.
type injection struct {
	ID         string `json:"id"`
	Discussion string `json:"discussion,omitempty"`
}

func (c *conversation) await(e *events.Event, p *events.ContextInjectionRequested) {
	if len(c.Awaited) >= MaxInjections {
		c.Refused = refuse(c.Refused, e.ID, "too many views are waited for; is a worker running?")
		return
	}
	c.Awaited = append(c.Awaited, injection{e.ID, p.Discussion})
}

// inject makes an entry of the view that was waited for. Where its discussion
// is gone meanwhile, the active one takes it.
func (c *conversation) inject(e *events.Event, p *events.ContextBuilt) {
	i := slices.IndexFunc(c.Awaited, func(w injection) bool { return w.ID == p.Request })
	if i < 0 {
		return
	}
	name := cmp.Or(c.Awaited[i].Discussion, c.Active)
	c.Awaited = slices.Delete(slices.Clone(c.Awaited), i, i+1)
	if c.Threads[name] == nil {
		name = c.Active
	}
	for _, v := range p.Views {
		n := Entry{Role: RoleContext, Content: v.Text, Path: v.Path, View: v.View, Collapsed: true}
		if v.Blob {
			n.Blob = &events.BlobRef{SHA256: v.SHA256, Size: v.Size, MediaType: "text/plain; charset=utf-8"}
		}
		if v.Error != "" {
			c.Refused = refuse(c.Refused, p.Request, v.Error)
			continue
		}
		c.addTo(name, e, n)
	}
}
