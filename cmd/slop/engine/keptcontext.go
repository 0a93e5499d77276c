package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"manualslop/cmd/slop/site"
	"manualslop/hookgw/core"
	"manualslop/tools/sandbox"
)

// keptNumber matches the number in the name of a kept context.
var keptNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^_([0-9]{3,9})\.md$`) })

// KeepContext writes a context to a new, numbered file of the project, as the button btn_md_only does.
func KeepContext(ctx context.Context, p site.Place, folder, name, markdown string) (string, error) {
	f, err := openProjectFiles(p)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return f.KeepContext(ctx, folder, name, markdown)
}

// KeepContext writes Markdown to a new file in a folder below the project folder.
func (f *projectFiles) KeepContext(ctx context.Context, folder, name, markdown string) (string, error) {
	local := filepath.Clean(filepath.FromSlash(folder))
	if folder == "" || strings.ContainsRune(folder, 0) || !filepath.IsLocal(local) {
		return "", &core.FileProblem{Kind: core.FileDenied, Message: "output_dir is not a folder below the project folder",
			Hint: "Set project_output_dir to a path such as ./md_gen."}
	}
	if len(markdown) > core.MaxProjectFile {
		return "", &core.FileProblem{Kind: core.FileTooLarge,
			Message: fmt.Sprintf("the context is %d bytes long; at most %d are kept", len(markdown), core.MaxProjectFile),
			Hint:    "Nothing was written. Redirect what slop context show prints, or read GET /api/context/preview."}
	}
	name = strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	entries, err := os.ReadDir(filepath.Join(f.folder, local))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", f.explain(filepath.ToSlash(local), err)
	}
	number := 0
	for _, e := range entries {
		rest, own := strings.CutPrefix(e.Name(), name)
		if found := keptNumber().FindStringSubmatch(rest); own && found != nil {
			if n, err := strconv.Atoi(found[1]); err == nil {
				number = max(number, n)
			}
		}
	}
	file := path.Join(filepath.ToSlash(local), fmt.Sprintf("%s_%03d.md", name, number+1))
	guard, err := f.documents.Lock(ctx, file)
	if err != nil {
		return "", f.explain(file, err)
	}
	defer guard.Release()
	// the file must not exist: a number that somebody took meanwhile is refused
	if err := guard.Apply(ctx, []sandbox.Write{{Path: file, After: []byte(markdown), Mode: 0o600}}); err != nil {
		return "", f.explain(file, err)
	}
	return file, nil
}
