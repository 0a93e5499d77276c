package engine

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"manualslop/bus"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
)

// WorkerName returns the stable name of this host's n-th worker.
func WorkerName(n int) string {
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	return bus.WorkerName(host, n)
}

// takeWorkerSlot claims a worker's name on this host for as long as the process lives.
func takeWorkerSlot(p site.Place, slot int) (name string, free func(), err error) {
	if slot < 0 || slot > bus.WorkerSlots {
		return "", nil, exit.Errorf(exit.Usage, "--slot must be 1 to %d", bus.WorkerSlots)
	}
	if err := p.Claim(); err != nil {
		return "", nil, err
	}
	first, last := 1, bus.WorkerSlots
	if slot > 0 {
		first, last = slot, slot
	}
	for n := first; n <= last; n++ {
		lock := flock.New(filepath.Join(p.Data, fmt.Sprintf("worker-%d.lock", n)))
		ok, err := lock.TryLock()
		if err != nil {
			return "", nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
		}
		if ok {
			return WorkerName(n), func() { _ = lock.Unlock() }, nil
		}
	}
	if slot > 0 {
		return "", nil, exit.Errorf(exit.Failed, "worker %d is already running on this host", slot)
	}
	return "", nil, exit.Errorf(exit.Failed, "all %d worker slots of this host are in use", bus.WorkerSlots)
}
