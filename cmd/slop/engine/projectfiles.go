package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/events"
	"manualslop/hookgw/asks"
	"manualslop/hookgw/core"
	"manualslop/projections/sessionlog"
	"manualslop/tools/sandbox"
)

// projectFiles is the gateway's access to the project folder: through the same gate as tools, and closed to everything
// outside of the folder.
type projectFiles struct {
	folder    string
	root      string                        // where relative paths of tools start
	relative  func(paths []string) []string // makes absolute paths those of tools
	documents *sandbox.Workspace            // for files up to hookgw.MaxProjectFile
}

var _ core.ProjectFiles = (*projectFiles)(nil)

// openProjectFiles opens the gate. The names that tools may not touch and the engine's own folders are protected.
func openProjectFiles(p site.Place) (*projectFiles, error) {
	w, err := sandbox.Open(sandbox.Config{
		Primary: p.Project, Blacklist: slices.Concat(p.Config.MCP.Blacklist, site.CredentialNames(),
			[]string{"slop.toml", "mcp_env.toml"}),
		Engine:       []string{p.Data, filepath.Join(p.Project, filepath.FromSlash(sessionlog.Base))},
		MaxFileBytes: core.MaxProjectFile,
	})
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "open the project folder: %w", err)
	}
	return &projectFiles{folder: p.Project, root: p.Root(), relative: p.Relative, documents: w}, nil
}

// CheckStart refuses an answer that starts a ticket of a session with files that do not exist. Sessions whose files are
// not in the folder of p are not checked.
func CheckStart(p site.Place, of events.SessionOpened, ask events.AskRaised, answer events.AskAnswered) error {
	if of.Workspace != p.Root() {
		return nil
	}
	files, err := openProjectFiles(p)
	if err != nil {
		return err
	}
	defer files.Close()
	return asks.WrongFile(files, of.Settings.Isolation, ask, answer)
}

func (f *projectFiles) Close() { _ = f.documents.Close() }

// Load reads a project document.
func (f *projectFiles) Load(ctx context.Context, path string) (core.ProjectFile, error) {
	name, err := f.name(path)
	if err != nil {
		return core.ProjectFile{}, err
	}
	file, err := f.documents.ReadFile(ctx, name)
	if err != nil {
		return core.ProjectFile{}, f.explain(name, err)
	}
	document, err := tomlToJSON(file.Data)
	if err != nil {
		return core.ProjectFile{}, &core.FileProblem{Kind: core.FileBroken, Message: name + " cannot be read: " + err.Error(),
			Hint: "Correct the file and load it again."}
	}
	return core.ProjectFile{Path: name, SHA256: file.SHA256, Size: int64(len(file.Data)), Document: document}, nil
}

// name returns the path of a project document as it is shown: relative to the project folder, with slashes.
func (f *projectFiles) name(path string) (string, error) {
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(f.folder, path)
		if err != nil || !filepath.IsLocal(rel) {
			return "", &core.FileProblem{Kind: core.FileDenied, Message: "this project is in another folder",
				Hint: "Start slop with --project there."}
		}
		path = rel
	}
	local := filepath.Clean(filepath.FromSlash(path))
	switch {
	case strings.ContainsRune(path, 0) || path == "":
		return "", &core.FileProblem{Kind: core.FileDenied, Message: "path must not be empty or contain NUL",
			Hint: "Name a .toml file below the project folder."}
	case !filepath.IsLocal(local):
		return "", &core.FileProblem{Kind: core.FileDenied, Message: "this project is in another folder",
			Hint: "Start slop with --project there."}
	case filepath.Ext(local) != ".toml":
		return "", &core.FileProblem{Kind: core.FileDenied, Message: "a project document must be a .toml file",
			Hint: "Give a path such as project.toml."}
	}
	return filepath.ToSlash(local), nil
}

// explain converts an error of the gate to a problem for a client.
func (f *projectFiles) explain(name string, err error) error {
	var denied *sandbox.DeniedError
	var system *fs.PathError
	switch {
	case errors.As(err, &denied):
		return &core.FileProblem{Kind: core.FileDenied, Message: denied.ModelText(),
			Hint: "Project documents are plain .toml files below the project folder that are not protected."}
	case errors.Is(err, fs.ErrNotExist):
		return &core.FileProblem{Kind: core.FileMissing, Message: "no such file: " + name,
			Hint: "Give a file below the project folder, or create it with POST /api/project/save."}
	case errors.Is(err, sandbox.ErrTooLarge):
		return &core.FileProblem{Kind: core.FileTooLarge, Message: fmt.Sprintf("%s is over the limit of %d bytes", name,
			core.MaxProjectFile), Hint: "Move its discussions to a history file and import that file with slop " +
			"history import."}
	case errors.Is(err, sandbox.ErrConflict):
		return changedFile(name)
	case errors.Is(err, sandbox.ErrNotRegular), errors.Is(err, sandbox.ErrIsDirectory):
		return &core.FileProblem{Kind: core.FileDenied, Message: name + " is not a regular file",
			Hint: "Give the path of a regular file."}
	case errors.As(err, &system):
		return &core.FileProblem{Kind: core.FileBroken, Message: name + " cannot be used: " + system.Err.Error(),
			Hint: "Correct the cause, or give another file."}
	}
	return fmt.Errorf("project document %s: %w", name, err)
}

func changedFile(name string) error {
	return &core.FileProblem{Kind: core.FileChanged, Message: name + " was changed by someone else since it was loaded",
		Hint: `Load it again, save to another path, or send "force": true to overwrite it.`}
}

// Save writes a project document to a temporary file and renames it. A file that already has exactly these bytes
// counts as written.
func (f *projectFiles) Save(ctx context.Context, path string, document json.RawMessage, was string,
	force bool) (core.ProjectFile, error) {
	name, err := f.name(path)
	if err != nil {
		return core.ProjectFile{}, err
	}
	text, err := jsonToTOML(document)
	if err != nil {
		return core.ProjectFile{}, &core.FileProblem{Kind: core.FileBroken,
			Message: "the project cannot be written as TOML: " + err.Error(), Hint: "Correct the value that it " +
				"names and save again."}
	}
	if len(text) > core.MaxProjectFile {
		return core.ProjectFile{}, f.explain(name, sandbox.ErrTooLarge)
	}
	saved := core.ProjectFile{Path: name, SHA256: sandbox.Digest(text), Size: int64(len(text)), Document: document}
	guard, err := f.documents.Lock(ctx, name)
	if err != nil {
		return saved, f.explain(name, err)
	}
	defer guard.Release()
	now, err := f.documents.ReadFile(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return saved, f.explain(name, err)
	case bytes.Equal(now.Data, text):
		return saved, nil
	}
	if now.SHA256 != was && !force {
		return saved, changedFile(name)
	}
	if err := guard.Apply(ctx, []sandbox.Write{{Path: name, Before: now.SHA256, After: text, Mode: 0o600}}); err != nil {
		return saved, f.explain(name, err)
	}
	return saved, nil
}

// Expand finds the files that patterns match, as tools name them. A path without a wildcard is returned whether the
// file exists or not.
func (f *projectFiles) Expand(ctx context.Context, base string, patterns []string) (paths, skipped []string,
	err error) {
	found := map[string]bool{}
	var globs []sandbox.Glob
	for _, given := range patterns {
		pattern, problem := f.pattern(base, given)
		switch {
		case problem != "":
			skipped = append(skipped, given+": "+problem)
		case strings.ContainsAny(pattern, `*?[{`):
			glob, err := sandbox.ParseGlob(pattern)
			if err != nil {
				skipped = append(skipped, given+": its braces expand to too many patterns")
				continue
			}
			globs = append(globs, glob)
		default:
			if _, err := f.documents.Stat(pattern); errors.Is(err, sandbox.ErrDenied) {
				skipped = append(skipped, given+": it is protected, or a link")
				continue
			}
			found[pattern] = true
		}
	}
	if len(globs) > 0 {
		if err := f.match(ctx, globs, found); err != nil {
			return nil, nil, err
		}
	}
	for path := range found {
		paths = append(paths, filepath.Join(f.folder, filepath.FromSlash(path)))
	}
	paths = f.relative(paths)
	slices.Sort(paths)
	return paths, skipped, tooMany(len(paths))
}

// Check looks for a file as tools do, without reading it. Only the project folder is open here; a file of a base
// directory elsewhere is left to the worker.
func (f *projectFiles) Check(path string) error {
	name, err := filepath.Rel(f.folder, filepath.Join(f.root, filepath.FromSlash(path)))
	if err != nil || !filepath.IsLocal(name) && f.root != f.folder {
		return nil
	}
	if strings.ContainsRune(path, 0) || !filepath.IsLocal(name) {
		return &core.FileProblem{Kind: core.FileDenied, Message: path + ": it is outside of the project folder",
			Hint: "Name a file of the project."}
	}
	entry, err := f.documents.Stat(filepath.ToSlash(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &core.FileProblem{Kind: core.FileMissing, Message: "no such file: " + path,
			Hint: "Name a file of the project."}
	case err == nil && entry.Kind != sandbox.KindFile:
		err = sandbox.ErrNotRegular
	}
	if err != nil {
		return f.explain(name, err)
	}
	return nil
}

func tooMany(n int) error {
	if n <= events.MaxTracked {
		return nil
	}
	return &core.FileProblem{Kind: core.FileTooLarge, Message: fmt.Sprintf("the patterns match more than %d files",
		events.MaxTracked), Hint: "Use narrower patterns; tools can also read files that are not listed."}
}

// pattern returns a pattern relative to the project folder, or why it is not valid.
func (f *projectFiles) pattern(base, given string) (pattern, problem string) {
	slashed := filepath.ToSlash(given)
	if filepath.IsAbs(given) {
		rel, err := filepath.Rel(f.folder, given)
		if err != nil || !filepath.IsLocal(rel) {
			return "", "it is outside of the project folder"
		}
		slashed = filepath.ToSlash(rel)
	} else if base != "" {
		slashed = filepath.ToSlash(base) + "/" + slashed
	}
	pattern = filepath.ToSlash(filepath.Clean(filepath.FromSlash(slashed)))
	switch {
	case given == "" || strings.ContainsRune(given, 0):
		return "", "it is not a valid path"
	case !filepath.IsLocal(pattern):
		return "", "it is outside of the project folder"
	case !doublestar.ValidatePattern(pattern):
		return "", "it is not a valid pattern"
	}
	return pattern, ""
}

// match adds the files below the project folder that a pattern matches. It does not follow links, and leaves out
// protected names and what .gitignore ignores.
func (f *projectFiles) match(ctx context.Context, globs []sandbox.Glob, found map[string]bool) error {
	stats, err := f.documents.Walk(ctx, ".", sandbox.WalkOptions{Gitignore: true, NoSizes: true},
		func(e sandbox.Entry) error {
			if e.Kind != sandbox.KindFile {
				return nil
			}
			for _, glob := range globs {
				if glob.Match(e.Path) {
					found[e.Path] = true
					break
				}
			}
			if len(found) > events.MaxTracked {
				return fs.SkipAll
			}
			return nil
		})
	if err == nil && stats.Truncated {
		return &core.FileProblem{Kind: core.FileTooLarge, Message: "the project folder has too many files to search",
			Hint: "Name the files without wildcards, or exclude folders with .gitignore."}
	}
	if err != nil {
		return f.explain(".", err)
	}
	return nil
}
