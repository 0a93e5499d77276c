// Package codetools provides the tools that read and edit code by its definitions, in C, C++ and every other
// language except Python.
package codetools

import (
	"context"
	"fmt"
	"strings"

	"manualslop/tools"
	"manualslop/tools/cfamily"
	"manualslop/tools/pytools"
	"manualslop/tools/syntax"
)

// codeFile is a file of any language except Python with its structure.
type codeFile struct {
	tools.TextFile
	outlineTool string // the tool to call for an overview
	symbols     []cfamily.Symbol
	warnings    []string
	note        string        // what is listed if there are no code definitions
	c           *cfamily.File // for C and C++ only
}

// outline returns the outline rows of a file, down to the given number of levels; zero means all.
func (f codeFile) outline(levels int) []tools.OutlineRow {
	rows := []tools.OutlineRow{}
	for _, s := range f.symbols {
		if s.Minor || levels > 0 && s.Depth >= levels {
			continue
		}
		row := tools.OutlineRow{OutlineSymbol: f.symbol(s), Depth: s.Depth, Title: s.Title + s.Arguments}
		if s.Bases != "" {
			row.Marks = append(row.Marks, ": "+s.Bases)
		}
		if s.Declaration {
			row.Marks = append(row.Marks, "(declaration)")
		}
		if mark := row.OrdinalMark(); mark != "" {
			row.Marks = append(row.Marks, mark)
		}
		rows = append(rows, row)
	}
	return rows
}

func (f codeFile) symbol(s cfamily.Symbol) tools.OutlineSymbol {
	return tools.OutlineSymbol{
		Name: s.Name, Kind: s.Kind, Line: s.Line, Start: s.StartLine, End: s.EndLine, Decorators: append([]string{},
			s.Decorators...),
		Ordinal: s.Ordinal, Of: s.Of, Signature: strings.TrimSpace(f.Text[s.Start:s.SignatureEnd]), Doc: s.Doc,
	}
}

// find returns the symbols with a name. It fails if there is none.
func (f codeFile) find(name string) ([]cfamily.Symbol, error) {
	if found := cfamily.Find(f.symbols, name); len(found) > 0 {
		return found, nil
	}
	base, ordinal := cfamily.CutOrdinal(name)
	if all := cfamily.Find(f.symbols, base); ordinal > 0 && len(all) > 0 {
		return nil, tools.Refuse("no definition '%s' in %s; it has %s", tools.OneLine(name, 200), f.Disk.Path,
			f.places(all))
	}
	return nil, f.missing(base)
}

// missing returns the refusal for an undefined name.
func (f codeFile) missing(name string) error {
	text := fmt.Sprintf("no definition '%s' in %s", tools.OneLine(name, 200), f.Disk.Path)
	if len(f.symbols) == 0 {
		return tools.Refuse("%s, which has no recognized definitions; call read_file to see it", text)
	}
	var ends, names []string
	for _, s := range f.symbols {
		if s.Ordinal != 1 {
			continue
		}
		names = append(names, s.Name)
		if strings.HasSuffix(s.Name, "::"+name) || strings.HasSuffix(s.Name, "."+name) || strings.EqualFold(s.Title, name) {
			ends = append(ends, s.Name)
		}
	}
	near := ends[:min(len(ends), 5)]
	if len(near) == 0 {
		near = tools.NearestNames(name, names)
	}
	if len(near) > 0 {
		text += "; nearest: " + tools.OneLine(strings.Join(near, ", "), 400)
	}
	return tools.Refuse("%s; call %s to see all", text, f.outlineTool)
}

// places returns the locations of symbols: "f#1 at lines 3-4, f#2 at lines
// 7-9".
func (f codeFile) places(symbols []cfamily.Symbol) string {
	const most = 20
	var parts []string
	for _, s := range symbols[:min(len(symbols), most)] {
		parts = append(parts, fmt.Sprintf("%s#%d at lines %d-%d", tools.OneLine(s.Name, 200), s.Ordinal, s.StartLine,
			s.EndLine))
	}
	if more := len(symbols) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// each shows one symbol as text only, and several symbols each under a line such as "name#1 (lines 3-9)".
func (f codeFile) each(symbols []cfamily.Symbol, text func(cfamily.Symbol) string) string {
	if len(symbols) == 1 {
		return text(symbols[0])
	}
	var parts []string
	for _, s := range symbols {
		parts = append(parts, fmt.Sprintf("%s#%d (lines %d-%d)\n%s", tools.OneLine(s.Name, 200), s.Ordinal, s.StartLine,
			s.EndLine, text(s)))
	}
	return strings.Join(parts, "\n")
}

// source returns the exact text of a symbol. It includes the indentation of the first line if nothing else
// precedes the symbol there.
func (f codeFile) source(s cfamily.Symbol) string {
	start := s.Start
	for start > 0 && (f.Text[start-1] == ' ' || f.Text[start-1] == '\t') {
		start--
	}
	if start > 0 && !tools.EndsLine(f.Text[:start]) {
		start = s.Start
	}
	return f.Text[start:s.End]
}

func (f codeFile) sources(symbols []cfamily.Symbol) pytools.SourceData {
	data := pytools.SourceData{Symbols: []pytools.SourceSymbol{}, Warnings: f.warnings}
	for _, s := range symbols {
		data.Symbols = append(data.Symbols, pytools.SourceSymbol{OutlineSymbol: f.symbol(s), Source: f.source(s),
			Comment: ""})
	}
	return data
}

// outlined returns the outline of a file as a result.
func (f codeFile) outlined(levels, startLine int, limits tools.Limits) (tools.Result, error) {
	rows := f.outline(levels)
	text := tools.OutlineText(rows, f.warnings)
	switch {
	case len(rows) == 0:
		text = strings.TrimPrefix(text+"\nno definitions in "+f.Disk.Path, "\n")
	case f.note != "":
		text = "(listed: " + f.note + ")\n" + text
	}
	return tools.Paged(text, tools.OutlineOf(rows, f.warnings), f.outlineTool, startLine, limits)
}

// readCode reads a file of any language with a grammar. If name is empty, the language is determined from the path.
func readCode(ctx context.Context, env tools.Env, path, name string) (codeFile, error) {
	doc, err := tools.ReadDocument(ctx, env, path)
	if err != nil {
		return codeFile{}, err
	}
	language, ok := syntax.ByPath(doc.Disk.Path)
	if name != "" {
		if language, ok = syntax.ByName(name); !ok {
			return codeFile{}, tools.Refuse("unknown language '%s'; give one of %s", tools.OneLine(name, 40), languageNames())
		}
	}
	if !ok {
		return codeFile{}, tools.Refuse("cannot tell the language of %s from its name; set language to one of %s", doc.Disk.Path,
			languageNames())
	}
	switch language.Name() {
	case "c":
		return readCFamily(ctx, env, doc, cfamily.C)
	case "cpp":
		if name == "" {
			return readCFamily(ctx, env, doc, cfamily.LanguageOf(doc.Disk.Path, doc.Text, cfamily.C))
		}
		return readCFamily(ctx, env, doc, cfamily.CPP)
	}
	found, err := syntax.Outline(ctx, language, []byte(doc.Text))
	if err != nil {
		return codeFile{}, unparsed(doc.Disk.Path, err)
	}
	f := codeFile{TextFile: doc, outlineTool: "ts_get_code_outline", note: language.Note(), warnings: []string{}}
	for _, s := range found.Symbols {
		f.symbols = append(f.symbols, cfamily.Symbol{Symbol: s})
	}
	for _, d := range found.Damage[:min(len(found.Damage), pytools.MaxWarnings)] {
		f.warnings = append(f.warnings, damageText(d))
	}
	return f, nil
}

// languageNames lists the languages with a grammar.
func languageNames() string {
	var names []string
	for _, l := range syntax.Languages() {
		names = append(names, l.Name())
	}
	return strings.Join(names, ", ")
}

// damageText describes a place that a parser could not parse.
func damageText(d syntax.Damage) string {
	if d.Missing != "" {
		return fmt.Sprintf("line %d: %q seems to be missing", d.Line, d.Missing)
	}
	return fmt.Sprintf("line %d: cannot be parsed, so the rest may be incomplete", d.Line)
}
