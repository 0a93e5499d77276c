package chaos

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
)

// lookedAt is how many sessions are looked at through the program itself.
const lookedAt = 4

// rebuilt has the program prove and export sessions, and checks that their read
// models come back the same when everything that can be computed is gone.
func (r *run) rebuilt(log []events.Event) {
	at := []string{"--project", r.project, "--config", r.config}
	if r.named("doctor-at-the-end", at) {
		r.violate("store-damaged", "slop doctor finds something broken; see doctor-at-the-end.log")
	}
	ids := sorted(r.person.sessions)
	ids = ids[max(0, len(ids)-lookedAt):]
	want := map[string]int{}
	for _, e := range log {
		want[e.Session]++
	}
	for _, id := range ids {
		file := filepath.Join(r.dir, "export-"+id+".jsonl")
		if _, status := r.slop("export-"+id, append([]string{"export", id, "-o", file}, at...)...); status != 0 {
			r.violate("export-failed", "session %s: status %d, see export-%s.log", id, status, id)
			continue
		}
		if out, status := r.slop("replay-"+id, "replay", file, "--verify", "--json"); status != 0 {
			r.violate("verify-diverged", "session %s: status %d %s", id, status, out)
		}
		body, err := os.ReadFile(file)
		r.must(err)
		if n := strings.Count(string(body), `"specversion"`); n != want[id] {
			r.violate("acknowledged-lost", "the export of session %s has %d events of %d", id, n, want[id])
		}
	}
	before := r.models("models-before", ids, nil)
	r.forget()
	after := r.models("models-after", ids, before)
	for _, path := range sorted(before) {
		if before[path] != after[path] {
			r.violate("read-model-differs", "%s:\n%s\nis, rebuilt,\n%s", path, before[path], after[path])
		}
	}
}

// forget deletes what can be computed again.
func (r *run) forget() {
	ctx, cancel := r.patience()
	defer cancel()
	server, err := bus.Open(ctx, bus.Config{Dir: r.data()})
	if err != nil {
		r.violate("store-damaged", "%v", err)
		return
	}
	bustest.ForgetSnapshots(r.t, server)
	r.must(server.Close())
	for _, dir := range []string{filepath.Join(r.project, "logs"), filepath.Join(r.data(), "search")} {
		r.must(os.RemoveAll(dir))
	}
}

// models is every read model of sessions, as an engine serves them, and their
// log files, when they are as wanted or do not become so.
func (r *run) models(name string, ids []string, want map[string]string) map[string]string {
	m := r.hire(name, nil, r.answersAt, r.common("serve", "--listen", "127.0.0.1:0", "--script", r.script)...)
	r.mustAnswer(m)
	out := r.served(ids)
	for begun := time.Now(); !maps.Equal(out, want) && time.Since(begun) < settling(want); r.rest(100 * time.Millisecond) {
		out = r.served(ids)
	}
	m.dismiss(syscall.SIGTERM)
	return out
}

// settling is how long log files may take to be written.
func settling(want map[string]string) time.Duration {
	if want == nil {
		return 5 * time.Second
	}
	return eventstest.Patience / 2
}

// served is what the engine of now serves, and what its log files say.
func (r *run) served(ids []string) map[string]string {
	out := map[string]string{}
	for _, id := range ids {
		for _, path := range []string{"/api/gui/mma_status?", "/api/gui/diagnostics?", "/api/session?",
			"/api/asks?state=all&"} {
			status, body := r.get(path + "session=" + id)
			if status != http.StatusOK {
				r.violate("read-model-missing", "GET %ssession=%s: %d %s", path, id, status, body)
			}
			out[path+id] = body
		}
		folder := r.person.folder(id)
		root := filepath.Join(r.project, "logs", "sessions")
		for _, file := range r.below(filepath.Join(root, folder), func(_ string, d fs.DirEntry) bool {
			return folder != "" &&
				d.Type().IsRegular()
		}) {
			body, err := os.ReadFile(file)
			r.must(err)
			out[strings.TrimPrefix(file, root)] = string(body)
		}
	}
	return out
}

// folder is the name of a session's log folder.
func (p *person) folder(id string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.seen { // order-independent: a session has one opening
		if x, ok := e.Payload.(events.SessionOpened); ok && e.Session == id {
			return x.Folder
		}
	}
	return ""
}

// get reads from the gateway of now.
func (r *run) get(path string) (status int, body string) {
	where, token := r.gateway()
	ctx, cancel := r.patience()
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, where+path, nil)
	if err != nil {
		return 0, err.Error()
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, fmt.Sprint(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, fmt.Sprint(err)
	}
	return res.StatusCode, string(raw)
}
