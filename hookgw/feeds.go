package hookgw

import (
	"net/http"
	"sync"

	"manualslop/hookgw/access"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
)

// feedCount bounds live feeds, in all and per client.
type feedCount struct {
	mu        sync.Mutex
	perClient int
	all       int
	open      map[string]int
	total     int
}

func newFeedCount(l request.Limits) *feedCount {
	return &feedCount{perClient: l.FeedsPerClient, all: l.Feeds, open: map[string]int{}}
}

// enter takes a place for a feed of client; leave gives it back. The last
// eighth of all places is the person's.
func (f *feedCount) enter(who access.Right, client string) (leave func(), p *problem.Problem) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.all
	if who != access.RightHuman {
		all -= f.all / 8
	}
	if f.open[client] >= f.perClient || f.total >= all {
		return nil, problem.Refuse(http.StatusTooManyRequests, "too many feeds are open", "Close one; ?client= names the reader whose feeds are counted.")
	}
	f.open[client]++
	f.total++
	return func() { f.exit(client) }, nil
}

// inUse is how many feeds are open.
func (f *feedCount) inUse() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.total
}

func (f *feedCount) exit(client string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.total--
	if f.open[client]--; f.open[client] == 0 {
		delete(f.open, client)
	}
}
