package retrieval

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"manualslop/tools/sandbox"
)

// maxVectors limits the vectors that are kept for a model. Beyond it, the vectors of texts that no longer exist are
// dropped. Because it exceeds MaxPassages, some of them can be used again when a user returns to an earlier state of
// the files.
const maxVectors = MaxPassages + MaxPassages/2

// atOnce is how many requests for embeddings run at the same time: enough to hide the network's latency, and
// within the limits of small accounts.
const atOnce = 4

// Embedder turns texts into vectors of length 1.
type Embedder interface {
	// Name identifies the model among all models of all providers.
	Name() string
	// Batch is how many texts a request takes.
	Batch() int
	// Embed returns a vector for each text, in order. The texts have 1 to [MaxText] bytes. It may be
	// called several times at once.
	Embed(ctx context.Context, query bool, texts []string) ([][]float32, error)
}

// Finder finds passages. It is safe for concurrent use.
type Finder struct {
	// Folder is where vectors are kept.
	Folder string
	// Mask removes secrets.
	Mask func([]byte) []byte
}

// Found is the result of a search.
type Found struct {
	Passages []Passage // best first
	Seen     Seen
	// Embedded is how many passages were embedded for this question; the vectors of the others were already stored.
	Embedded int
	// Meaning reports whether passages were compared by their vectors, not by their words.
	Meaning bool
	// Problem is why they were not compared by their vectors although an embedder is set; otherwise it is nil.
	Problem error
}

// Find returns at most the given number of passages of a workspace's files that match a question. It fails only if the
// workspace cannot be read or ctx ends.
func (f *Finder) Find(ctx context.Context, ws *sandbox.Workspace, by Embedder, question string, most int) (Found,
	error) {
	all, seen, err := passages(ctx, ws, f.Mask)
	if err != nil {
		return Found{}, err
	}
	out := Found{Seen: seen}
	question = string(f.Mask([]byte(question)))
	if by != nil && len(all) > 0 && strings.TrimSpace(question) != "" {
		if out.Embedded, err = f.byMeaning(ctx, by, question, all); err == nil {
			out.Meaning, out.Passages = true, best(all, most)
			return out, nil
		}
		if ctx.Err() != nil {
			return Found{}, context.Cause(ctx)
		}
		out.Problem = err
	}
	out.Passages = byWords(question, all, most)
	return out, nil
}

// byMeaning scores all passages by their vectors, and returns how many were embedded for it.
func (f *Finder) byMeaning(ctx context.Context, by Embedder, question string, all []Passage) (
	embedded int, err error) {
	s, err := openStore(ctx, f.Folder, by.Name())
	if err != nil {
		return 0, err
	}
	defer func() { _ = s.close() }() // what was written is read again with its checksums
	asked, err := by.Embed(ctx, true, []string{clip(question, MaxText)})
	if err != nil {
		return 0, err
	}
	if s.dimensions != len(asked[0]) { // the store is new, or this is another model under the same name
		if err := s.begin(len(asked[0])); err != nil {
			return 0, err
		}
	}
	wanted := make(map[[sha256.Size]byte][]int, len(all))
	for i, p := range all {
		k := key(p.toEmbed())
		wanted[k] = append(wanted[k], i)
	}
	missing := unknown(s, all)
	if s.records+len(missing) > maxVectors {
		if err := s.drop(func(k [sha256.Size]byte) bool { return wanted[k] != nil }); err != nil {
			return 0, err
		}
	}
	if embedded, err = s.fill(ctx, by, missing); err != nil {
		return embedded, err
	}
	scored := 0
	err = s.score(asked[0], func(k [sha256.Size]byte, score float64) {
		for _, i := range wanted[k] {
			all[i].Score = score
			scored++
		}
	})
	if err == nil && scored < len(all) {
		err = fmt.Errorf("vectors: %d of %d passages have none", len(all)-scored, len(all))
	}
	return embedded, err
}

// unknown returns the texts to embed that the store does not have, each once.
func unknown(s *store, all []Passage) (texts []string) {
	seen := map[[sha256.Size]byte]bool{}
	for _, p := range all {
		text := p.toEmbed()
		if k := key(text); !s.known[k] && !seen[k] {
			seen[k] = true
			texts = append(texts, text)
		}
	}
	return texts
}

// fill embeds texts and adds them to the store. It returns how many; what was embedded before an error
// is kept.
func (s *store) fill(ctx context.Context, by Embedder, texts []string) (embedded int, err error) {
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for from := 0; from < len(texts) && ctx.Err() == nil; from += by.Batch() {
		batch := texts[from:min(from+by.Batch(), len(texts))]
		g.Go(func() error {
			vectors, err := by.Embed(ctx, false, batch)
			if err != nil {
				return err
			}
			keys := make([][sha256.Size]byte, len(batch))
			for i, t := range batch {
				keys[i] = key(t)
			}
			mu.Lock()
			defer mu.Unlock()
			if err := s.add(keys, vectors); err != nil {
				return err
			}
			embedded += len(batch)
			return nil
		})
	}
	err = g.Wait()
	return embedded, err
}
