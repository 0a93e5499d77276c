package app

import (
	"maps"
	"sync"
	"time"

	"manualslop/bus"
)

// delaysLast is how long counts what a process said: it says it again five times
// a second.
const delaysLast = 2 * time.Second

// putOffs are the reasons for which processes gave requests back until later.
type putOffs struct {
	mu   sync.Mutex
	said map[string]said // by process
}

type said struct {
	at  time.Time
	why map[uint64]string
}

func (d *putOffs) take(process string, why map[uint64]string) {
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

// reasons are all of them by the sequence of the request.
func (d *putOffs) reasons() map[uint64]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := map[uint64]string{}
	// order-independent: any reason of a request tells it
	for process, s := range d.said {
		if time.Since(s.at) > delaysLast {
			delete(d.said, process)
			continue
		}
		maps.Copy(out, s.why)
	}
	return out
}

// watchDelays follows why requests wait until the engine ends.
func (e *engine) watchDelays(conn *bus.Conn, d *putOffs) {
	e.group.Go(func() error {
		for e.ctx.Err() == nil {
			if err := conn.Delays(e.ctx, e.name, d.take); err != nil && e.ctx.Err() == nil {
				e.logger.Info("watching why requests wait again", "error", err)
			}
			rest(e.ctx, presenceGrace/10)
		}
		return nil
	})
}
