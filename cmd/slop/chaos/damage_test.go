package chaos

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"manualslop/bus"
	"manualslop/events"
)

// damage spoils what an act begins with, while nothing runs.
func (r *run) damage(kind string, random *rand.Rand) {
	r.count("damage: " + kind)
	store := filepath.Join(r.data(), "bus")
	switch kind {
	case damageSnapshots:
		r.flip(random, 5, store, "SLOP_SNAPSHOTS")
	case damageNoStore:
		for _, dir := range r.below(store, func(path string, d fs.DirEntry) bool {
			return d.IsDir() &&
				strings.HasSuffix(path, "SLOP_SNAPSHOTS")
		}) {
			r.must(os.RemoveAll(dir))
		}
	case damageIndex:
		r.flip(random, 5, filepath.Join(r.data(), "search"), "")
	case damageLogFiles:
		for _, file := range r.below(filepath.Join(r.project, "logs"), func(path string, d fs.DirEntry) bool {
			return strings.HasSuffix(path, ".log")
		}) {
			if random.IntN(2) == 0 {
				r.must(os.Remove(file))
			}
		}
	case damageCopy:
		r.damageCopy(random)
	case damageClaims:
		r.damageClaims(random)
	}
}

func (r *run) must(err error) {
	if err != nil {
		r.violate("harness", "%v", err)
	}
}

// below lists what is under a folder; nothing where it is not.
func (r *run) below(dir string, want func(string, fs.DirEntry) bool) []string {
	var out []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && want(path, d) {
			out = append(out, path)
		}
		return nil
	})
	return out
}

// flip turns single bits of files whose path has a part, and names them.
func (r *run) flip(random *rand.Rand, bits int, dir, part string) (flipped []string) {
	files := r.below(dir, func(path string, d fs.DirEntry) bool {
		return d.Type().IsRegular() &&
			strings.Contains(path, part)
	})
	for range bits {
		if len(files) == 0 {
			break
		}
		file := files[random.IntN(len(files))]
		body, err := os.ReadFile(file)
		if err != nil || len(body) == 0 {
			continue
		}
		at := random.IntN(len(body))
		body[at] ^= 1 << random.IntN(8)
		r.must(os.WriteFile(file, body, 0o600))
		flipped = append(flipped, fmt.Sprintf("%s at %d of %d", file, at, len(body)))
	}
	return flipped
}

// damageCopy turns one bit in the log of a copy of the data folder. slop doctor
// must name it, or the record must be as it was.
func (r *run) damageCopy(random *rand.Rand) {
	dir := filepath.Join(r.dir, "copies", fmt.Sprint(r.number()), filepath.Base(r.project))
	r.must(os.MkdirAll(filepath.Dir(dir), 0o755))
	if out, err := exec.Command("cp", "-a", r.project, dir).CombinedOutput(); err != nil {
		r.violate("harness", "copy: %v %s", err, out)
		return
	}
	flipped := r.flip(random, 1, filepath.Join(dir, ".slop", "bus"), filepath.Join("SLOP_EV", "msgs"))
	at := []string{"--project", dir, "--config", r.config}
	name := fmt.Sprintf("copy-%d", r.number())
	if _, status := r.slop(name+"-adopt", append([]string{"adopt", "--yes"}, at...)...); status != 0 {
		return // it is named
	}
	if r.named(name+"-doctor", at) {
		return
	}
	if err := r.whole(filepath.Join(dir, ".slop")); err != nil {
		r.violate("damage-unnamed", "doctor finds nothing wrong in %s, but %v; flipped: %v", dir, err, flipped)
		return
	}
	r.must(os.RemoveAll(filepath.Dir(dir)))
}

// named tells whether slop doctor finds something wrong with the data folder.
func (r *run) named(name string, at []string) bool {
	out, _ := r.slop(name, append([]string{"doctor", "--json"}, at...)...)
	for line := range strings.Lines(out) {
		var f struct{ Check, Health string }
		if json.Unmarshal([]byte(line), &f) == nil && f.Health == "broken" && !strings.Contains(f.Check, "provider") {
			return true
		}
	}
	return false
}

// whole compares the log of a data folder with what the person saw of it.
func (r *run) whole(data string) error {
	ctx, cancel := r.patience()
	defer cancel()
	server, err := bus.Open(ctx, bus.Config{Dir: data})
	if err != nil {
		return nil // it is named
	}
	defer server.Close()
	conn, err := server.Connect(bus.Role{Kind: bus.Reader})
	if err != nil {
		return err
	}
	defer conn.Close()
	got := map[uint64]events.Event{}
	for e, err := range conn.Read(ctx, events.Filter{}, 1, 0) {
		if err != nil {
			return nil // it is named
		}
		got[e.Seq] = e
	}
	return r.person.compare(got)
}

// compare tells what the person saw and the log has not, or has differently.
func (p *person) compare(got map[uint64]events.Event) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, seq := range sorted(p.seen) {
		was := p.seen[seq]
		if e, ok := got[seq]; !ok || e.ID != was.ID || string(e.Data) != string(was.Data) {
			return fmt.Errorf("%s %s at %d is gone or differs: %s", was.Type, was.ID, seq, e.ID)
		}
	}
	for id, seq := range p.acked {
		if got[seq].ID != id {
			return fmt.Errorf("%s was acknowledged at %d and is not there", id, seq)
		}
	}
	return nil
}
