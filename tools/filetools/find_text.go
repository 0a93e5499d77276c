package filetools

import (
	"cmp"
	"context"
	_ "embed" // for the tool's documentation
	"errors"
	"io/fs"
	"iter"
	"runtime"
	"strings"
	"sync/atomic"

	"manualslop/tools"
	"manualslop/tools/inorder"
	"manualslop/tools/sandbox"
	"manualslop/tools/textsearch"
)

//go:embed find_text.md
var findTextDoc string

type findTextArgs struct {
	Path       string `json:"path" doc:"directory or file to search, relative to the workspace; . for the workspace itself" min:"1"`
	Pattern    string `json:"pattern" doc:"text to find, within one line; with regex an expression in RE2 syntax" min:"1" max:"1000"`
	Regex      bool   `json:"regex,omitzero" doc:"the pattern is a regular expression"`
	Word       bool   `json:"word,omitzero" doc:"find whole words only"`
	IgnoreCase bool   `json:"ignore_case,omitzero" doc:"ignore case"`
	Context    int    `json:"context_lines,omitzero" doc:"lines to show before and after each match; default 0" min:"0" max:"20"`
	Glob       string `json:"glob,omitzero" doc:"search only these files: *.py by name, or src/**/*.c by path below path" min:"1" max:"1000"`
	MaxResults int    `json:"max_results,omitzero" doc:"matching lines to show; default 200" min:"1" max:"2000"`
	Ignored    bool   `json:"include_ignored,omitzero" doc:"also search what .gitignore leaves out, and .git"`
	StartLine  int    `json:"start_line,omitzero" doc:"line of the answer to continue from, as given at the end of a cut answer" min:"1"`
}

const defaultFindResults = 200

// FindText returns the tool that finds lines that contain a text.
func FindText() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "find_text", Summary: "Find lines that contain a text or match an expression, in a file or below a directory.",
		Effect: tools.Reads | tools.Wide, Doc: findTextDoc,
	}, find)
}

func find(ctx context.Context, env tools.Env, in findTextArgs) (tools.Result, error) {
	f := &finder{env: env, in: in, most: in.MaxResults}
	if f.most == 0 {
		f.most = defaultFindResults
	}
	f.left.Store(int64(f.most))
	var err error
	f.pattern, err = textsearch.Compile(textsearch.Query{Text: in.Pattern, Regex: in.Regex, Word: in.Word,
		IgnoreCase: in.IgnoreCase})
	if err != nil {
		return tools.Result{}, tools.Refuse("pattern: %s", err)
	}
	entry, err := env.Workspace.Stat(in.Path)
	if err != nil {
		return tools.Result{}, err
	}
	f.data = findData{Path: entry.Path, Pattern: in.Pattern, Files: []findFile{}}
	if entry.Kind == sandbox.KindFile {
		err = f.file(ctx)
	} else {
		err = f.directory(ctx)
	}
	if err != nil {
		return tools.Result{}, err
	}
	return tools.Paged(f.text(), f.data, "find_text", in.StartLine, env.Limits)
}

// finder is the state of one call of find_text.
type finder struct {
	env     tools.Env
	in      findTextArgs
	pattern *textsearch.Pattern
	most    int          // matching lines to show
	left    atomic.Int64 // how many of them may still be added
	stats   sandbox.WalkStats
	data    findData
}

// searched is the result for one file.
type searched struct {
	path, encoding string
	state          tools.FileState // for a file with lines to show
	found          textsearch.Found
	err            error
}

// maxBatch limits the files that are searched in one batch.
const maxBatch = 64

// errBinaryFile means that a file is not text.
var errBinaryFile = errors.New("a binary file")

// file searches the only file that the path names, and returns an error if it cannot.
func (f *finder) file(ctx context.Context) error {
	doc, err := tools.ReadDocument(ctx, f.env, f.in.Path)
	if err != nil {
		return err
	}
	out := searched{path: doc.Disk.Path, encoding: doc.Encoding, state: tools.FileState{Path: doc.Disk.Path,
		SHA256: doc.Disk.SHA256, Size: int64(len(doc.Disk.Data))}}
	out.found, out.err = f.pattern.Search(ctx, doc.Text, f.most, f.in.Context)
	return f.takeFile(out)
}

// directory searches all files below the path on all cores.
func (f *finder) directory(ctx context.Context) error {
	glob, err := f.glob()
	if err != nil {
		return err
	}
	var walked error
	err = inorder.Do(ctx, runtime.GOMAXPROCS(0), f.batches(ctx, glob, &walked), f.search, f.take)
	if err != nil {
		return err
	}
	f.data.Ignored = f.stats.Ignored
	f.data.Unread += f.stats.Unread
	return walked
}

// glob returns the pattern that paths below the start must match. An empty pattern matches all.
func (f *finder) glob() (sandbox.Glob, error) {
	pattern := cmp.Or(f.in.Glob, "**")
	if !strings.Contains(pattern, "/") {
		pattern = "**/" + pattern
	}
	_, glob, err := cleanPattern(pattern)
	if err != nil {
		return glob, tools.Refuse("glob: %s", err)
	}
	return glob, nil
}

// batches yields the files to search. At its end it sets walked and the statistics.
func (f *finder) batches(ctx context.Context, glob sandbox.Glob, walked *error) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		var paths []string
		opts := sandbox.WalkOptions{Gitignore: !f.in.Ignored, NoSizes: true}
		f.stats, *walked = f.env.Workspace.Walk(ctx, f.in.Path, opts, func(e sandbox.Entry) error {
			if e.Kind != sandbox.KindFile || f.in.Glob != "" && !glob.Match(inside(f.data.Path, e.Path)) {
				return nil
			}
			if len(paths) == maxBatch {
				full := paths
				if paths = nil; !yield(full) {
					return fs.SkipAll
				}
			}
			paths = append(paths, e.Path)
			return nil
		})
		if len(paths) > 0 {
			yield(paths)
		}
	}
}

// search searches the files of a batch.
func (f *finder) search(ctx context.Context, paths []string) []searched {
	out := make([]searched, 0, len(paths))
	reader := f.env.Workspace.Reader()
	defer reader.Close()
	var buffer []byte
	for _, path := range paths {
		file, err := reader.ReadFile(ctx, path, buffer)
		if err != nil {
			out = append(out, searched{path: path, err: err})
			continue
		}
		buffer = file.Data
		out = append(out, f.searchFile(ctx, file))
	}
	return out
}

// searchFile searches one file. Once enough lines were found, it only counts. It computes the digest only for
// files with lines to show, because only these are in the call's list of files.
func (f *finder) searchFile(ctx context.Context, file sandbox.File) searched {
	doc, _ := tools.DecodeFile(file.Path, file.Data)
	if doc.Encoding == "" {
		return searched{path: file.Path, err: errBinaryFile}
	}
	most := f.most
	if f.left.Load() <= 0 {
		most = 0
	}
	out := searched{path: file.Path, encoding: doc.Encoding}
	out.found, out.err = f.pattern.Search(ctx, doc.Text, most, f.in.Context)
	if len(out.found.Lines) > 0 {
		out.state = tools.FileState{Path: file.Path, SHA256: sandbox.Digest(file.Data), Size: int64(len(file.Data))}
	}
	return out
}

// take adds the results of the next files. The only error is the context's.
func (f *finder) take(files []searched) error {
	for _, s := range files {
		if err := f.takeFile(s); err != nil {
			return err
		}
	}
	return nil
}

func (f *finder) takeFile(s searched) error {
	switch {
	case errors.Is(s.err, context.Canceled) || errors.Is(s.err, context.DeadlineExceeded):
		return s.err
	case errors.Is(s.err, errBinaryFile):
		f.data.Binary++
		return nil
	case errors.Is(s.err, sandbox.ErrTooLarge):
		f.data.TooLarge++
		return nil
	case s.err != nil:
		f.data.Unread++
		return nil
	}
	f.data.Searched++
	if s.found.Matching == 0 {
		return nil
	}
	f.data.MatchingFiles++
	f.data.MatchingLines += s.found.Matching
	if len(f.data.Files) == maxFoundFiles {
		f.data.Truncated = true
		return nil
	}
	f.data.Files = append(f.data.Files, f.shown(s))
	return nil
}
