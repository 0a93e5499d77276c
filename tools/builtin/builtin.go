// Package builtin lists the built-in tools and contains the language-independent ones: beads, the web, the shell,
// undo and patches.
package builtin

import (
	"manualslop/tools"
	"manualslop/tools/codetools"
	"manualslop/tools/filetools"
	"manualslop/tools/pytools"
)

// list returns the list of all built-in tools.
func list() []tools.Tool {
	return append([]tools.Tool{
		bdCreate(),
		bdList(),
		bdReady(),
		bdUpdate(),
		deriveCodePath(),
		filetools.EditFile(),
		fetchURL(),
		filetools.FindText(),
		filetools.GetFileSlice(),
		filetools.GetFileSummary(),
		filetools.GetGitDiff(),
		filetools.GetTree(),
		getUIPerformance(),
		filetools.ListDirectory(),
		filetools.MultiEdit(),
		pytools.PyAddDef(),
		pytools.PyCheckSyntax(),
		pytools.PyFindUsages(),
		pytools.PyGetClassSummary(),
		pytools.PyGetCodeOutline(),
		pytools.PyGetDefinition(),
		pytools.PyGetDocstring(),
		pytools.PyGetHierarchy(),
		pytools.PyGetImports(),
		pytools.PyGetSignature(),
		pytools.PyGetSkeleton(),
		pytools.PyGetSymbolInfo(),
		pytools.PyGetVarDeclaration(),
		pytools.PyMoveDef(),
		pytools.PyRegionWrap(),
		pytools.PyRemoveDef(),
		pytools.PySetSignature(),
		pytools.PySetVarDeclaration(),
		pytools.PyUpdateDefinition(),
		filetools.ReadFile(),
		pytools.RenameSymbol(),
		runPowershell(),
		filetools.SearchFiles(),
		filetools.SetFileSlice(),
		codetools.TsGetCodeOutline(),
		codetools.TsGetDefinition(),
		webSearch(),
	}, codetools.CFamily()...)
}

// Engine returns the registry from which workers run calls: the tools that are offered to models, and those that
// carry out a user's decisions.
func Engine() *tools.Registry {
	r, err := tools.NewRegistry(append(list(), RestoreFiles(), ApplyPatch())...)
	if err != nil {
		panic(err)
	}
	return r
}

// Tools returns the registry of all built-in tools. It panics if the list is invalid, because the list is fixed at
// compile time.
func Tools() *tools.Registry {
	r, err := tools.NewRegistry(list()...)
	if err != nil {
		panic(err)
	}
	return r
}
