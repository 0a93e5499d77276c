package tools

import (
	"context"

	"manualslop/tools/python"
)

type pyGetSignatureArgs struct {
	Path string `json:"path" doc:"Python file, relative to the workspace" min:"1"`
	Name string `json:"name" doc:"dotted path of a class or function, such as A.method; name#2 picks the second of several" min:"1"`
}

// pyGetSignature answers with the head of a definition.
func pyGetSignature() Tool {
	return Reader(Spec{
		Name: "py_get_signature", Summary: "Get the signature of a Python function, method or class: from def or class through the colon.", Effect: Reads,
		Doc: "The answer is exactly the text of the file, of several lines where the signature has them, without decorators and without a comment behind the colon. It can be changed and given to `py_set_signature`. " +
			"Several definitions of one name are all shown, each under a line `name#1 (lines 3-9)`.",
	}, func(ctx context.Context, env Env, in pyGetSignatureArgs) (Result, error) {
		f, found, err := findPython(ctx, env, in.Path, in.Name)
		if err != nil {
			return Result{}, err
		}
		data := outlineData{Symbols: []outlineSymbol{}, Warnings: f.warnings()}
		for _, s := range found {
			data.Symbols = append(data.Symbols, f.symbol(s))
		}
		text := f.each(found, func(s *python.Symbol) string { return f.Signature(s) })
		return Result{Text: text, Data: data}, nil
	})
}
