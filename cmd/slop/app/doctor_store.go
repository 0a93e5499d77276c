package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"manualslop/bus"
	"manualslop/events"
)

// checkData tells whether the data folder can be used, and by whom.
func checkData(p place) finding {
	const check = "data folder"
	info, err := os.Stat(p.data)
	foreign := p.checkOwner()
	switch {
	case p.state == "":
		return broken(check, errNoState.Error())
	case foreign != nil:
		return broken(check, foreign.Error())
	case errors.Is(err, fs.ErrNotExist):
		return note(check, p.data+" is not there yet; the first run makes it")
	case err != nil:
		return broken(check, err.Error())
	case !info.IsDir():
		return broken(check, p.data+" is no folder")
	case info.Mode().Perm()&0o077 != 0:
		return note(check, fmt.Sprintf("others may look into %s (mode %04o); chmod 700 it", p.data, info.Mode().Perm()))
	}
	return ok(check, p.data)
}

// existing is the data folder, or its nearest parent that is there.
func existing(p place) string {
	dir := p.data
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// leastDisk is the free space under which the doctor speaks up.
const leastDisk = 1 << 30

func checkDisk(p place) finding {
	const check = "disk space"
	free, err := freeSpace(existing(p))
	switch {
	case err != nil:
		return note(check, err.Error())
	case free < leastDisk:
		return note(check, fmt.Sprintf("%d MiB free; the log refuses events when the disk is full", free>>20))
	}
	return ok(check, fmt.Sprintf("%d GiB free", free>>30))
}

// Samples of the sync check, and the time over which it speaks up.
const (
	syncSamples = 9
	slowSync    = 50 * time.Millisecond
)

// checkSync measures how long the disk takes to make a small write durable.
func checkSync(p place) finding {
	const check = "sync"
	took, err := measureSync(existing(p))
	switch {
	case err != nil:
		return broken(check, err.Error())
	case took > slowSync:
		return note(check, fmt.Sprintf("%s for a durable write; durability = \"relaxed\" trades the last seconds before a power cut for speed", took.Round(time.Microsecond)))
	}
	return ok(check, fmt.Sprintf("%s for a durable write (median of %d)", took.Round(time.Microsecond), syncSamples))
}

func measureSync(dir string) (median time.Duration, err error) {
	f, err := os.CreateTemp(dir, ".slop-doctor-*")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	var took []time.Duration
	for range syncSamples {
		begun := time.Now()
		if _, err := f.Write(make([]byte, 512)); err != nil {
			return 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, err
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

// checkStore tells who holds the store; where nobody does, it reads all of it
// and looks for what is missing.
func (g *globals) checkStore(ctx context.Context, p place, running bool) []finding {
	const check = "store"
	switch {
	case g.remote(p):
		return []finding{g.checkCluster(ctx, p)}
	case !hasStore(p.data):
		return []finding{note(check, "there is no log yet")}
	case p.checkOwner() != nil:
		return []finding{note(check, "not opened: the data folder is not yours")}
	}
	g.thorough = true
	server, err := g.openStore(ctx, p, "slop doctor")
	var held *bus.LockedError
	switch {
	case errors.As(err, &held) && running:
		return []finding{ok("lock", fmt.Sprintf("held by process %d (%s) since %s", held.PID, firstOf(held.Serves, "slop"), clock(held.Since)))}
	case errors.As(err, &held):
		return []finding{note("lock", fmt.Sprintf("process %d (%s) holds the store since %s, without a gateway", held.PID, firstOf(held.Serves, "slop"), clock(held.Since)))}
	case err != nil:
		return []finding{broken(check, err.Error())}
	}
	found := []finding{ok("lock", "free"), readAll(ctx, p, server)}
	for _, remark := range server.Remarks() {
		found = append(found, note(check, remark))
	}
	if err := server.Close(); err != nil {
		found = append(found, broken(check, err.Error()))
	}
	return found
}

// readAll reads the log from its first event to its last.
func readAll(ctx context.Context, p place, server *bus.Server) finding {
	const check = "store"
	conn, err := server.Connect(bus.Role{Kind: bus.Reader})
	if err != nil {
		return broken(check, err.Error())
	}
	defer conn.Close()
	n, sessions := 0, map[string]bool{}
	for e, err := range conn.Read(ctx, events.Filter{}, 1, 0) {
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return note(check, fmt.Sprintf("%d events read without a fault when time was up", n))
		case err != nil:
			return broken(check, err.Error())
		}
		n++
		sessions[e.Project+" "+e.Session] = true
	}
	return ok(check, fmt.Sprintf("%d events of %d sessions, all there", n, len(sessions)))
}
