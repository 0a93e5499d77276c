package wire

// RequestCount is one line of the counts in GET /api/system/telemetry.
type RequestCount struct {
	Method string `json:"method"`
	Path   string `json:"path"` // the route's pattern; empty: no route
	Status int    `json:"status"`
	Count  uint64 `json:"count"`
}
