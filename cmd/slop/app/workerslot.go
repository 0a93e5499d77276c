package app

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"manualslop/bus"
)

// workerName is the stable name of this host's n-th worker.
func workerName(n int) string {
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	return bus.WorkerName(host, n)
}

// takeWorkerSlot claims a worker's name on this host for as long as the process lives.
func takeWorkerSlot(p place, slot int) (name string, free func(), err error) {
	if slot < 0 || slot > bus.WorkerSlots {
		return "", nil, failed(exitUsage, "--slot must be 1 to %d", bus.WorkerSlots)
	}
	if err := p.claim(); err != nil {
		return "", nil, err
	}
	first, last := 1, bus.WorkerSlots
	if slot > 0 {
		first, last = slot, slot
	}
	for n := first; n <= last; n++ {
		lock := flock.New(filepath.Join(p.data, fmt.Sprintf("worker-%d.lock", n)))
		ok, err := lock.TryLock()
		if err != nil {
			return "", nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
		}
		if ok {
			return workerName(n), func() { _ = lock.Unlock() }, nil
		}
	}
	if slot > 0 {
		return "", nil, failed(exitFailed, "worker %d runs already on this host", slot)
	}
	return "", nil, failed(exitFailed, "%d workers run already on this host", bus.WorkerSlots)
}
