package retrieval_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/retrieval"
	"manualslop/tools/sandbox"
)

// fixture is a workspace with a finder.
type fixture struct {
	t      testing.TB
	dir    string
	ws     *sandbox.Workspace
	finder *retrieval.Finder
}

func setup(t testing.TB, files map[string]string) *fixture {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	f := &fixture{t: t, dir: dir, finder: &retrieval.Finder{Folder: filepath.Join(t.TempDir(), "vectors"),
		Mask: func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("hunter2"), []byte("[masked secret]")) }}}
	f.put(files)
	f.ws, err = sandbox.Open(sandbox.Config{Primary: dir})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.ws.Close()) })
	return f
}

func (f *fixture) put(files map[string]string) {
	f.t.Helper()
	for name, content := range files {
		path := filepath.Join(f.dir, name)
		require.NoError(f.t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(f.t, os.WriteFile(path, []byte(content), 0o644))
	}
}

func (f *fixture) find(by retrieval.Embedder, question string) retrieval.Found {
	f.t.Helper()
	found, err := f.finder.Find(f.t.Context(), f.ws, by, question, 5)
	require.NoError(f.t, err)
	return found
}

func paths(found retrieval.Found) []string {
	out := []string{}
	for _, p := range found.Passages {
		out = append(out, p.Path)
	}
	return out
}

// bag embeds a text as the bag of its words, in which synonyms are one word.
type bag struct {
	name       string
	dimensions int
	fail       func(query bool, n int) error // n: requests before this one

	mu    sync.Mutex
	asked [][]string
}

func newBag() *bag { return &bag{name: "bag/1", dimensions: 64} }

func (b *bag) Name() string { return b.name }
func (b *bag) Batch() int   { return 3 }

func (b *bag) Embed(_ context.Context, query bool, texts []string) ([][]float32, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fail != nil {
		if err := b.fail(query, len(b.asked)); err != nil {
			return nil, err
		}
	}
	b.asked = append(b.asked, texts)
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if text == "" || len(text) > retrieval.MaxText {
			return nil, fmt.Errorf("a text has %d bytes", len(text))
		}
		v := make([]float32, b.dimensions)
		for _, word := range strings.Fields(strings.ToLower(strings.ReplaceAll(text, "automobile", "car"))) {
			h := fnv.New32a()
			_, _ = h.Write([]byte(word))
			v[int(h.Sum32())%b.dimensions]++
		}
		out[i] = v
	}
	return out, nil
}

func (b *bag) texts() int {
	n := 0
	for _, texts := range b.asked {
		n += len(texts)
	}
	return n
}

func TestWithoutVectorsTheWordsOfTheQuestionRank(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{
		"a.go":         "func parseLine(s string) {}\n",
		"b.go":         "func other() { line() }\n",
		"sub/notes.md": "How to parse_line: parse each line of the file, then parse again.\n",
		"c.go":         "nothing here\n",
	})
	got := f.find(nil, "parse each line again")
	require.Equal(t, []string{"sub/notes.md", "a.go", "b.go"}, paths(got))
	require.False(t, got.Meaning)
	require.NoError(t, got.Problem)
	require.Equal(t, retrieval.Seen{Files: 4, Passages: 4}, got.Seen)
	require.Greater(t, got.Passages[0].Score, got.Passages[1].Score)
	require.Equal(t, 1, got.Passages[0].First)
	require.Empty(t, f.find(nil, "???").Passages, "a question without words finds nothing")
	require.Empty(t, f.find(nil, "zebra").Passages)
}

func TestVectorsFindWhatWordsDoNot(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{"a.txt": "the red automobile\n", "b.txt": "a green tree\n"})
	require.Empty(t, f.find(nil, "car").Passages)
	got := f.find(newBag(), "car")
	require.True(t, got.Meaning)
	require.Equal(t, "a.txt", got.Passages[0].Path)
	require.Equal(t, 2, got.Embedded)
}

func TestNothingIsEmbeddedWhereThereIsNothingToFind(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{"blank.txt": " \n\n"})
	b := newBag()
	require.Equal(t, retrieval.Found{Seen: retrieval.Seen{Files: 1}, Passages: []retrieval.Passage{}}, f.find(b, "car"))
	f.put(map[string]string{"a.txt": "the red car\n"})
	require.Empty(t, f.find(b, " \n").Passages, "an empty question")
	require.Empty(t, b.asked)
}

func TestOnlyChangedPassagesAreEmbeddedAnew(t *testing.T) {
	t.Parallel()
	long := map[string]string{"long.txt": strings.Repeat("a line of a long file\n", 400), "b.txt": "short\n"}
	f := setup(t, long)
	b := newBag()
	first := f.find(b, "short")
	require.Equal(t, first.Seen.Passages, first.Embedded+duplicates(f, first))
	again := f.find(b, "long")
	require.Zero(t, again.Embedded)
	f.put(map[string]string{"b.txt": "short and changed\n"})
	require.Equal(t, 1, f.find(b, "short").Embedded)

	other := newBag()
	other.name = "bag/2"
	require.Equal(t, first.Embedded, f.find(other, "short").Embedded, "another model has its own vectors")
	require.Zero(t, f.find(b, "short").Embedded)

	shorter := newBag()
	shorter.dimensions = 32
	got := f.find(shorter, "short")
	require.True(t, got.Meaning, "vectors of another length replace the old ones")
	require.Equal(t, first.Embedded, got.Embedded)
}

// duplicates returns how many passages of the workspace have the text of an earlier one.
func duplicates(f *fixture, found retrieval.Found) int {
	all, err := f.finder.Find(f.t.Context(), f.ws, nil, "line short", found.Seen.Passages)
	require.NoError(f.t, err)
	seen := map[string]bool{}
	for _, p := range all.Passages {
		seen[p.Path+"\n"+p.Text] = true
	}
	return len(all.Passages) - len(seen)
}

func TestSecretsAreMaskedBeforeAnythingLeaves(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{"a.txt": "the password is hunter2\n"})
	b := newBag()
	got := f.find(b, "is hunter2 the password?")
	require.Equal(t, "the password is [masked secret]\n", got.Passages[0].Text)
	require.Equal(t, [][]string{{"is [masked secret] the password?"},
		{"a.txt\nthe password is [masked secret]\n"}}, b.asked)
}

func TestFilesThatToolsMayNotReadAreNotSearched(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{
		".gitignore": "ignored/\n", "ignored/a.txt": "word\n", ".env": "word\n", ".slop/a.txt": "word\n",
		".git/config": "word\n", ".netrc": "word\n", ".aws/credentials": "word\n", "sub/.npmrc": "word\n",
		"sub/ID_RSA": "word\n", "terraform.tfvars": "word\n", "secrets.yaml": "word\n",
		"binary.dat": "word\x00", "latin.txt": "word \xff", "empty.txt": "",
		"large.txt": strings.Repeat("word\n", retrieval.MaxFileBytes/5+1), "fits.txt": strings.Repeat("x", 10) + " word\n",
	})
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(f.dir, "link.txt")))
	got := f.find(nil, "word")
	require.Equal(t, []string{"fits.txt"}, paths(got))
	require.Equal(t, 1, got.Seen.Large)

	f.put(map[string]string{"large.txt": strings.Repeat("x", retrieval.MaxFileBytes-5) + " word"})
	require.Contains(t, paths(f.find(nil, "word")), "large.txt", "a file of exactly the limit")
	f.put(map[string]string{"large.txt": strings.Repeat("x", retrieval.MaxFileBytes-4) + " word"})
	require.NotContains(t, paths(f.find(nil, "word")), "large.txt")
}

func TestPassagesOverlapAndHaveTheirLines(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "line %03d of the file\n", i+1)
	}
	f := setup(t, map[string]string{"a.txt": text.String(), "wide.txt": strings.Repeat("ä word ", 1000)})
	found, err := f.finder.Find(t.Context(), f.ws, nil, "line word", 100)
	require.NoError(t, err)
	lines := strings.SplitAfter(text.String(), "\n")
	covered := map[int]int{}
	for _, p := range found.Passages {
		require.LessOrEqual(t, len(p.Text), 1500)
		if p.Path == "a.txt" {
			require.Equal(t, strings.Join(lines[p.First-1:p.Last], ""), p.Text)
			for at := p.First; at <= p.Last; at++ {
				covered[at]++
			}
		}
	}
	twice := 0
	for at := range 200 {
		require.Positive(t, covered[at+1])
		if covered[at+1] > 1 {
			twice++
		}
	}
	require.Positive(t, twice)
	require.Equal(t, text.Len(), int(found.Passages[0].FileSize))
}

func TestAFailingModelLeavesTheWords(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 30 {
		files[fmt.Sprintf("%02d.txt", i)] = fmt.Sprintf("word %d\n", i)
	}
	f := setup(t, files)
	b := newBag()
	down := errors.New("the server is down")
	b.fail = func(query bool, n int) error {
		if !query && n > 3 {
			return down
		}
		return nil
	}
	got := f.find(b, "word 7")
	require.ErrorIs(t, got.Problem, down)
	require.False(t, got.Meaning)
	require.Equal(t, "07.txt", got.Passages[0].Path)
	require.Positive(t, got.Embedded)

	b.fail = nil
	rest := f.find(b, "word 7")
	require.True(t, rest.Meaning)
	require.Equal(t, 30, got.Embedded+rest.Embedded, "what was embedded before the failure is kept")

	wrong := newBag()
	wrong.name = "bag/3"
	wrong.fail = func(query bool, _ int) error {
		wrong.dimensions = map[bool]int{true: 64, false: 63}[query]
		return nil
	}
	got = f.find(wrong, "word 7")
	require.ErrorContains(t, got.Problem, "a passage has 63 dimensions, the question has 64")
	require.Equal(t, "07.txt", got.Passages[0].Path)

	ctx, cancel := context.WithCancelCause(t.Context())
	b.fail = func(bool, int) error { cancel(down); return down }
	_, err := f.finder.Find(ctx, f.ws, b, "word", 5)
	require.ErrorIs(t, err, down, "a stop is no failure of the model")
}

func TestADamagedStoreLosesOnlyWhatIsBehindTheDamage(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("%02d.txt", i)] = fmt.Sprintf("word %d\n", i)
	}
	for name, damage := range map[string]struct {
		do   func(data []byte) []byte
		lost func(n int) bool
	}{
		"a torn end":  {func(b []byte) []byte { return b[:len(b)-5] }, func(n int) bool { return n == 1 }},
		"more behind": {func(b []byte) []byte { return append(b, "rubbish"...) }, func(n int) bool { return n == 0 }},
		"a turned bit": {func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
			func(n int) bool { return n == 10 || n == 11 }},
		"a foreign file": {func([]byte) []byte { return []byte("hello") }, func(n int) bool { return n == 20 }},
		"too much wanted": {func(b []byte) []byte { copy(b[15:], "\xff\xff\xff\x7f"); return b },
			func(n int) bool { return n == 20 }},
		"nothing": {func([]byte) []byte { return nil }, func(n int) bool { return n == 20 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t, files)
			before := f.find(newBag(), "word 7")
			stores, err := filepath.Glob(filepath.Join(f.finder.Folder, "*.vectors"))
			require.NoError(t, err)
			require.Len(t, stores, 1)
			data, err := os.ReadFile(stores[0])
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(stores[0], damage.do(data), 0o600))
			got := f.find(newBag(), "word 7")
			require.True(t, damage.lost(got.Embedded), got.Embedded)
			require.Equal(t, before.Passages, got.Passages)
			require.Zero(t, f.find(newBag(), "word 7").Embedded)
		})
	}
}

func TestTwoSearchesAtOnceEmbedEachPassageOnce(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("%02d.txt", i)] = fmt.Sprintf("word %d\n", i)
	}
	f := setup(t, files)
	b := newBag()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := f.finder.Find(t.Context(), f.ws, b, "word 3", 1)
			if err != nil || !got.Meaning {
				t.Error(err, got.Problem)
			}
		})
	}
	wg.Wait()
	require.Equal(t, 4+40, b.texts())
}

func TestTheLimitOnPassagesIsToldAndOldVectorsAreDropped(t *testing.T) {
	t.Parallel()
	// each file has 8 passages
	file := ""
	for n := range 57 {
		file += fmt.Sprintf("%03d %s\n", n, strings.Repeat("x", 176))
	}
	files := map[string]string{}
	for i := range retrieval.MaxPassages / 8 {
		files[fmt.Sprintf("%02d/%04d.txt", i/100, i)] = file
	}
	f := setup(t, files)
	b := &wide{}
	got := f.find(b, "x")
	require.NoError(t, got.Problem)
	require.Equal(t, retrieval.Seen{Files: len(files), Passages: retrieval.MaxPassages}, got.Seen)
	require.Equal(t, 2, b.folders)

	f.put(map[string]string{"zz.txt": "x\n"})
	got = f.find(b, "x")
	require.Equal(t, retrieval.MaxPassages, got.Seen.Passages)
	require.Equal(t, 1, got.Seen.LeftOut)
	require.Zero(t, got.Embedded)

	require.NoError(t, os.RemoveAll(filepath.Join(f.dir, "zz.txt")))
	for i := range len(files) / 100 {
		name := filepath.Join(f.dir, fmt.Sprintf("%02d", i))
		require.NoError(t, os.Rename(name, name+"b"))
	}
	stores, err := filepath.Glob(filepath.Join(f.finder.Folder, "*.vectors"))
	require.NoError(t, err)
	full, err := os.Stat(stores[0])
	require.NoError(t, err)
	got = f.find(b, "x")
	require.True(t, got.Meaning)
	require.Equal(t, got.Seen.Passages, got.Embedded)
	now, err := os.Stat(stores[0])
	require.NoError(t, err)
	require.Equal(t, full.Size(), now.Size(), "the vectors of the old paths were dropped")
}

// wide embeds as many texts as it is given, by their length.
type wide struct{ folders int }

func (*wide) Name() string { return "wide" }
func (*wide) Batch() int   { return retrieval.MaxPassages }

func (w *wide) Embed(_ context.Context, _ bool, texts []string) ([][]float32, error) {
	w.folders++
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = []float32{1, float32(len(t))}
	}
	return out, nil
}

func BenchmarkFind(b *testing.B) {
	files := map[string]string{}
	for i := range 3000 {
		var text strings.Builder
		for n := range 120 {
			fmt.Fprintf(&text, "func name%d(value%d int) error { return check(value%d, %d) }\n", i*7+n, n, i, n)
		}
		files[fmt.Sprintf("pkg%03d/file%04d.go", i/20, i)] = text.String()
	}
	f := setup(b, files)
	for name, by := range map[string]retrieval.Embedder{"words": nil, "vectors": &fixed{}} {
		b.Run(name, func(b *testing.B) {
			found := f.find(by, "where is value7 checked?") // fills the store
			for b.Loop() {
				f.find(by, "where is value7 checked?")
			}
			b.ReportMetric(float64(found.Seen.Passages), "passages")
		})
	}
}

// fixed returns vectors of 768 dimensions at once.
type fixed struct{}

func (fixed) Name() string { return "fixed" }
func (fixed) Batch() int   { return 96 }

func (fixed) Embed(_ context.Context, _ bool, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = make([]float32, 768)
		out[i][len(t)%768] = 1
	}
	return out, nil
}

// childFolder is set in the process that TestAKillWhileEmbeddingLosesNoKnownVector kills.
const childFolder = "SLOP_TEST_RETRIEVAL_CHILD"

func TestAKillWhileEmbeddingLosesNoKnownVector(t *testing.T) {
	t.Parallel()
	if folder := os.Getenv(childFolder); folder != "" {
		embedUntilKilled(t, folder)
		return
	}
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("%03d.txt", i)] = fmt.Sprintf("word %d\n", i)
	}
	f := setup(t, files)
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAKillWhileEmbeddingLosesNoKnownVector$")
	child.Env = append(os.Environ(), childFolder+"="+f.finder.Folder+":"+f.dir)
	said, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	lines := bufio.NewScanner(said)
	for lines.Scan() && lines.Text() != "embedded 60" {
		continue
	}
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())

	got := f.find(newBag(), "word 7")
	require.NoError(t, got.Problem)
	require.LessOrEqual(t, got.Embedded, 140, "what the killed process had embedded is known")
	require.Equal(t, setup(t, files).find(newBag(), "word 7").Passages[0].Text, got.Passages[0].Text)
	require.Zero(t, f.find(newBag(), "word 7").Embedded)
}

// embedUntilKilled prints how many texts it has embedded, and waits for its end after 60 of them.
func embedUntilKilled(t *testing.T, folders string) {
	t.Helper()
	folder, dir, _ := strings.Cut(folders, ":")
	ws, err := sandbox.Open(sandbox.Config{Primary: dir})
	require.NoError(t, err)
	b := newBag()
	b.fail = func(bool, int) error {
		// this and three other requests are not stored yet, and one text was the question
		fmt.Println("embedded", b.texts()-1-3*3)
		if b.texts() > 90 {
			select {}
		}
		return nil
	}
	f := &retrieval.Finder{Folder: folder, Mask: func(b []byte) []byte { return b }}
	_, err = f.Find(t.Context(), ws, b, "word", 5)
	require.NoError(t, err)
}
