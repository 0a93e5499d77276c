package wire

// GUIHealth is the answer of GET /api/gui_health, in the original's keys.
type GUIHealth struct {
	// Healthy tells whether everything goes on.
	Healthy bool `json:"healthy"`
	// DegradedReason is what does not; null while all is well.
	DegradedReason *string `json:"degraded_reason"`
	// LastAssert is the newest message of a part that gave up: a read model that
	// stopped on an event, or a decider; null if none did.
	LastAssert *string `json:"last_assert"`
	// IOPoolAlive tells whether a worker is there to run tools.
	IOPoolAlive bool `json:"io_pool_alive"`
}
