package codetools

import (
	"context"
	"errors"
	"strings"

	"manualslop/tools"
	"manualslop/tools/cfamily"
	"manualslop/tools/pytools"
	"manualslop/tools/views"
)

// ErrNoView means that a view is not available for a kind of file.
var ErrNoView = errors.New("tools: this kind of file has no such view")

// Curated returns a file of Python, C, C++ or Go without the bodies of unmarked functions, as in package views,
// shortened to the limits of env. It returns ErrNoView for other kinds of files; [Failure] converts other errors
// for a model.
func Curated(ctx context.Context, env tools.Env, path string) (string, error) {
	switch KindOf(path) {
	case "py":
		f, err := pytools.ReadPython(ctx, env, path)
		if err != nil {
			return "", err
		}
		return shortened(ctx, env, f.Text, func() (string, error) { return views.PythonCurated(f.File), nil })
	case "c", "cpp":
		language := map[string]cfamily.Language{"c": cfamily.C, "cpp": cfamily.CPP}[KindOf(path)]
		f, err := readC(ctx, env, path, language)
		if err != nil {
			return "", err
		}
		return shortened(ctx, env, f.Text, func() (string, error) { return views.CCurated(f.c), nil })
	case "go":
		return goView(ctx, env, path, views.GoCurated)
	}
	return "", ErrNoView
}

// GoSkeleton returns a Go file without function bodies. Errors are as in Curated.
func GoSkeleton(ctx context.Context, env tools.Env, path string) (string, error) {
	if KindOf(path) != "go" {
		return "", ErrNoView
	}
	return goView(ctx, env, path, views.GoSkeleton)
}

func goView(ctx context.Context, env tools.Env, path string, shorten func(string) (string, error)) (string, error) {
	doc, err := tools.ReadDocument(ctx, env, path)
	if err != nil {
		return "", err
	}
	return shortened(ctx, env, doc.Text, func() (string, error) {
		text, err := shorten(doc.Text)
		if err != nil {
			return "", tools.Refuse("%s cannot be shortened: %s", doc.Disk.Path, tools.OneLine(err.Error(), 200))
		}
		return text, nil
	})
}

// shortened returns a text within the limits. It can be interrupted.
func shortened(ctx context.Context, env tools.Env, text string, shorten func() (string, error)) (string, error) {
	type made struct {
		text string
		err  error
	}
	out, err := tools.Within(ctx, len(text), func() made {
		text, err := shorten()
		return made{strings.ToValidUTF8(text, "\uFFFD"), err}
	})
	if err == nil {
		err = out.err
	}
	return tools.Clamp(out.text, env.Limits.Filled()), err
}

// KindOf returns the kind of a source file by its name: py, c, cpp or go, or "" for others.
func KindOf(path string) string {
	at := strings.LastIndexByte(path, '.')
	if at < 0 {
		return ""
	}
	switch strings.ToLower(path[at:]) {
	case ".py", ".pyi", ".pyw":
		return "py"
	case ".c", ".h":
		return "c"
	case ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx":
		return "cpp"
	case ".go":
		return "go"
	}
	return ""
}
