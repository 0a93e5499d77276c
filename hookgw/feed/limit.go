package feed

import (
	"net/http"
	"sync"

	"manualslop/hookgw/access"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
)

// Places limits live feeds, in total and per client.
type Places struct {
	mu        sync.Mutex
	perClient int
	all       int
	open      map[string]int
	total     int
}

// NewPlaces returns a Places for the given limits.
func NewPlaces(l request.Limits) *Places {
	return &Places{perClient: l.FeedsPerClient, all: l.Feeds, open: map[string]int{}}
}

// Enter takes a place for a feed of client; leave releases it. The last eighth of all places is reserved for the
// user.
func (f *Places) Enter(who access.Right, client string) (leave func(), p *problem.Problem) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.all
	if who != access.RightHuman {
		all -= f.all / 8
	}
	if f.open[client] >= f.perClient || f.total >= all {
		return nil, problem.New(http.StatusTooManyRequests, "too many feeds are open",
			"Close one; ?client= names the reader whose feeds are counted.")
	}
	f.open[client]++
	f.total++
	return func() { f.exit(client) }, nil
}

// InUse returns how many feeds are open.
func (f *Places) InUse() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.total
}

func (f *Places) exit(client string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.total--
	if f.open[client]--; f.open[client] == 0 {
		delete(f.open, client)
	}
}
