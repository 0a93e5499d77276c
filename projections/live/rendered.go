package live

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"manualslop/projections"
)

// MaxRenderings limits how many rendered views of one session are cached. Further views are
// rendered for each reader.
const MaxRenderings = 64

// Rendering describes how a view of a session is rendered to bytes.
type Rendering struct {
	// Name identifies the view: all renderings with the same name have the same Render and Models.
	// A program uses a fixed set of names; they must not contain client input.
	Name string
	// Variant distinguishes renderings of one name that depend on more than the
	// models; only the most recently requested variant is cached.
	Variant string
	// Models are the read models that Render uses. Empty means all of them.
	Models []string
	// Render returns the bytes. It is called with the session's read lock held and must not keep
	// the set.
	Render func(*projections.Set) ([]byte, error)
}

// rendering caches the newest bytes of one name.
type rendering struct {
	making sync.Mutex // held while rendering
	newest atomic.Pointer[rendered]
}

// rendered holds bytes and the revision and variant for which they were rendered.
type rendered struct {
	revision uint64
	variant  string
	body     []byte
}

func (r *rendered) fits(revision uint64, variant string) bool {
	return r != nil && r.revision == revision && r.variant == variant
}

// Rendered returns a view of the session as bytes, which are shared and must not be modified. They
// are rendered on demand, once per change of their models, even with concurrent readers. An error
// of Render is returned and not cached; it is a *projections.StoppedError if Render used a stopped
// model.
func (v *View) Rendered(ctx context.Context, r Rendering) ([]byte, error) {
	for {
		if err := v.l.use(ctx, v.s); err != nil {
			return nil, fmt.Errorf("read session %s: %w", v.s.id, err)
		}
		v.s.mu.RLock()
		if v.s.set == nil {
			v.s.mu.RUnlock()
			continue
		}
		kept := v.s.renderings.of(r.Name)
		if kept == nil {
			defer v.s.mu.RUnlock()
			return render(v.s.set, r)
		}
		newest := kept.newest.Load()
		fits := newest.fits(v.s.set.Revision(r.Models...), r.Variant)
		v.s.mu.RUnlock()
		if fits {
			return newest.body, nil
		}
		if body, ok, err := v.s.renew(kept, r); ok {
			return body, err
		}
	}
}

// renew renders a view unless another reader just did. It returns false if the session was
// unfolded in the meantime.
func (s *session) renew(kept *rendering, r Rendering) (body []byte, ok bool, err error) {
	kept.making.Lock()
	defer kept.making.Unlock()
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.set == nil || s.renderings.of(r.Name) != kept {
		return nil, false, nil
	}
	revision := s.set.Revision(r.Models...)
	if newest := kept.newest.Load(); newest.fits(revision, r.Variant) {
		return newest.body, true, nil
	}
	body, err = render(s.set, r)
	if err == nil {
		kept.newest.Store(&rendered{revision, r.Variant, body})
	}
	return body, true, err
}

func render(set *projections.Set, r Rendering) (body []byte, err error) {
	stopped := set.Show(func(set *projections.Set) { body, err = r.Render(set) })
	if stopped != nil {
		return nil, stopped
	}
	return body, err
}

// renderings are the rendered views of one fold of a session.
type renderings struct {
	mu     sync.Mutex // held while byName is replaced
	byName atomic.Pointer[map[string]*rendering]
}

// of returns the cache entry of a view; nil if there are too many.
func (all *renderings) of(name string) *rendering {
	if byName := all.byName.Load(); byName != nil {
		if kept := (*byName)[name]; kept != nil {
			return kept
		}
	}
	return all.add(name)
}

func (all *renderings) add(name string) *rendering {
	all.mu.Lock()
	defer all.mu.Unlock()
	next := map[string]*rendering{}
	if byName := all.byName.Load(); byName != nil {
		if kept := (*byName)[name]; kept != nil || len(*byName) >= MaxRenderings {
			return kept
		}
		// order-independent: copies a map
		for name, kept := range *byName {
			next[name] = kept
		}
	}
	next[name] = &rendering{}
	all.byName.Store(&next)
	return next[name]
}

// drop clears the cache. The session's lock must be held, so that there are no readers.
func (all *renderings) drop() { all.byName.Store(nil) }
