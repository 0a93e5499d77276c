package engine

import (
	"maps"
	"sync"
	"time"

	"manualslop/bus"
)

// delaysLast is how long a process's message is valid; processes repeat it five times a second.
const delaysLast = 2 * time.Second

// delays are the reasons why processes delay requests.
type delays struct {
	mu   sync.Mutex
	said map[string]said // by process
}

type said struct {
	at  time.Time
	why map[uint64]string
}

func (d *delays) take(process string, why map[uint64]string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(why) == 0 {
		delete(d.said, process)
		return
	}
	if d.said == nil {
		d.said = map[string]said{}
	}
	d.said[process] = said{time.Now(), why}
}

// reasons returns all of them by the sequence of the request.
func (d *delays) reasons() map[uint64]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := map[uint64]string{}
	// order-independent: any reason of a request will do
	for process, s := range d.said {
		if time.Since(s.at) > delaysLast {
			delete(d.said, process)
			continue
		}
		maps.Copy(out, s.why)
	}
	return out
}

// watchDelays collects why requests wait until the engine ends.
func (e *Engine) watchDelays(conn *bus.Conn, d *delays) {
	e.Group.Go(func() error {
		for e.Ctx.Err() == nil {
			if err := conn.Delays(e.Ctx, e.Name, d.take); err != nil && e.Ctx.Err() == nil {
				e.Logger.Info("resubscribing to the reasons of waiting requests", "error", err)
			}
			rest(e.Ctx, presenceGrace/10)
		}
		return nil
	})
}
