package hookgw_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/projections"
)

// folder is a project folder in memory, whose documents are JSON.
type folder struct {
	mu     sync.Mutex
	files  map[string]string
	loads  int
	before func() // called before a document is read
}

func withFolder(f *folder) func(*core.Config) {
	return func(c *core.Config) { c.ProjectFiles = f }
}

func missing(path string) error {
	return &core.FileProblem{Kind: core.FileMissing, Message: "there is no " + path, Hint: "Name another."}
}

// Load reads a document.
func (f *folder) Load(_ context.Context, path string) (core.ProjectFile, error) {
	if f.before != nil {
		f.before()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.loads++
	text, ok := f.files[path]
	if !ok {
		return core.ProjectFile{}, missing(path)
	}
	return core.ProjectFile{Path: path, SHA256: events.Digest([]byte(text)), Size: int64(len(text)),
		Document: json.RawMessage(text)}, nil
}

// Save writes a document.
func (f *folder) Save(_ context.Context, path string, document json.RawMessage, was string,
	force bool) (core.ProjectFile, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := ""
	if text, ok := f.files[path]; ok {
		now = events.Digest([]byte(text))
	}
	if now != was && !force {
		return core.ProjectFile{}, &core.FileProblem{Kind: core.FileChanged, Message: path + " changed",
			Hint: "Load it again."}
	}
	f.files[path] = string(document)
	return core.ProjectFile{Path: path, SHA256: events.Digest(document), Size: int64(len(document))}, nil
}

// KeepContext writes a context to a new file.
func (f *folder) KeepContext(_ context.Context, dir, name, markdown string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for n := 1; ; n++ {
		if path := fmt.Sprintf("%s/%s_%03d.md", dir, name, n); f.files[path] == "" {
			f.files[path] = markdown
			return path, nil
		}
	}
}

// Expand takes every pattern for a path, and the pattern * for every file.
func (f *folder) Expand(_ context.Context, base string, patterns []string) (paths, skipped []string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range patterns {
		switch {
		case p == "*":
			for name := range f.files {
				paths = append(paths, name)
			}
		case strings.HasPrefix(p, "/"):
			skipped = append(skipped, p+": outside")
		default:
			paths = append(paths, strings.TrimPrefix(base+"/"+p, "/"))
		}
	}
	slices.Sort(paths)
	return paths, skipped, nil
}

// Check finds the files that are there.
func (f *folder) Check(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.files[path]; !ok {
		return missing(path)
	}
	return nil
}

// ReadHistory reads JSON.
func (f *folder) ReadHistory(text string) (projections.History, error) {
	var h projections.History
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		return h, &core.FileProblem{Kind: core.FileBroken, Message: "line 1: " + err.Error(), Hint: "Correct it."}
	}
	return h, nil
}

// WriteHistory writes JSON.
func (f *folder) WriteHistory(h projections.History) (string, error) {
	raw, err := json.Marshal(h)
	return string(raw), err
}

// says posts a body and wants a status.
func (f *fixture) says(path, body string, status int) answer {
	f.t.Helper()
	a := f.post(path, access.RightHuman, body)
	require.Equal(f.t, status, a.status, "%s %.200s: %s", path, body, a.body)
	return a
}

// read gets a path and decodes its answer.
func read[V any](f *fixture, path string) V {
	f.t.Helper()
	a := f.get(path, access.RightRead)
	require.Equal(f.t, http.StatusOK, a.status, "%s: %s", path, a.body)
	var v V
	require.NoError(f.t, json.Unmarshal(a.body, &v))
	return v
}

// requireProblem wants an error that says what to do.
func requireProblem(t *testing.T, a answer, contains string) {
	t.Helper()
	said := a.object(t)
	require.Contains(t, said["error"], contains)
	require.NotEmpty(t, said["hint"])
}

// another is a second gateway on the same log, with read models of its own.
func (f *fixture) another(t *testing.T, change ...func(*core.Config)) *fixture {
	t.Helper()
	models := openModels(t, f.log, 1000)
	g := openEmpty(t, append([]func(*core.Config){func(c *core.Config) {
		same := func(string) events.Log { return f.log }
		c.Log, c.PersonLog, c.AgentLog, c.Models = f.log, same, same, models
	}}, change...)...)
	g.log, g.as = f.log, f.as
	return g
}

// failingAfter lets so many events of a type through; the next are refused.
func failingAfter(typ string, left *int) func(*core.Config) {
	return func(c *core.Config) {
		log := troubled{Log: c.Log, onAppend: func(e events.Event) error {
			if e.Type != typ {
				return nil
			}
			if *left == 0 {
				return events.ErrFull
			}
			*left--
			return nil
		}}
		same := func(string) events.Log { return log }
		c.Log, c.PersonLog, c.AgentLog = log, same, same
	}
}
