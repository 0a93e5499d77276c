package planning

// IsJSON tells whether the reader of replies takes a text as a whole value.
func IsJSON(text string) bool { _, wrong := read(text); return wrong == "" }
