package llm_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// talk is a conversation whose texts are blobs, and how often these were read.
type talk struct {
	t      testing.TB
	blobs  map[string]string
	reads  int
	record llm.Record
	log    []*events.Event
	id     string // of the newest request
	asked  events.ModelRequested
	whole  []events.Part // of it
}

func (c *talk) blob(sha string) ([]byte, error) {
	c.reads++
	return []byte(c.blobs[sha]), nil
}

func (c *talk) part(role, text string) events.Part {
	p := events.Part{Role: role, SHA256: events.Digest([]byte(text)), Size: int64(len(text))}
	c.blobs[p.SHA256] = text
	return p
}

// ask records a request with these parts, which continues the one before where
// they begin alike.
func (c *talk) ask(parts ...events.Part) {
	c.t.Helper()
	digest, err := events.ManifestDigest(parts)
	require.NoError(c.t, err)
	m := events.ModelRequested{Tier: 3, Model: "m", Manifest: parts, SHA256: digest}
	m.Continue(c.id, c.whole)
	c.id, c.asked, c.whole = fmt.Sprintf("R%d", len(c.log)), m, parts
	c.take(c.id, m)
}

func (c *talk) take(id string, p events.Payload) {
	e := &events.Event{ID: id, Payload: p}
	c.log = append(c.log, e)
	c.record.Take(e)
}

// request is the newest request, and how many texts were read for it.
func (c *talk) request() (llm.Request, int) {
	c.t.Helper()
	before := c.reads
	r, err := c.record.Request(c.id, c.asked, c.blob)
	require.NoError(c.t, err)
	return r, c.reads - before
}

func newTalk(t testing.TB) *talk { return &talk{t: t, blobs: map[string]string{}} }

func TestAPromptThatGoesOnIsTheOneThatIsPutTogetherAnew(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	c := newTalk(t)
	parts := []events.Part{c.part("system", "You write code."), c.part("user", "Mend it.")}
	for n := range 300 {
		asked := parts
		if random.IntN(3) == 0 {
			asked = append(parts[:len(parts):len(parts)], events.Part{Role: "user", Kind: events.PartRefresh,
				Text: fmt.Sprintf("changed %d", n)})
		}
		c.ask(asked...)
		if random.IntN(4) > 0 { // another process puts the others together
			got, _ := c.request()
			fresh := &llm.Record{}
			for _, e := range c.log {
				fresh.Take(e)
			}
			want, err := fresh.Request(c.id, c.asked, c.blob)
			require.NoError(t, err)
			require.Equal(t, want, got, "request %d", n)
			again, _ := c.request()
			require.Equal(t, want, again, "once more")
		}
		parts = append(parts[:len(parts):len(parts)], c.part("assistant", fmt.Sprintf("I look at %d.", n)),
			c.part("user", fmt.Sprintf("It says %d.", n)))
		if random.IntN(10) == 0 { // it is shortened
			parts = append(parts[:2:2], parts[2+2*random.IntN((len(parts)-2)/2):]...)
		}
	}
}

func TestAPromptThatGoesOnReadsOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	c := newTalk(t)
	c.ask(c.part("system", "a"), c.part("user", "b"))
	_, read := c.request()
	require.Equal(t, 2, read)
	c.ask(append(c.whole, c.part("assistant", "c"), c.part("user", "d"), events.Part{Role: "user",
		Kind: events.PartRefresh, Text: "changed"})...)
	_, read = c.request()
	require.Equal(t, 2, read, "the beginning is there")
	c.ask(append(c.whole[:4:4], c.part("assistant", "e"), c.part("user", "f"))...)
	_, read = c.request()
	require.Equal(t, 2, read, "the block of changed files was no part of it")
	c.ask(append(c.whole[:2:2], c.whole[4:]...)...)
	_, read = c.request()
	require.Equal(t, 4, read, "a shortened one is another one")
	c.take("G1", events.GoalCompleted{})
	c.ask(append(c.whole, c.part("assistant", "g"), c.part("user", "h"))...)
	_, read = c.request()
	require.Equal(t, 6, read, "it was let go with its goal")
}

func TestPromptsThatAreKeptPutTogetherHaveALimit(t *testing.T) {
	t.Parallel()
	for _, over := range []int{0, 1} {
		c := newTalk(t)
		large := c.part("user", strings.Repeat("x", llm.MaxBegun-2+over))
		c.ask(c.part("user", "a"))
		_, read := c.request()
		require.Equal(t, 1, read)
		first, asked, whole := c.id, c.asked, c.whole
		c.id, c.whole = "", nil // another conversation
		c.ask(c.part("user", "b"), large)
		_, read = c.request()
		require.Equal(t, 2, read)
		c.id, c.asked, c.whole = first, asked, whole
		c.ask(append(c.whole, c.part("assistant", "c"), c.part("user", "d"))...)
		_, read = c.request()
		require.Equal(t, 2+over, read, "the older one goes first")
	}
}
