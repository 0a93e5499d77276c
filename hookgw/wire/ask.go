package wire

// AskPreview is the answer of POST /api/ask/preview: what a call would change with other arguments.
type AskPreview struct {
	RequestID string `json:"request_id"`
	// Diff is a unified diff; empty if the call changes no file, or only running it could tell.
	Diff string `json:"diff"`
	// Error says why the call would fail. Rules are not asked: an answer with these arguments may be refused by one.
	Error string `json:"error,omitempty"`
}
