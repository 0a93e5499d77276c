package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"manualslop/bus"
	"manualslop/events"
)

// claimsStream is the folder of the record of started calls.
const claimsStream = "KV_SLOP_CLAIMS"

// damageClaims empties or cuts the record of started calls. A start must refuse
// what is lost by name, and `slop doctor --repair` must make a store of it.
func (r *run) damageClaims(random *rand.Rand) {
	store := filepath.Join(r.data(), "bus")
	dirs := r.below(store, func(_ string, d fs.DirEntry) bool { return d.IsDir() && d.Name() == claimsStream })
	if len(dirs) == 0 {
		return // no act made it
	}
	held := r.claimsHeld(store)
	how := random.IntN(4)
	switch how {
	case 0:
		r.must(os.RemoveAll(dirs[0]))
	case 1:
		r.must(os.RemoveAll(filepath.Join(dirs[0], "msgs")))
	case 2:
		r.cutClaims(dirs[0], random)
	case 3:
		r.flip(random, 1, dirs[0], "msgs")
	}
	at, n := []string{"--project", r.project, "--config", r.config}, r.number()
	said := fmt.Sprintf("claims-%d", n)
	if _, status := r.slop(said, append([]string{"sessions"}, at...)...); status == 0 {
		if how < 2 && held > 0 {
			r.violate("damage-unnamed", "the claims are gone, form %d, their end was %d, and slop sessions reads the store", how,
				held)
		}
		return
	}
	r.count("damage: claims refused")
	r.slop(said+"-repair", append([]string{"doctor", "--repair"}, at...)...)
	if out, status := r.slop(said+"-repaired", append([]string{"sessions"}, at...)...); status != 0 {
		r.violate("claims-unrepaired", "status %d %s after slop doctor --repair; see %s", status, out, said)
	}
}

// claimsHeld is where the claims ended, as the guard of the store recorded.
func (r *run) claimsHeld(store string) uint64 {
	var ends struct{ Claims struct{ Seq uint64 } }
	raw, err := os.ReadFile(filepath.Join(store, "ends.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0 // the making of the store did not end
	}
	r.must(err)
	body, _, _ := bytes.Cut(raw, []byte("\n"))
	r.must(json.Unmarshal(body, &ends))
	return ends.Claims.Seq
}

// cutClaims cuts the newest block of the claims.
func (r *run) cutClaims(dir string, random *rand.Rand) {
	blocks := r.below(dir, func(path string, _ fs.DirEntry) bool { return strings.HasSuffix(path, ".blk") })
	if len(blocks) == 0 {
		return
	}
	newest := blocks[len(blocks)-1]
	info, err := os.Stat(newest)
	if err == nil && info.Size() > 0 {
		err = os.Truncate(newest, random.Int64N(info.Size()))
	}
	r.must(err)
}

// fillClaims fills the bucket of claims by a worker's rights for a time.
func (r *run) fillClaims(lasts time.Duration) {
	r.filling.Lock()
	defer r.filling.Unlock()
	ctx, cancel := r.patience()
	defer cancel()
	host, err := os.Hostname()
	r.must(err)
	to := bus.DialConfig{URL: "nats://" + r.bus, Creds: filepath.Join(r.data(), "keys", "worker.json"),
		Role: bus.Role{Kind: bus.Worker, Name: bus.WorkerName(events.Token(host), bus.WorkerSlots), Project: r.name()}}
	conn, err := bus.Dial(ctx, to)
	for err != nil { // the bus is down
		if !r.rest(100 * time.Millisecond) {
			return
		}
		conn, err = bus.Dial(ctx, to)
	}
	defer conn.Close()
	value := text(map[string]string{"filling": strings.Repeat("x", bus.MaxClaim-64)})
	var keys []string
	filling, enough := context.WithTimeout(ctx, 10*time.Second)
	for filling.Err() == nil && !errors.Is(err, events.ErrFull) {
		keys = append(keys, fmt.Sprintf("filling.%d", r.number()))
		_, err = conn.CreateClaim(filling, keys[len(keys)-1], []byte(value))
	}
	enough()
	if errors.Is(err, events.ErrFull) {
		r.count("claims full")
	}
	r.rest(lasts)
	for _, key := range keys {
		_, rev, err := conn.Claim(ctx, key)
		if err == nil {
			err = conn.PurgeClaim(ctx, key, rev)
		}
		if err != nil && !errors.Is(err, events.ErrNoKey) {
			r.violate("harness", "empty the claims: %v", err)
			return
		}
	}
}
