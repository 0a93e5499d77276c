package program

import "time"

// Handlers answer what is asked of the running program. Make them with New.
type Handlers struct {
	host  Host
	roles func() (present, missing []string)
	held  func() Held
	begun time.Time
}

// Held is what a gateway holds for its clients now.
type Held struct {
	// URL is the gateway's.
	URL string
	// Connections, Feeds and Waiting are how many connections and live feeds are
	// open, and how many requests wait for an answer.
	Connections, Feeds, Waiting int
}

// New makes those of a gateway that begins now, about its host, the actors at
// work and the roles that nobody runs, and what the gateway holds.
func New(host Host, roles func() (present, missing []string), held func() Held) *Handlers {
	return &Handlers{host: host, roles: roles, held: held, begun: time.Now()}
}
