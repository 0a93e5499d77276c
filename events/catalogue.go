package events

// Catalogue is the registry of everything slop puts on record.
func Catalogue() *Registry {
	r, err := NewRegistry(sessionDefs(), changeDefs(), goalDefs(), ticketDefs(), controlDefs(), reviewDefs(), modelDefs(), moneyDefs(), promptCacheDefs(), toolDefs(), undoDefs(), patchDefs(), askDefs(), fileDefs(), hookDefs(), logsDefs(), guiDefs(),
		projectDefs(), discussionDefs(), contextDefs(), workerDefs(), graphDefs(), isolationDefs())
	if err != nil {
		panic(err) // a programmer's error, found by the first test
	}
	return r
}
