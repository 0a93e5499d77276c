// Package builtin is the list of the tools that the engine brings, and those of them
// that belong to no language: beads, the web, the shell, undo and patches.
package builtin

import (
	"manualslop/tools"
	"manualslop/tools/codetools"
	"manualslop/tools/filetools"
	"manualslop/tools/pytools"
)

// list is the one list of the tools that the engine brings.
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

// Engine is the registry that workers run calls from: the tools that models are
// offered, and those by which the engine carries out a person's word.
func Engine() *tools.Registry {
	r, err := tools.NewRegistry(append(list(), RestoreFiles(), ApplyPatch())...)
	if err != nil {
		panic(err)
	}
	return r
}

// Tools is the registry of all tools that the engine brings. It panics where the list names one
// twice, because the list is a constant of the program.
func Tools() *tools.Registry {
	r, err := tools.NewRegistry(list()...)
	if err != nil {
		panic(err)
	}
	return r
}
