package wire

// GUIHealth is the answer of GET /api/gui_health, with the keys of Manual Slop.
type GUIHealth struct {
	// Healthy reports whether everything works.
	Healthy bool `json:"healthy"`
	// DegradedReason says what does not work; null if everything works.
	DegradedReason *string `json:"degraded_reason"`
	// LastAssert is the newest message of a failed part: a read model that stopped on an event, or a decider; null if
	// none failed.
	LastAssert *string `json:"last_assert"`
	// IOPoolAlive reports whether a worker can run tools.
	IOPoolAlive bool `json:"io_pool_alive"`
}
