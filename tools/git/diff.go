package git

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Request describes a comparison.
type Request struct {
	// Path is the absolute path of the file or folder, whether or not it exists.
	Path string
	// Dir is the folder in which to look for the repository, Path or one above it.
	Dir string
	// Base is the older side; empty means HEAD.
	Base string
	// Head is the newer side; empty means the working tree.
	Head string
	// Staged compares the index instead of the working tree.
	Staged bool
	// Context is the number of unchanged lines around each change; negative means git's three.
	Context int
	// StatOnly omits the text of the changes.
	StatOnly bool
	// Show returns the displayed name of a file, or false if it must not be shown. The path is absolute; tree
	// means that the content is from the working tree.
	Show func(path string, tree bool) (string, bool)
}

// File is one changed file.
type File struct {
	Path    string `json:"path"`
	OldPath string `json:"old_path,omitempty"` // old path of a renamed or copied file
	Status  string `json:"status"`             // added, modified, deleted, renamed, copied, type changed, unmerged
	Added   int    `json:"added"`              // number of lines
	Removed int    `json:"removed"`            // number of lines
	Binary  bool   `json:"binary,omitempty"`

	header string // the first line of its part of the patch
}

// Diff is the result of a comparison.
type Diff struct {
	Base   string // as requested, with the short hash
	Head   string // as requested, with the short hash, or "working tree" or "index"
	Files  []File
	Hidden int    // files omitted because they are protected or inaccessible
	Known  bool   // something changed, or the older side has the path
	Patch  string // empty with StatOnly
}

// Diff compares two states of a repository.
func (p Program) Diff(ctx context.Context, r Request) (_ Diff, err error) {
	repo, err := find(r.Dir)
	if err != nil {
		return Diff{}, err
	}
	base, head, err := p.sides(ctx, repo, r)
	if err != nil {
		return Diff{}, err
	}
	w, err := p.private(ctx, repo)
	if err != nil {
		return Diff{}, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if err := w.copyIndex(); err != nil {
		return Diff{}, err
	}
	out := Diff{Base: base.name, Head: head.name}
	args, err := w.arguments(r, base, head)
	if err != nil {
		return Diff{}, err
	}
	raw, err := w.diff(ctx, args, "--raw", "--numstat", "-z")
	if err != nil {
		return Diff{}, err
	}
	all, err := parseRaw(raw)
	if err != nil {
		return Diff{}, err
	}
	out.Files, out.Hidden = visible(all, repo, r)
	if out.Known = len(all) > 0; !out.Known {
		if out.Known, err = w.has(ctx, base, args[len(args)-1]); err != nil {
			return Diff{}, err
		}
	}
	if r.StatOnly || len(out.Files) == 0 {
		return out, nil
	}
	patch, err := w.diff(ctx, args, "--patch", contextOption(r.Context))
	out.Patch = keep(patch, out.Files)
	return out, err
}

// diff runs the comparison with one output format. It refreshes the index, which is a copy, so that a
// file whose time changed but whose content did not is not listed.
func (w *private) diff(ctx context.Context, args []string, form ...string) (string, error) {
	command := slices.Concat([]string{"-c", "diff.autoRefreshIndex=true", "diff"}, form, args)
	out, failed, err := w.git(ctx, command...)
	if err == nil && failed != "" {
		err = problem("git cannot compare this: %s", shown(failed))
	}
	return out, err
}

// has reports whether a revision has a file or folder.
func (w *private) has(ctx context.Context, in revision, path string) (bool, error) {
	if path == "." {
		return true, nil
	}
	out, failed, err := w.git(ctx, "ls-tree", "-z", "--name-only", "--full-tree", in.hash, "--", path)
	if err == nil && failed != "" {
		err = problem("git cannot list this revision: %s", shown(failed))
	}
	return out != "", err
}

// sides resolves the two sides of the comparison. An empty hash on the newer side means the working tree or the
// index.
func (p Program) sides(ctx context.Context, repo repository, r Request) (base, head revision, err error) {
	if r.Staged && r.Head != "" {
		return base, head, problem("staged compares the index, so head_rev must be left out")
	}
	if base, err = p.resolve(ctx, repo, firstOf(r.Base, "HEAD")); err != nil {
		return base, head, err
	}
	switch {
	case r.Head != "":
		head, err = p.resolve(ctx, repo, r.Head)
	case r.Staged:
		head.name = "index"
	default:
		head.name = "working tree"
	}
	return base, head, err
}

// arguments returns the options, revisions and path of a comparison.
func (w *private) arguments(r Request, base, head revision) ([]string, error) {
	rel, err := filepath.Rel(w.repo.root, r.Path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return nil, problem("the path is outside its repository")
	}
	args := []string{
		"--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty", "--submodule=short", "--find-renames",
		"-l1000",
		"--src-prefix=a/", "--dst-prefix=b/", "--no-relative",
	}
	if r.Staged {
		args = append(args, "--cached")
	}
	args = append(args, "--end-of-options", base.hash)
	if head.hash != "" {
		args = append(args, head.hash)
	}
	return append(args, "--", filepath.ToSlash(rel)), nil
}

func contextOption(lines int) string {
	if lines < 0 {
		lines = 3
	}
	return fmt.Sprintf("--unified=%d", lines)
}

// visible filters out the files that must not be shown, by their old or new
// name.
func visible(all []File, repo repository, r Request) ([]File, int) {
	out := []File{}
	for _, f := range all {
		show := func(name string, tree bool) (string, bool) {
			return r.Show(filepath.Join(repo.root, filepath.FromSlash(name)), tree)
		}
		tree := r.Head == "" && !r.Staged && f.Status != "deleted"
		path, ok := show(f.Path, tree)
		if f.OldPath != "" && ok {
			f.OldPath, ok = show(f.OldPath, false)
		}
		if f.Path = path; ok {
			out = append(out, f)
		}
	}
	return out, len(all) - len(out)
}

// parseRaw parses the output of --raw --numstat -z.
func parseRaw(raw string) ([]File, error) {
	var files []File
	at := map[string]int{}
	fields := strings.Split(raw, "\x00")
	next := func() string {
		if len(fields) == 0 {
			return ""
		}
		field := fields[0]
		fields = fields[1:]
		return field
	}
	for len(fields) > 0 {
		field := next()
		switch {
		case strings.HasPrefix(field, ":"):
			parts := strings.Fields(field)
			if len(parts) != 5 {
				return nil, fmt.Errorf("git: unexpected answer: %q", field)
			}
			f := File{Status: status(parts[4]), Path: next()}
			if parts[4][0] == 'R' || parts[4][0] == 'C' {
				f.OldPath, f.Path = f.Path, next()
			}
			f.header = header(f)
			at[f.Path] = len(files)
			files = append(files, f)
		case field != "":
			added, removed, name := numbers(field)
			if name == "" { // renamed: the names are in the next fields
				next()
				name = next()
			}
			if i, known := at[name]; known {
				files[i].Added, files[i].Removed, files[i].Binary = added, removed, strings.HasPrefix(field, "-")
			}
		}
	}
	return files, nil
}

// numbers parses "added TAB removed TAB name".
func numbers(field string) (added, removed int, name string) {
	first, rest, _ := strings.Cut(field, "\t")
	second, name, _ := strings.Cut(rest, "\t")
	added, _ = strconv.Atoi(first) // "-" for binary files counts as none
	removed, _ = strconv.Atoi(second)
	return added, removed, name
}

func status(letter string) string {
	switch letter[0] {
	case 'A':
		return "added"
	case 'D':
		return "deleted"
	case 'R':
		return "renamed"
	case 'C':
		return "copied"
	case 'T':
		return "type changed"
	case 'U':
		return "unmerged"
	}
	return "modified"
}

// header returns the first line of a file's part of the patch. A name that git would quote has no header, so its
// part is never shown.
func header(f File) string {
	old := firstOf(f.OldPath, f.Path)
	if strings.ContainsAny(old+f.Path, "\"\\\uFFFD") || strings.ContainsFunc(old+f.Path,
		func(r rune) bool { return r < ' ' || r == 0x7F }) {
		return ""
	}
	return "diff --git a/" + old + " b/" + f.Path
}

// keep returns the parts of a patch that belong to the given files. Content lines begin with a blank, plus, minus
// or backslash, so no file content can be mistaken for the beginning of a part.
func keep(patch string, files []File) string {
	headers := map[string]bool{}
	for _, f := range files {
		if f.header != "" {
			headers[f.header] = true
		}
	}
	var b strings.Builder
	keeping := false
	for line := range strings.Lines(patch) {
		switch {
		case strings.HasPrefix(line, "diff "):
			keeping = headers[strings.TrimSuffix(line, "\n")]
		case strings.HasPrefix(line, "* Unmerged path "):
			keeping = false
		}
		if keeping {
			b.WriteString(line)
		}
	}
	return b.String()
}
