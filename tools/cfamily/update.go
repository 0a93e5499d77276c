package cfamily

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/syntax"
)

// UpdateError reports why a definition was not replaced. Its one-line text says what to do next.
type UpdateError struct{ Text string }

// Error returns the text.
func (e *UpdateError) Error() string { return e.Text }

func refuse(format string, args ...any) error { return &UpdateError{fmt.Sprintf(format, args...)} }

// Update plans to replace a symbol of this file with content. A template<…> line stays unless content has its
// own. The text is re-indented for its location, with the file's unit and line ends. The error is an *UpdateError
// if content or the result would not balance, would not define the name, would hide other definitions, or would
// be more damaged than the file already is.
func (f *File) Update(ctx context.Context, s Symbol, content string) (document.Splice, error) {
	content = trimLines(content)
	start := s.Start
	if s.Head > s.Start && !strings.HasPrefix(strings.TrimLeft(content, " \t"), "template") {
		start = s.Head
	}
	if !directivesClosed(f.Text[start:s.End]) {
		return document.Splice{}, refuse("an #if splits the head or the end of '%s'; use edit_file", s.Name)
	}
	if problem := balance(f.Text[s.Start:s.End]); problem != "" {
		return document.Splice{}, refuse("'%s' does not end where it should (%s), so the file must be repaired with "+
			"edit_file first", s.Name, problem)
	}
	if content == "" {
		return document.Splice{}, refuse("new_content is empty; use edit_file to remove a definition")
	}
	if problem := balance(content); problem != "" {
		return document.Splice{}, refuse("new_content does not balance: %s", problem)
	}
	if strings.HasSuffix(content, "\\") {
		return document.Splice{}, refuse("new_content ends with a backslash, which would join the next line to it; leave " +
			"it out")
	}
	content = f.ended(s, content)
	if rest := f.goesOn(s); rest != "" && !f.endsWithType(s, content) {
		return document.Splice{}, refuse("%q follows the '}' of '%s' in the same statement and stays in the file; end "+
			"new_content with that '}', or use edit_file to change both", rest, s.Name)
	}
	line, _, _ := strings.Cut(f.Text[s.End:], "\n")
	if last := openEnd(content); last != "" && strings.TrimSpace(line) != "" {
		return document.Splice{}, refuse("new_content ends in a %s, and %q follows on its last line; put it above or leave "+
			"it out", last, short(line))
	}
	if !directivesClosed(content) {
		return document.Splice{}, refuse("new_content has an #if, #else or #endif without its counterpart")
	}
	start, err := f.keepFront(s, start, content)
	if err != nil {
		return document.Splice{}, err
	}
	if err := f.keepTail(s, content); err != nil {
		return document.Splice{}, err
	}
	content = f.placed(start, s.End, content)
	splice := document.Splice{Start: start, End: s.End, New: content}
	if f.Text[start:s.End] == content {
		return splice, nil
	}
	if !f.sameOutside(splice) {
		return document.Splice{}, refuse("new_content would change how the text around it is parsed; close its comments, " +
			"strings and # lines, and begin it with a # line only if the definition is first on its line")
	}
	after := Read(f.Text[:start]+content+f.Text[s.End:], f.Language, f.macros)
	if err := f.compare(after, s, splice); err != nil {
		return document.Splice{}, err
	}
	return splice, f.damaged(ctx, after, splice)
}

// trimLines removes blank lines at both ends, and trailing blanks.
func trimLines(text string) string {
	text = strings.TrimRight(text, " \t\r\n\f")
	for {
		line, rest, found := strings.Cut(text, "\n")
		if !found || strings.TrimSpace(line) != "" {
			return text
		}
		text = rest
	}
}

// compare checks that the new text defines the name and hides no other definition.
func (f *File) compare(after *File, s Symbol, splice document.Splice) error {
	end := splice.Start + len(splice.New)
	shift := len(splice.New) - (splice.End - splice.Start)
	defined := slices.ContainsFunc(after.Symbols, func(n Symbol) bool {
		return n.Name == s.Name && n.Start >= s.Start && n.End <= end+1 && hasCode(n) == hasCode(s) &&
			(s.Declaration || !n.Declaration)
	})
	if !defined {
		return refuse("new_content does not define '%s', but %s; give the whole definition under its own name", s.Name,
			defines(after.Symbols, s.Start, end))
	}
	if err := f.left(after, s, end); err != nil {
		return err
	}
	if name := f.doubled(after, splice.New); name != "" {
		return refuse("new_content also defines '%s', which the file already defines; give only '%s'", name, s.Name)
	}
	outside := map[string]int{}
	for _, o := range f.Symbols {
		if o.End <= s.Start || o.Start >= s.End {
			outside[fmt.Sprintf("%s %s", o.Kind, o.Name)]++
		}
	}
	for _, n := range after.Symbols {
		if n.End <= s.Start || n.Start >= s.End+shift {
			outside[fmt.Sprintf("%s %s", n.Kind, n.Name)]--
		}
	}
	for _, name := range slices.Sorted(maps.Keys(outside)) {
		if outside[name] != 0 {
			return refuse("new_content would change how the %s outside of it is parsed; check brackets, quotes and comments",
				name)
		}
	}
	return nil
}

// doubled returns a name that is defined more often than before, although it was defined or is twice in new text. In
// C++ parameters and template arguments count as part of a name. Branches of an #if in new text may repeat a name.
func (f *File) doubled(after *File, content string) string {
	tokens, _ := lex(content)
	if slices.ContainsFunc(tokens, func(t token) bool {
		name, _ := directiveOf(content[t.start:t.end])
		return t.kind == directive && strings.HasPrefix(name, "if")
	}) {
		return ""
	}
	counted := func(of *File) map[string]int {
		out := map[string]int{}
		for _, n := range of.Symbols {
			if n.BodyEnd > 0 && n.Kind != "namespace" {
				out[of.identity(n)]++
			}
		}
		return out
	}
	before := counted(f)
	now := counted(after)
	for _, n := range after.Symbols {
		if key := after.identity(n); now[key] > max(1, before[key]) {
			return n.Name
		}
	}
	return ""
}

// identity is what makes a definition another one: its name, in C++ also its head.
func (f *File) identity(s Symbol) string {
	key := s.Kind + " " + s.Name + s.Arguments
	if f.Language == CPP && hasCode(s) {
		key += " " + folded(f.Text[nameOf(s):s.SignatureEnd])
	}
	return key
}

// defines describes the symbols defined in a range.
func defines(symbols []Symbol, start, end int) string {
	var names []string
	for _, s := range symbols {
		if s.Start >= start && s.End <= end && len(names) < 3 {
			what := "'" + s.Name + "'"
			if s.Declaration {
				what = "only declares " + what
			}
			names = append(names, what)
		}
	}
	if len(names) == 0 {
		return "nothing that could be recognized"
	}
	return strings.Join(names, ", ")
}

// directivesClosed reports whether every #if in a text is closed.
func directivesClosed(text string) bool {
	tokens, _ := lex(text)
	depth := 0
	for _, t := range tokens {
		if t.kind != directive {
			continue
		}
		switch name, _ := directiveOf(text[t.start:t.end]); name {
		case "if", "ifdef", "ifndef":
			depth++
		case "else", "elif", "elifdef", "elifndef":
			if depth == 0 {
				return false
			}
		case "endif":
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

// damaged rejects a result in which tree-sitter finds more damage than in the file.
func (f *File) damaged(ctx context.Context, after *File, splice document.Splice) error {
	language, ok := syntax.ByName(f.Language.String())
	if !ok {
		return nil
	}
	now, err := syntax.DamageOf(ctx, language, after.Cleaned())
	if err != nil || len(now) == 0 {
		return ctx.Err()
	}
	before, err := syntax.DamageOf(ctx, language, f.Cleaned())
	if err != nil || len(now) <= len(before) {
		return ctx.Err()
	}
	for _, d := range now {
		if d.Start >= splice.Start && d.Start <= splice.Start+len(splice.New) {
			what := fmt.Sprintf("%q is not valid here", short(after.Text[d.Start:min(d.End, len(after.Text))]))
			if d.Missing != "" {
				what = fmt.Sprintf("%q is missing", d.Missing)
			}
			return refuse("new_content would not parse: line %d of the result: %s; correct it, or use edit_file if the parser "+
				"is wrong", d.Line, what)
		}
	}
	return nil
}

func short(text string) string {
	const most = 60
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
