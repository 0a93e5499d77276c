package bench

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"

	"manualslop/bus"
	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/engine"
	"manualslop/events"
	"manualslop/projections/search"
)

// disk measures the disk space of a closed session of 16 tickets, and the bytes of its events' data, once it is
// indexed and the engine has stopped.
func (b *runner) disk(ctx context.Context) ([]Result, error) {
	root, s := b.dir(), roundShape{1, 16, bus.Sync}
	m, err := startRounds(ctx, root, s, benchScript{goals: 1, rounds: s.each(b.n*roundBlocks) + 1, lines: 80},
		engine.Causes{})
	if err != nil {
		return nil, err
	}
	written, count, err := m.finish()
	if ended := m.Close(); err == nil {
		err = ended
	}
	if err != nil {
		return nil, err
	}
	var out []Result
	for _, of := range []struct{ name, path, only string }{
		{"the log", m.Data, bus.StreamEvents},
		{"the search index", filepath.Join(m.Data, "search"), ""},
		{"the session logs", filepath.Join(m.Project, "logs"), ""},
		{"everything", m.Project, ""},
	} {
		size, err := diskUse(of.path, of.only)
		if err != nil {
			return nil, err
		}
		out = append(out, Result{Name: "disk use of " + of.name + " against the events' data", Durability: bus.Sync,
			Unit: "kB", N: count, Goal: 1.5, Value: float64(size) / 1e3, Reference: float64(written) / 1e3})
	}
	return out, nil
}

// finish reaches the goal, indexes the log, closes the session, and returns the bytes of the data of all events and
// their number.
func (r *roundsOn) finish() (written, count int, err error) {
	if _, err := r.goal(); err != nil {
		return 0, 0, err
	}
	seq, _, err := r.writer.Publish(r.Ctx, events.SessionClosed{Reason: "done"})
	if err != nil {
		return 0, 0, err
	}
	if err := r.Live.WaitFor(r.Ctx, seq); err != nil {
		return 0, 0, err
	}
	if err := r.searchAll(r.Ctx); err != nil {
		return 0, 0, err
	}
	log, err := r.Engine.Log()
	if err != nil {
		return 0, 0, err
	}
	for e, err := range log.Read(r.Ctx, events.Filter{Project: r.Name}, 1, 0) {
		if err != nil {
			return 0, 0, err
		}
		written, count = written+len(e.Data), count+1
	}
	return written, count, nil
}

// searchAll searches until everything is indexed.
func (m *Workers) searchAll(ctx context.Context) error {
	d, err := client.NewHTTP(m.Place, m.Info(m.writer.Session))
	if err != nil {
		return err
	}
	defer d.Close()
	for {
		found, err := d.Search(ctx, "type:GoalCompleted", search.Page{Limit: 1, Sort: search.Newest})
		if err != nil || found.Behind == 0 {
			return err
		}
	}
}

// diskUse returns the space that the files below a folder take; with only, of those below a folder of that name.
func diskUse(root, only string) (bytes int64, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if only != "" && !strings.Contains(path, string(filepath.Separator)+only+string(filepath.Separator)) {
			return nil
		}
		info, err := d.Info()
		if err == nil {
			bytes += allocated(info)
		}
		return err
	})
	return bytes, err
}
