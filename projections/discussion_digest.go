package projections

import (
	"maps"
	"slices"

	"manualslop/events"
)

// NewDigestSet starts every model of [Catalogue] for digests alone. They are
// those of [NewSet], and the texts of the discussions, most of what a session
// holds, are forgotten as soon as their own digests are known. Views and
// snapshots of the set miss these texts.
func NewDigestSet() *Set {
	makers := Catalogue()
	for i, start := range makers {
		if start().Name() == discussion.Name {
			makers[i] = sealedDiscussion
		}
	}
	return NewSetOf(makers)
}

func sealedDiscussion() Model {
	f := discussion
	f.New = func() *conversation {
		c := newConversation()
		c.seals = true
		return c
	}
	return f.Model()
}

// sealed is the entry with the digest of its content in place of the content.
func (n storedEntry) sealed() storedEntry {
	if n.Entry == nil || n.SHA256 != "" {
		return n
	}
	entry := *n.Entry
	entry.Content = ""
	return storedEntry{ID: n.ID, Entry: &entry, SHA256: events.Digest([]byte(n.Entry.Content)),
		content: len(n.Entry.Content)}
}

// sealed is what the digest of the discussions is made of.
func (c *conversation) sealed() any {
	type plain conversation
	out := plain(*c)
	out.Threads = maps.Clone(c.Threads)
	// order-independent: each thread is replaced by a copy.
	for name, t := range c.Threads {
		shown := *t
		shown.Entries = slices.Clone(t.Entries)
		for i, n := range shown.Entries {
			shown.Entries[i] = n.sealed()
		}
		out.Threads[name] = &shown
	}
	return out
}
