package tools

// builtin is the one list of the tools that the engine brings.
func builtin() []Tool {
	return []Tool{
		bdCreate(),
		bdList(),
		bdReady(),
		bdUpdate(),
		deriveCodePath(),
		editFile(),
		fetchURL(),
		findText(),
		getFileSlice(),
		getFileSummary(),
		getGitDiff(),
		getTree(),
		getUIPerformance(),
		listDirectory(),
		multiEdit(),
		pyAddDef(),
		pyCheckSyntax(),
		pyFindUsages(),
		pyGetClassSummary(),
		pyGetCodeOutline(),
		pyGetDefinition(),
		pyGetDocstring(),
		pyGetHierarchy(),
		pyGetImports(),
		pyGetSignature(),
		pyGetSkeleton(),
		pyGetSymbolInfo(),
		pyGetVarDeclaration(),
		pyMoveDef(),
		pyRegionWrap(),
		pyRemoveDef(),
		pySetSignature(),
		pySetVarDeclaration(),
		pyUpdateDefinition(),
		readFile(),
		renameSymbol(),
		runPowershell(),
		searchFiles(),
		setFileSlice(),
		tsCGetCodeOutline(),
		tsCGetDefinition(),
		tsCGetSignature(),
		tsCGetSkeleton(),
		tsCUpdateDefinition(),
		tsCppGetCodeOutline(),
		tsCppGetDefinition(),
		tsCppGetSignature(),
		tsCppGetSkeleton(),
		tsCppUpdateDefinition(),
		tsGetCodeOutline(),
		tsGetDefinition(),
		webSearch(),
	}
}

// Engine is the registry that workers run calls from: the tools that models are
// offered, and those by which the engine carries out a person's word.
func Engine() *Registry {
	r, err := NewRegistry(append(builtin(), RestoreFiles(), ApplyPatch())...)
	if err != nil {
		panic(err)
	}
	return r
}

// Builtin is the registry of all tools that the engine brings. It panics where the list names one
// twice, because the list is a constant of the program.
func Builtin() *Registry {
	r, err := NewRegistry(builtin()...)
	if err != nil {
		panic(err)
	}
	return r
}
