package codetools

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"manualslop/tools"
	"manualslop/tools/cfamily"
	"manualslop/tools/document"
	"manualslop/tools/pytools"
	"manualslop/tools/sandbox"
	"manualslop/tools/syntax"
)

// unparsed converts an error of package syntax to a refusal for a model.
func unparsed(file string, err error) error {
	switch {
	case errors.Is(err, syntax.ErrTooLarge):
		return tools.Refuse("%s is too large to parse (at most %d MB); use read_file or find_text", file, syntax.MaxSize>>20)
	case errors.Is(err, syntax.ErrTooHard):
		return tools.Refuse("%s takes too long to parse; use read_file or find_text", file)
	}
	return err
}

// readC reads a file of the C family for the tools of one language. A file with a C++ name is read as C++ by the
// C tools too.
func readC(ctx context.Context, env tools.Env, name string, language cfamily.Language) (codeFile, error) {
	doc, err := tools.ReadDocument(ctx, env, name)
	if err != nil {
		return codeFile{}, err
	}
	if !cfamily.Belongs(doc.Disk.Path) {
		return codeFile{}, tools.Refuse("not a %s file: %s", map[cfamily.Language]string{cfamily.C: "C",
			cfamily.CPP: "C++"}[language], doc.Disk.Path)
	}
	f, err := readCFamily(ctx, env, doc, cfamily.LanguageOf(doc.Disk.Path, doc.Text, language))
	f.outlineTool = "ts_" + language.String() + "_get_code_outline"
	return f, err
}

// readCFamily reads the structure of C or C++ with the macros of the headers that the file includes.
func readCFamily(ctx context.Context, env tools.Env, doc tools.TextFile, language cfamily.Language) (codeFile, error) {
	if len(doc.Text) > syntax.MaxSize {
		return codeFile{}, unparsed(doc.Disk.Path, syntax.ErrTooLarge)
	}
	macros := cfamily.LearnIncluded(ctx, doc.Disk.Path, doc.Text, nil, findHeader(ctx, env))
	read, err := tools.Within(ctx, len(doc.Text), func() *cfamily.File { return cfamily.Read(doc.Text, language, macros) })
	if err != nil {
		return codeFile{}, err
	}
	f := codeFile{TextFile: doc, outlineTool: "ts_get_code_outline", warnings: []string{}, c: read, symbols: read.Symbols}
	for _, p := range f.c.Problems() {
		if len(f.warnings) < pytools.MaxWarnings {
			f.warnings = append(f.warnings, fmt.Sprintf("line %d: %s", p.Line, p.Text))
		}
	}
	return f, ctx.Err()
}

// maxHeader is the size in bytes of the largest header that is read for its macros; most have less than a tenth
// of it.
const maxHeader = 2 << 20

// findHeader returns a function that reads headers that a file includes. They only help to parse the file, so
// they are not recorded as files of the call, and unreadable ones are skipped.
func findHeader(ctx context.Context, e tools.Env) func(name string) (string, bool) {
	return func(name string) (string, bool) {
		entry, err := e.Workspace.Stat(name)
		if err != nil || entry.Size > maxHeader {
			return "", false
		}
		file, err := e.Workspace.ReadFile(ctx, name)
		if err != nil {
			return "", false
		}
		decoded, ok := document.Decode(file.Data)
		return decoded.Text, ok
	}
}

// pairedFile returns the source file of a header or the header of a source file: the same name with another
// extension, in the same folder or in the neighbouring src or include folder. It returns "" if there is none.
func pairedFile(e tools.Env, name string) string {
	headers := []string{".h", ".hpp", ".hh", ".hxx", ".H"}
	sources := []string{".c", ".cc", ".cpp", ".cxx", ".C", ".ipp", ".inl", ".tpp"}
	others := headers
	if isHeader(name) {
		others = sources
	}
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	dir := path.Dir(name)
	up := path.Dir(dir)
	for _, folder := range []string{dir, path.Join(dir, "src"), path.Join(dir, "include"), path.Join(up, "src"),
		path.Join(up, "include"), up} {
		for _, ending := range others {
			candidate := path.Join(folder, base+ending)
			if entry, err := e.Workspace.Stat(candidate); err == nil && entry.Kind == sandbox.KindFile && candidate != name {
				return candidate
			}
		}
	}
	return ""
}

func isHeader(name string) bool { return strings.HasPrefix(strings.ToLower(path.Ext(name)), ".h") }

// declaredOnly says where the body of a prototype may be. It returns "" for a definition.
func (f codeFile) declaredOnly(ctx context.Context, env tools.Env, found []cfamily.Symbol) string {
	for _, s := range slices.Concat(found, cfamily.Find(f.symbols, found[0].Name)) {
		if !s.Declaration {
			return ""
		}
	}
	text := fmt.Sprintf("%s only declares '%s'", f.Disk.Path, tools.OneLine(found[0].Name, 200))
	other := pairedFile(env, f.Disk.Path)
	if other == "" {
		return text + "; its definition is in another file; find it with find_text"
	}
	header, ok := findHeader(ctx, env)(other)
	if !ok {
		return text
	}
	there := cfamily.Read(header, cfamily.LanguageOf(other, header, f.c.Language), cfamily.Macros{})
	for _, s := range cfamily.Find(there.Symbols, found[0].Name) {
		if !s.Declaration {
			return text + fmt.Sprintf("; it is defined in %s at lines %d-%d", other, s.StartLine, s.EndLine)
		}
	}
	return text + "; it may be defined in " + other
}
