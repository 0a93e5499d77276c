package codetools

import (
	"context"
	_ "embed" // for the tool's documentation
	"errors"
	"fmt"
	"strings"

	"manualslop/tools"
	"manualslop/tools/cfamily"
	"manualslop/tools/document"
)

//go:embed ts_c_update_definition.md
var cUpdateDoc string

type cSkeletonArgs struct {
	Path      string `json:"path" doc:"source file or header, relative to the workspace" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, for long answers" min:"1"`
}

type cOutlineArgs struct {
	Path      string `json:"path" doc:"source file or header, relative to the workspace" min:"1"`
	MaxDepth  int    `json:"max_depth,omitzero" doc:"levels of nesting to show, 1 for the top level alone; default all" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, for long answers" min:"1"`
}

// cNameArgs and cppNameArgs are the arguments of the tools that show one definition; cUpdateArgs and
// cppUpdateArgs are those of the tools that replace one. The two types of each pair differ only in the
// description of the name.
type cNameArgs struct {
	Path      string `json:"path" doc:"C file or header, relative to the workspace" min:"1"`
	Name      string `json:"name" doc:"name of a function, struct, union, enum, typedef, variable or macro; name#2 picks the second of several" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, for long answers" min:"1"`
}

type cppNameArgs struct {
	Path      string `json:"path" doc:"C++ file or header, relative to the workspace" min:"1"`
	Name      string `json:"name" doc:"name such as f, A, A::m or ns::A::m; leading namespaces may be left out; name#2 picks the second of several" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, for long answers" min:"1"`
}

type cUpdateArgs struct {
	Path         string `json:"path" doc:"C file or header, relative to the workspace" min:"1"`
	Name         string `json:"name" doc:"name of a function, struct, union, enum, typedef, variable or macro; name#2 picks the second of several" min:"1"`
	NewContent   string `json:"new_content" doc:"the whole new definition, with its head and body" min:"1"`
	ExpectedHash string `json:"expected_hash,omitzero" doc:"SHA-256 in hex (at least 8 digits) that the file must have now" max:"64"`
	DryRun       bool   `json:"dry_run,omitzero" doc:"show the change and write nothing"`
}

type cppUpdateArgs struct {
	Path         string `json:"path" doc:"C++ file or header, relative to the workspace" min:"1"`
	Name         string `json:"name" doc:"name such as f, A, A::m or ns::A::m; leading namespaces may be left out; name#2 picks the second of several" min:"1"`
	NewContent   string `json:"new_content" doc:"the whole new definition, with its head and body" min:"1"`
	ExpectedHash string `json:"expected_hash,omitzero" doc:"SHA-256 in hex (at least 8 digits) that the file must have now" max:"64"`
	DryRun       bool   `json:"dry_run,omitzero" doc:"show the change and write nothing"`
}

// CFamily returns the five tools for C and the same five for C++.
func CFamily() []tools.Tool {
	return append(cTools[cNameArgs, cUpdateArgs](cfamily.C, cTexts), cTools[cppNameArgs, cppUpdateArgs](cfamily.CPP,
		cppTexts)...)
}

// cText describes a tool whose name begins with ts_c or ts_cpp.
type cText struct{ name, summary, doc string }

// cTools returns the tools of one language, sorted by name.
func cTools[Name cNameArgs | cppNameArgs, Update cUpdateArgs | cppUpdateArgs](language cfamily.Language,
	texts [5]cText) []tools.Tool {
	spec := func(i int, effect tools.Effect) tools.Spec {
		return tools.Spec{Name: "ts_" + language.String() + texts[i].name, Summary: texts[i].summary, Doc: texts[i].doc,
			Effect: effect}
	}
	outline, definition, signature := spec(0, tools.Reads), spec(1, tools.Reads), spec(2, tools.Reads)
	skeleton, update := spec(3, tools.Reads), spec(4, tools.Writes)
	return []tools.Tool{
		tools.Reader(outline, func(ctx context.Context, env tools.Env, in cOutlineArgs) (tools.Result, error) {
			f, err := readC(ctx, env, in.Path, language)
			if err != nil {
				return tools.Result{}, err
			}
			return f.outlined(in.MaxDepth, in.StartLine, env.Limits)
		}),
		tools.Reader(definition, func(ctx context.Context, env tools.Env, in Name) (tools.Result, error) {
			return cNamed(ctx, env, cNameArgs(in), language, definition.Name, codeFile.source)
		}),
		tools.Reader(signature, func(ctx context.Context, env tools.Env, in Name) (tools.Result, error) {
			return cNamed(ctx, env, cNameArgs(in), language, signature.Name, func(f codeFile, s cfamily.Symbol) string {
				return strings.TrimSpace(f.Text[s.Start:s.SignatureEnd])
			})
		}),
		tools.Reader(skeleton, func(ctx context.Context, env tools.Env, in cSkeletonArgs) (tools.Result, error) {
			return cSkeleton(ctx, env, in, language, skeleton.Name)
		}),
		tools.Writer(update, func(ctx context.Context, env tools.Env, in Update) (tools.Plan, error) {
			return planCUpdate(ctx, env, cUpdateArgs(in), language, update.Name)
		}),
	}
}

// cTexts describes the tools for C.
var cTexts = [5]cText{
	{
		"_get_code_outline", "List the structs, enums, typedefs, functions and macros of a C file with their " +
			"line ranges, nested.",
		"One line each: `[Struct] point (Lines 3-6)`, `[Function] add (Lines 8-11)`. Line ranges run from attributes to the " +
			"closing brace. After them comes `(declaration)` for a prototype and `#2 of 3` for one of several with the same " +
			"name. Macros that only define a value are left out, but `ts_c_get_definition` finds them. Headers, macros and " +
			"`#if` branches are understood without compiling: branches that exclude each other are all listed where " +
			"possible. A file whose brackets do not balance is outlined as far as possible, with a `warning:` line.",
	},
	{
		"_get_definition", "Get the full source of a C function, struct, enum, typedef or macro.",
		"The answer is exactly the text of the file, from attributes to the closing brace or semicolon, so that it " +
			"can be changed and given to `ts_c_update_definition`. Comments above are not part of it.\n\nDefinitions " +
			"are preferred over prototypes; where the file only declares the name, the prototype is shown and the " +
			"answer says where the definition is. Several definitions of one name (branches of an #if) are all shown, " +
			"each under a line `name#1 (lines 3-9)`. A struct, union or enum inside another one is found by its own " +
			"name, `I`, and by `O::I`.",
	},
	{
		"_get_signature", "Get the declaration line of a C function or struct: everything in front of its body.",
		"The answer is exactly the text of the file, on several lines if the head spans several, with the parameter " +
			"declarations of old-style functions. Several definitions of one name are all shown, each under a line " +
			"`name#1 (lines 3-9)`.",
	},
	{
		"_get_skeleton", "Get a C file without its function bodies: signatures, structs, macros and comments.",
		"The text of the file with `{ ... }` in place of function bodies and of values that span several lines; everything " +
			"else is as in the file, including comments and preprocessor lines. Use it to learn an interface; " +
			"`ts_c_get_code_outline` is shorter, `ts_c_get_definition` shows one body.",
	},
	{
		"_update_definition", "Replace the definition of a C function, struct, enum, typedef or macro.",
		cUpdateDoc,
	},
}

// cppTexts describes the tools for C++.
var cppTexts = [5]cText{
	{
		"_get_code_outline", "List the namespaces, classes, methods, functions and macros of a C++ file with " +
			"their line ranges, nested.",
		"One line each: `[Class] Shape (Lines 3-20) : public Base`, and indented by two more spaces `[Method] area (Lines " +
			"5-7)`. Line ranges run from attributes and template<…> to the closing brace. After them come base classes, " +
			"`(declaration)` for a prototype and `#2 of 3` for one of several with the same name (overloads). " +
			"Macros that only define a value are left out, but `ts_cpp_get_definition` finds them. Headers, macros and `#if` " +
			"branches are understood without compiling: branches that exclude each other are all listed where possible. A " +
			"file whose brackets do not balance is outlined as far as possible, with a `warning:` line.",
	},
	{
		"_get_definition", "Get the full source of a C++ class, struct, function, method or operator.",
		"The answer is exactly the text of the file, from attributes and template<…> to the closing brace or " +
			"semicolon, so that it can be changed and given to `ts_cpp_update_definition`. Comments above are not part " +
			"of it.\n\nDefinitions are preferred over prototypes; where the file only declares the name, the prototype " +
			"is shown and the answer says where the definition is. Several definitions of one name (overloads) are all " +
			"shown, each under a line `name#1 (lines 3-9)`.",
	},
	{
		"_get_signature", "Get the declaration line of a C++ function, method or class: everything in front of " +
			"its body.",
		"The answer is exactly the text of the file, on several lines if the head spans several, with template<…> " +
			"and without the initializers of a constructor. Several definitions of one name are all shown, each under " +
			"a line `name#1 (lines 3-9)`.",
	},
	{
		"_get_skeleton", "Get a C++ file without its function bodies: classes with their members, inheritance, " +
			"signatures and comments.",
		"The text of the file with `{ ... }` in place of function bodies and of values that span several lines; everything " +
			"else is as in the file, including comments and preprocessor lines. Use it to learn an interface; " +
			"`ts_cpp_get_code_outline` is shorter, `ts_cpp_get_definition` shows one body.",
	},
	{
		"_update_definition", "Replace the definition of a C++ class, struct, function, method or operator.",
		cUpdateDoc,
	},
}

// cSkeletonData is the structured result of a skeleton.
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

// cNamed shows a part of every symbol with a name, and the location of the
// definition for a prototype.
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

// cEditData is the structured result of an edit. Line numbers refer to the edited file.
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
	// Unchanged bytes must not be encoded again, so only the differing part is replaced.
	change, err := f.Change(narrowed(f.Text, splice))
	if err != nil {
		return tools.Plan{}, err
	}
	data := cEditData{Path: f.Disk.Path, Name: s.Name, StartLine: s.StartLine}
	data.EndLine = s.EndLine + len(document.Lines(splice.New)) - len(document.Lines(f.Text[splice.Start:splice.End]))
	what := "replaced, now"
	if f.Text[splice.Start:splice.End] == splice.New {
		what = "already has this content in"
	}
	return tools.Plan{
		Changes: []tools.Change{change}, DryRun: in.DryRun, Data: data,
		Summary: fmt.Sprintf("%s %s: %s %s lines %d–%d", tool, f.Disk.Path, tools.OneLine(s.Name, 200), what, data.StartLine,
			data.EndLine),
	}, nil
}

// updated plans the new text of a symbol. The error is an *UpdateError or the context's.
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

// narrowed reduces a splice to the differing part.
func narrowed(text string, s document.Splice) document.Splice {
	narrow := document.Between(text[s.Start:s.End], s.New)
	return document.Splice{Start: s.Start + narrow.Start, End: s.Start + narrow.End, New: narrow.New}
}

// one returns the only definition of a name, or a refusal.
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
