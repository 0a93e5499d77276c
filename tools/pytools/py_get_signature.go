package pytools

import (
	"context"

	"manualslop/tools"
	"manualslop/tools/python"
)

type pyGetSignatureArgs struct {
	Path string `json:"path" doc:"Python file, relative to the workspace" min:"1"`
	Name string `json:"name" doc:"dotted path of a class or function, such as A.method; name#2 picks the second of several" min:"1"`
}

// PyGetSignature returns the tool that shows the header of a definition.
func PyGetSignature() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "py_get_signature", Summary: "Get the signature of a Python function, method or class: from def or class " +
			"through the colon.", Effect: tools.Reads,
		Doc: "The answer is exactly the text of the file, on several lines if the signature spans several, without " +
			"decorators and without a comment after the colon. It can be changed and given to `py_set_signature`. " +
			"Several definitions of one name are all shown, each under a line `name#1 (lines 3-9)`.",
	}, func(ctx context.Context, env tools.Env, in pyGetSignatureArgs) (tools.Result, error) {
		f, found, err := findPython(ctx, env, in.Path, in.Name)
		if err != nil {
			return tools.Result{}, err
		}
		data := tools.OutlineData{Symbols: []tools.OutlineSymbol{}, Warnings: f.Warnings()}
		for _, s := range found {
			data.Symbols = append(data.Symbols, f.symbol(s))
		}
		text := f.each(found, func(s *python.Symbol) string { return f.Signature(s) })
		return tools.Result{Text: text, Data: data}, nil
	})
}
