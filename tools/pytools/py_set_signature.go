package pytools

import (
	"context"
	"fmt"
	"strings"

	"manualslop/tools"
	"manualslop/tools/python/edit"
)

type pySetSignatureArgs struct {
	Path         string `json:"path" doc:"Python file, relative to the workspace" min:"1"`
	Name         string `json:"name" doc:"dotted path of the function, method or class; name#2 picks the second of several" min:"1"`
	NewSignature string `json:"new_signature" doc:"from def, async def or class through the colon, such as def f(a, b=1) -> int:" min:"1"`
	ExpectedHash string `json:"expected_hash,omitzero" doc:"SHA-256 in hex (at least 8 digits) that the file must have now" max:"64"`
	DryRun       bool   `json:"dry_run,omitzero" doc:"show the change and write nothing"`
}

// signatureData is the structured result of a signature change.
type signatureData struct {
	pyEditData
	BrokenCalls []edit.Call `json:"broken_calls"` // calls in the same file that are known not to match
}

// PySetSignature returns the tool that replaces the header of a definition.
func PySetSignature() tools.Tool {
	return tools.Writer(tools.Spec{
		Name: "py_set_signature", Summary: "Replace only the signature of a Python function, method or class.",
		Effect: tools.Writes,
		Doc: "Only the text from `def`, `async def` or `class` through the colon is replaced, even if it spans " +
			"several lines. Body, decorators and a comment after the colon stay. The colon may be left out; " +
			"`async` may be added or removed. The name must stay the same: use `rename_symbol` to rename.\n\nThe answer is the " +
			"new SHA-256, the new lines and a diff. It also lists calls in the same file that matched the old signature and do " +
			"not match the new one; calls in other files are found with `py_find_usages`. Where several definitions have the " +
			"name, nothing is changed and each is listed with its lines; choose one as `name#2`.",
	}, promptly(planSignature))
}

func planSignature(ctx context.Context, env tools.Env, in pySetSignatureArgs) (tools.Plan, error) {
	p, err := openEdit(ctx, env, in.Path, in.ExpectedHash)
	if err != nil {
		return tools.Plan{}, err
	}
	change, calls, err := p.source.SetSignature(in.Name, in.NewSignature)
	if err != nil {
		return tools.Plan{}, refused(err)
	}
	summary := fmt.Sprintf("py_set_signature %s: %s", p.Disk.Path, replaced("signature of "+in.Name, change))
	if len(calls) > 0 {
		var parts []string
		for _, call := range calls {
			parts = append(parts, fmt.Sprintf("line %d %s", call.Line, call.Problem))
		}
		summary += "\ncalls in this file that no longer match: " + strings.Join(parts, "; ")
	}
	return p.plan(change, in.DryRun, signatureData{p.data(in.Name, change), calls}, summary)
}
