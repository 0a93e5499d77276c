package pytools

import (
	"context"
	_ "embed" // for the tool's documentation
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"manualslop/tools"
	"manualslop/tools/document"
	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

//go:embed py_check_syntax.md
var pyCheckSyntaxDoc string

type pyCheckSyntaxArgs struct {
	Path    string `json:"path" doc:"Python file to check, relative to the workspace" min:"1"`
	Version string `json:"version,omitzero" doc:"version of Python to check against, such as 3.11; default that of the python3 on PATH, else the newest, 3.14"`
	Python  string `json:"python,omitzero" doc:"auto (default): a python3 on PATH gives the verdict; never: only the built-in parser" enum:"auto,never"`
}

// pythonError is one error in a Python file. Lines and columns count from 1, columns in characters; 0 means unknown.
type pythonError struct {
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"` // after the last character
	Kind      string `json:"kind"`
	Text      string `json:"text"`
	Source    string `json:"source"`
}

type syntaxData struct {
	Path     string        `json:"path"`
	Valid    *bool         `json:"valid"` // null if no error was found and no interpreter could confirm it
	Checker  string        `json:"checker"`
	Errors   []pythonError `json:"errors"`
	Warnings []string      `json:"warnings"`
}

// mostSyntaxErrors limits the errors in a result.
const mostSyntaxErrors = 20

// PyCheckSyntax returns the tool that checks whether a Python file parses.
func PyCheckSyntax() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "py_check_syntax", Summary: "Check the syntax of a Python file without running it.", Effect: tools.Reads,
		Doc: pyCheckSyntaxDoc,
	}, checkSyntax)
}

func checkSyntax(ctx context.Context, env tools.Env, in pyCheckSyntaxArgs) (tools.Result, error) {
	file, err := env.ReadFile(ctx, in.Path)
	if err != nil {
		return tools.Result{}, err
	}
	if !document.IsPython(file.Path, file.Data) {
		return tools.Result{}, tools.Refuse("not a python file: %s", file.Path)
	}
	var version grammar.Version
	if in.Version != "" {
		var known bool
		if version, known = grammar.ParseVersion(in.Version); !known {
			return tools.Result{}, tools.Refuse("version %q is not one of 3.%d to 3.%d", in.Version, grammar.OldestVersion,
				grammar.NewestVersion)
		}
	}
	c := syntaxCheck{path: file.Path, data: file.Data}
	if in.Python != "never" {
		if c.verdict, c.why, err = askPython(ctx, env, file.Data, version); err != nil {
			return tools.Result{}, err
		}
	}
	if version == 0 && c.verdict != nil {
		version = c.verdict.version
	}
	if c.own, err = tools.Within(ctx, len(file.Data), func() own { return ownErrors(file.Data, version) }); err != nil {
		return tools.Result{}, err
	}
	return c.result(), nil
}

// own holds what the engine's own parser finds: syntax errors, and errors that a compiler would report later.
type own struct{ errors, later []pythonError }

// ownErrors parses a file with the engine's own parser. Version 0 means the newest syntax.
func ownErrors(data []byte, version grammar.Version) own {
	doc, err := document.DecodePython(data)
	var source *document.SourceError
	if errors.As(err, &source) {
		return own{errors: []pythonError{{Line: source.Line, EndLine: source.Line, Kind: python.SyntaxError,
			Text: source.Text}}}
	}
	file := python.Parse(doc.Text)
	found := grammar.CheckFile(file, mostSyntaxErrors)
	if version > 0 {
		found = grammar.CheckVersion(file, mostSyntaxErrors, version)
	}
	if len(found) > 0 {
		return own{errors: pythonErrors(found)}
	}
	return own{later: pythonErrors(grammar.CompileErrors(file))}
}

func pythonErrors(found []grammar.Error) []pythonError {
	var out []pythonError
	for _, e := range found {
		out = append(out, pythonError{
			Line: e.Line, Column: e.Column, EndLine: e.EndLine, EndColumn: e.EndColumn, Kind: e.Kind, Text: e.Text,
			Source: e.Source,
		})
	}
	return out
}

// syntaxCheck combines the results for one file.
type syntaxCheck struct {
	path    string
	data    []byte
	verdict *verdict // nil if no interpreter checked the file
	why     string   // why verdict is nil
	own     own
}

func (c *syntaxCheck) result() tools.Result {
	data := syntaxData{Path: c.path, Checker: "slop", Errors: c.errors(), Warnings: []string{}}
	later := c.own.later
	if c.verdict != nil {
		data.Checker, later = c.verdict.checker, c.verdict.later
	}
	for _, e := range later[:min(len(later), mostSyntaxErrors)] {
		data.Warnings = append(data.Warnings, fmt.Sprintf("%s: %s: %s", c.place(e), e.Kind, e.Text))
	}
	if valid := len(data.Errors) == 0; !valid || c.verdict != nil {
		data.Valid = &valid
	}
	return tools.Result{Text: c.text(data), Data: data}
}

// errors lists the errors: the interpreter's first, then those that our parser found in other statements. Code
// that an interpreter accepts has no errors.
func (c *syntaxCheck) errors() []pythonError {
	switch {
	case c.verdict == nil:
		return append([]pythonError{}, c.own.errors...)
	case c.verdict.failed == nil:
		return []pythonError{}
	}
	first := *c.verdict.failed
	if lines := document.Lines(c.decoded()); first.Line > 0 && first.Line <= len(lines) {
		line := lines[first.Line-1]
		first.Source = c.decoded()[line.Start:line.End]
	}
	out := []pythonError{first}
	for _, e := range c.own.errors[min(1, len(c.own.errors)):] { // the interpreter reports the first one
		if e.Line != first.Line {
			out = append(out, e)
		}
	}
	return out[:min(len(out), mostSyntaxErrors)]
}

func (c *syntaxCheck) decoded() string {
	doc, _ := document.DecodePython(c.data)
	return strings.ToValidUTF8(doc.Text, "\uFFFD")
}

// place returns the position of an error, such as "a.py:3:7", as precisely as it is known.
func (c *syntaxCheck) place(e pythonError) string {
	switch {
	case e.Line == 0:
		return c.path
	case e.Column == 0:
		return fmt.Sprintf("%s:%d", c.path, e.Line)
	}
	return fmt.Sprintf("%s:%d:%d", c.path, e.Line, e.Column)
}

// text formats the result for a model.
func (c *syntaxCheck) text(data syntaxData) string {
	var b strings.Builder
	switch {
	case len(data.Errors) > 0:
	case c.verdict != nil:
		fmt.Fprintf(&b, "%s: valid (%s)\n", c.path, data.Checker)
	case c.why == "":
		fmt.Fprintf(&b, "%s: no error found by slop's parser (no interpreter was used)\n", c.path)
	default:
		fmt.Fprintf(&b, "%s: no error found by slop's parser (%s)\n", c.path, c.why)
	}
	for _, e := range data.Errors {
		fmt.Fprintf(&b, "%s: %s: %s\n%s", c.place(e), e.Kind, e.Text, underlined(e))
	}
	for _, warning := range data.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", warning)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// underlined shows the line of an error with a marker at its column. It omits leading blanks and text far from
// the column.
func underlined(e pythonError) string {
	const most = 120
	source := strings.TrimLeft(e.Source, " \t\f")
	if strings.TrimSpace(source) == "" {
		return ""
	}
	at := e.Column - 1 - (utf8.RuneCountInString(e.Source) - utf8.RuneCountInString(source))
	runes := []rune(strings.ReplaceAll(source, "\t", " "))
	width := 1
	switch {
	case e.EndLine > e.Line:
		width = len(runes) - at
	case e.EndColumn > e.Column:
		width = e.EndColumn - e.Column
	}
	dots := ""
	if at > most/2 {
		runes, at, dots = runes[min(at-most/2, len(runes)):], most/2, "…"
	}
	tail := ""
	if len(runes) > most {
		runes, tail = runes[:most], "…"
	}
	shown := "    " + dots + string(runes) + tail + "\n"
	if e.Column == 0 || at < 0 {
		return shown
	}
	width = max(1, min(width, len(runes)+1-at))
	return shown + "    " + strings.Repeat(" ", utf8.RuneCountInString(dots)+at) + strings.Repeat("^", width) + "\n"
}
