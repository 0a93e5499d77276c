package codetools

import (
	"context"
	_ "embed" // for the long text
	"errors"
	"fmt"
	"strings"

	"manualslop/tools"
	"manualslop/tools/cfamily"
	"manualslop/tools/document"
)

// What the tools of C and of C++ have in common. Each tool is a file of its own, ts_c_*.go and
// ts_cpp_*.go, that names the language.

//go:embed ts_c_update_definition.md
var cUpdateDoc string

type cSkeletonArgs struct {
	Path      string `json:"path" doc:"source file or header, relative to the workspace" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to go on from, for long answers" min:"1"`
}

type cOutlineArgs struct {
	Path      string `json:"path" doc:"source file or header, relative to the workspace" min:"1"`
	MaxDepth  int    `json:"max_depth,omitzero" doc:"levels of nesting to show, 1 for the top level alone; default all" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to go on from, for long answers" min:"1"`
}

// cNameArgs are the arguments of the tools that read one definition.
type cNameArgs struct {
	Path      string
	Name      string
	StartLine int
}

// cUpdateArgs are the arguments of the tools that replace one definition.
type cUpdateArgs struct {
	Path         string
	Name         string
	NewContent   string
	ExpectedHash string
	DryRun       bool
}

// skeletonData is the structured twin of a skeleton.
type cSkeletonData struct {
	Path     string   `json:"path"`
	Skeleton string   `json:"skeleton"`
	Warnings []string `json:"warnings"`
}

func cSkeleton(ctx context.Context, env tools.Env, in cSkeletonArgs, language cfamily.Language,
	tool string) (tools.Result, error) {
	f, err := readC(ctx, env, in.Path, language)
	if err != nil {
		return tools.Result{}, err
	}
	text := strings.ToValidUTF8(f.c.Skeleton(), "\uFFFD")
	data := cSkeletonData{Path: f.Disk.Path, Skeleton: text, Warnings: f.warnings}
	for _, w := range f.warnings {
		text = "warning: " + w + "\n" + text
	}
	if text == "" {
		text = f.Disk.Path + " is empty"
	}
	return tools.Paged(text, data, tool, in.StartLine, env.Limits)
}

func cDefinition(ctx context.Context, env tools.Env, in cNameArgs, language cfamily.Language,
	tool string) (tools.Result, error) {
	return cNamed(ctx, env, in, language, tool, codeFile.source)
}

func cSignature(ctx context.Context, env tools.Env, in cNameArgs, language cfamily.Language, tool string) (tools.Result,
	error) {
	return cNamed(ctx, env, in, language, tool, func(f codeFile, s cfamily.Symbol) string {
		return strings.TrimSpace(f.Text[s.Start:s.SignatureEnd])
	})
}

// cNamed shows a part of every symbol of a name, and where the definition of a prototype is.
func cNamed(ctx context.Context, env tools.Env, in cNameArgs, language cfamily.Language, tool string,
	part func(codeFile, cfamily.Symbol) string) (tools.Result, error) {
	f, err := readC(ctx, env, in.Path, language)
	if err != nil {
		return tools.Result{}, err
	}
	found, err := f.find(in.Name)
	if err != nil {
		return tools.Result{}, err
	}
	text := f.each(found, func(s cfamily.Symbol) string { return part(f, s) })
	data := f.sources(found)
	if note := f.declaredOnly(ctx, env, found); note != "" {
		text += "\n(" + note + ")"
		data.Warnings = append(data.Warnings, note)
	}
	return tools.Paged(text, data, tool, in.StartLine, env.Limits)
}

// cEditData is the structured detail of an edit. Lines are those of the file afterwards.
type cEditData struct {
	Path      string `json:"path"`
	Name      string `json:"name"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
}

func planCUpdate(ctx context.Context, env tools.Env, in cUpdateArgs, language cfamily.Language,
	tool string) (tools.Plan, error) {
	f, err := readC(ctx, env, in.Path, language)
	if err != nil {
		return tools.Plan{}, err
	}
	if err := f.CheckHash(in.ExpectedHash); err != nil {
		return tools.Plan{}, err
	}
	s, err := f.one(ctx, env, in.Name)
	if err != nil {
		return tools.Plan{}, err
	}
	splice, err := f.updated(ctx, s, in.NewContent)
	var problem *cfamily.UpdateError
	if errors.As(err, &problem) {
		return tools.Plan{}, tools.Refuse("%s: %s", f.Disk.Path, tools.OneLine(problem.Text, 1_000))
	}
	if err != nil {
		return tools.Plan{}, err
	}
	// Bytes that stay must not be encoded anew, so only what differs is replaced.
	change, err := f.Change(narrowed(f.Text, splice))
	if err != nil {
		return tools.Plan{}, err
	}
	data := cEditData{Path: f.Disk.Path, Name: s.Name, StartLine: s.StartLine}
	data.EndLine = s.EndLine + len(document.Lines(splice.New)) - len(document.Lines(f.Text[splice.Start:splice.End]))
	what := "replaced, now"
	if f.Text[splice.Start:splice.End] == splice.New {
		what = "is already as given, in"
	}
	return tools.Plan{
		Changes: []tools.Change{change}, DryRun: in.DryRun, Data: data,
		Summary: fmt.Sprintf("%s %s: %s %s lines %d–%d", tool, f.Disk.Path, tools.OneLine(s.Name, 200), what, data.StartLine,
			data.EndLine),
	}, nil
}

// updated plans the new text of a symbol; the error is an *UpdateError or that of the context.
func (f codeFile) updated(ctx context.Context, s cfamily.Symbol, content string) (document.Splice, error) {
	type outcome struct {
		splice document.Splice
		err    error
	}
	out, err := tools.Within(ctx, len(f.Text), func() outcome {
		splice, err := f.c.Update(ctx, s, content)
		return outcome{splice, err}
	})
	if err != nil {
		return document.Splice{}, err
	}
	return out.splice, out.err
}

// narrowed cuts a splice down to what differs.
func narrowed(text string, s document.Splice) document.Splice {
	narrow := document.Between(text[s.Start:s.End], s.New)
	return document.Splice{Start: s.Start + narrow.Start, End: s.Start + narrow.End, New: narrow.New}
}

// one gives the only definition of a name, or refuses.
func (f codeFile) one(ctx context.Context, env tools.Env, name string) (cfamily.Symbol, error) {
	found, err := f.find(name)
	switch {
	case err != nil:
		return cfamily.Symbol{}, err
	case len(found) > 1:
		return cfamily.Symbol{}, tools.Refuse("'%s' is ambiguous in %s: %s; choose one by its number",
			tools.OneLine(name, 200), f.Disk.Path, f.places(found))
	}
	if _, ordinal := cfamily.CutOrdinal(name); ordinal == 0 {
		if note := f.declaredOnly(ctx, env, found); note != "" {
			return cfamily.Symbol{}, tools.Refuse("%s; give the name as %s#%d to change the declaration", note, found[0].Name,
				found[0].Ordinal)
		}
	}
	return found[0], nil
}
