package program

import "time"

// Handlers answer requests about the running program. Create them with New.
type Handlers struct {
	host  Host
	roles func() (present, missing []string)
	held  func() Held
	begun time.Time
}

// Held is what a gateway currently holds for its clients.
type Held struct {
	// URL is the address of the gateway.
	URL string
	// Connections, Feeds and Waiting are the numbers of open connections, open live feeds and waiting requests.
	Connections, Feeds, Waiting int
}

// New returns the handlers of a new gateway, given its host, a function that returns the present and the missing
// roles, and one that returns what the gateway holds.
func New(host Host, roles func() (present, missing []string), held func() Held) *Handlers {
	return &Handlers{host: host, roles: roles, held: held, begun: time.Now()}
}
