package projections

// guiViewFields are what the original's window kept for itself: the engine
// keeps it for a front end and does nothing else with it.
func guiViewFields() []GUIField {
	return []GUIField{
		{Name: "show_windows", Type: FieldObject, Default: map[string]bool{},
			Doc: "Which windows of a front end are open, by title."},
		{Name: "rag_enabled", Type: FieldBool, Default: false, Doc: "Whether a front end offers retrieval; the engine has " +
			"none."},
		{Name: "rag_source", Type: FieldText, Default: "chroma", Doc: "The store that a front end retrieves from."},
		{Name: "rag_emb_provider", Type: FieldText, Default: "gemini", Doc: "The provider of a front end's embeddings."},
	}
}
