package events

import "sync"

// Catalogue is the registry of everything slop puts on record. All callers share it.
func Catalogue() *Registry { return catalogue() }

// catalogue is made once, because every decider of every session asks for it.
var catalogue = sync.OnceValue(func() *Registry {
	r, err := NewRegistry(sessionDefs(), basisDefs(), changeDefs(), goalDefs(), ticketDefs(), controlDefs(), reviewDefs(),
		modelDefs(), moneyDefs(), toolDefs(), undoDefs(), patchDefs(), askDefs(), fileDefs(), hookDefs(), logsDefs(),
		guiDefs(),
		projectDefs(), discussionDefs(), contextDefs(), workerDefs(), graphDefs(), isolationDefs())
	if err != nil {
		panic(err) // a programmer's error, found by the first test
	}
	return r
})
