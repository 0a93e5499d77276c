package doctor

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
	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
)

// checkData checks whether the data folder can be used, and by whom.
func checkData(p site.Place) finding {
	const check = "data folder"
	info, err := os.Stat(p.Data)
	foreign := p.CheckOwner()
	switch {
	case p.State == "":
		return broken(check, site.ErrNoState.Error())
	case foreign != nil:
		return broken(check, foreign.Error())
	case errors.Is(err, fs.ErrNotExist):
		return note(check, p.Data+" does not exist yet; the first run creates it")
	case err != nil:
		return broken(check, err.Error())
	case !info.IsDir():
		return broken(check, p.Data+" is not a folder")
	case info.Mode().Perm()&0o077 != 0:
		return note(check, fmt.Sprintf("others can read %s (mode %04o); run chmod 700 on it", p.Data, info.Mode().Perm()))
	}
	return ok(check, p.Data)
}

// existing returns the data folder, or its nearest parent that exists.
func existing(p site.Place) string {
	dir := p.Data
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// leastDisk is the free space below which the doctor adds a note.
const leastDisk = 1 << 30

func checkDisk(p site.Place) finding {
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

// Number of samples of the sync check, and the time above which it adds a note.
const (
	syncSamples = 9
	slowSync    = 50 * time.Millisecond
)

// checkSync measures how long the disk takes to make a small write durable.
func checkSync(p site.Place) finding {
	const check = "sync"
	took, err := measureSync(existing(p))
	switch {
	case err != nil:
		return broken(check, err.Error())
	case took > slowSync:
		return note(check, fmt.Sprintf("%s for a durable write; durability = \"relaxed\" is faster, but a power "+
			"cut may lose "+
			"the last seconds", took.Round(time.Microsecond)))
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

// checkStore reports which process holds the store. If none does, it reads the whole store and looks for missing
// data.
func checkStore(ctx context.Context, g *site.Flags, p site.Place, running bool) []finding {
	const check = "store"
	switch {
	case g.Remote(p):
		return []finding{checkCluster(ctx, g, p)}
	case !client.HasStore(p.Data):
		return []finding{note(check, "no log yet")}
	case p.CheckOwner() != nil:
		return []finding{note(check, "not opened: the data folder is not yours")}
	}
	g.Thorough = true
	server, err := client.OpenStore(ctx, g, p, "slop doctor")
	var held *bus.LockedError
	switch {
	case errors.As(err, &held) && running:
		return []finding{ok("lock", fmt.Sprintf("process %d (%s) has held the store since "+
			"%s", held.PID, term.FirstOf(held.Serves,
			"slop"), term.Clock(held.Since)))}
	case errors.As(err, &held):
		return []finding{note("lock", fmt.Sprintf("process %d (%s) has held the store since %s, without a "+
			"gateway", held.PID,
			term.FirstOf(held.Serves, "slop"), term.Clock(held.Since)))}
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
func readAll(ctx context.Context, p site.Place, server *bus.Server) finding {
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
			return note(check, fmt.Sprintf("no damage found in the first %d events; the time limit was reached", n))
		case err != nil:
			return broken(check, err.Error())
		}
		n++
		sessions[e.Project+" "+e.Session] = true
	}
	return ok(check, fmt.Sprintf("%d events of %d sessions, none missing", n, len(sessions)))
}
