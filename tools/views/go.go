package views

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// GoSkeleton returns a Go file with { ... } in place of function bodies and of values that span several lines.
func GoSkeleton(text string) (string, error) {
	return shortGo(text, func(f goFile, d ast.Decl) []cut {
		if fn, ok := d.(*ast.FuncDecl); ok {
			return f.body(fn.Body, "{ ... }")
		}
		return f.values(d)
	})
}

// GoCurated returns a Go file in which the bodies of unmarked functions are hidden.
func GoCurated(text string) (string, error) {
	return shortGo(text, func(f goFile, d ast.Decl) []cut {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || markedInC(text, f.at(fn.Pos()), f.at(fn.Body.Pos())) {
			return nil
		}
		return f.body(fn.Body, "{ ... /* Hidden */ }")
	})
}

// goFile converts positions of a parsed file to offsets in its text.
type goFile struct{ start token.Pos }

func (f goFile) at(p token.Pos) int { return int(p - f.start) }

func shortGo(text string, shorten func(goFile, ast.Decl) []cut) (string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	var cuts []cut
	for _, d := range file.Decls {
		cuts = append(cuts, shorten(goFile{file.FileStart}, d)...)
	}
	return splice(text, cuts), nil
}

// body hides a block that has statements.
func (f goFile) body(b *ast.BlockStmt, instead string) []cut {
	if b == nil || len(b.List) == 0 {
		return nil
	}
	return []cut{{f.at(b.Pos()), f.at(b.End()), instead}}
}

// values hides non-empty literals in a declaration: function bodies and lists of elements.
func (f goFile) values(d ast.Decl) []cut {
	decl, ok := d.(*ast.GenDecl)
	if !ok || decl.Tok != token.VAR {
		return nil
	}
	var cuts []cut
	ast.Inspect(decl, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.FuncLit:
			cuts = append(cuts, f.body(x.Body, "{ ... }")...)
			return false
		case *ast.CompositeLit:
			if len(x.Elts) > 1 {
				cuts = append(cuts, cut{f.at(x.Lbrace), f.at(x.Rbrace) + 1, "{ ... }"})
				return false
			}
		}
		return true
	})
	return cuts
}
