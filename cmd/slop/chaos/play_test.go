package chaos

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"
)

// play is one goal: what the scripted model says of it, and the files that its
// tickets edit.
type play struct {
	name  string // K001
	lines []string
	files map[string]string
}

// spares is how often a reply may be asked for again, because an attempt at it failed.
const spares = 2

// playName finds the name of a play in its goal.
var playName = regexp.MustCompile(`K[0-9]{3,}`)

// goal is what a person asks for; the model knows the play by it.
func (p play) goal() string { return "Play " + p.name + "." }

// newPlay makes a play of a seed. Each of its calls has an id of its own.
func newPlay(seed uint64, n int, outside string) play {
	random := rand.New(rand.NewPCG(seed, uint64(1000+n)))
	p := play{name: fmt.Sprintf("K%03d", n), files: map[string]string{}}
	var tickets []map[string]any
	for t := 1; t <= 1+random.IntN(3); t++ {
		id := fmt.Sprintf("%s-%d", p.name, t)
		file := "files/" + id + ".txt"
		after := []string{}
		if t > 1 && random.IntN(2) == 0 {
			after = append(after, fmt.Sprintf("%s-%d", p.name, t-1))
		}
		tickets = append(tickets, map[string]any{"id": id, "description": "Ticket of " + p.name, "depends_on": after})
		p.ticket(random, id, file, outside)
	}
	p.plan(tickets)
	return p
}

// newCrowd makes a play in which scripts take every place of three workers. They
// hold them until the change of the last ticket is shown to a person, which must
// not need one.
func newCrowd(n int, outside, holds string) play {
	p := play{name: fmt.Sprintf("K9%02d", n), files: map[string]string{}}
	var tickets []map[string]any
	for t := 1; t <= crowdTickets; t++ {
		id := fmt.Sprintf("%s-%d", p.name, t)
		tickets = append(tickets, map[string]any{"id": id, "description": "Ticket of " + p.name})
		var calls []map[string]any
		for step := 1; step <= 20 && t < crowdTickets; step++ {
			call := fmt.Sprintf("%s.s%d", id, step)
			calls = append(calls, runs(fmt.Sprintf("echo \"begin %s $PPID $(date +%%s%%N)\" >> '%s'; while [ -e '%s' ]; do "+
				"sleep 1; done; echo \"end %s 0 0\" >> '%s'",
				call, outside, filepath.Join(holds, p.name), call, outside)))
		}
		delay := 0
		if t == crowdTickets {
			calls, delay = []map[string]any{p.edits("files/"+id+".txt", id+".s1")}, 4000
		}
		p.line(map[string]any{"tier": 3, "ticket": id, "reply": map[string]any{"text": "I go on.", "tool_calls": calls,
			"delay_ms": delay}})
		p.done(id)
	}
	p.plan(tickets)
	return p
}

// crowdTickets is how many tickets a crowd has, as many as run at once; all but the last hold places.
const crowdTickets = 4

// plan has the planner and the lead make the tickets.
func (p *play) plan(tickets []map[string]any) {
	for range spares {
		p.line(map[string]any{"tier": 1, "contains": p.goal(),
			"reply": map[string]any{"text": text([]map[string]any{{"id": p.name, "title": p.name, "description": "Track of " +
				p.name}})}})
		p.line(map[string]any{"tier": 2, "track": p.name, "reply": map[string]any{"text": text(tickets)}})
	}
}

func (p *play) line(v any) { p.lines = append(p.lines, text(v)) }

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// ticket gives a ticket some rounds of calls, and an end that can be repeated.
func (p *play) ticket(random *rand.Rand, id, file, outside string) {
	step := 0
	for range 2 + random.IntN(3) {
		var calls []map[string]any
		for range 1 + random.IntN(3) {
			step++
			calls = append(calls, p.call(random, fmt.Sprintf("%s.s%d", id, step), file, outside))
		}
		p.line(map[string]any{"tier": 3, "ticket": id, "reply": map[string]any{"text": "I go on.", "tool_calls": calls,
			"delay_ms": random.IntN(200)}})
	}
	p.done(id)
}

// done ends a ticket.
func (p *play) done(id string) {
	for range 1 + spares {
		p.line(map[string]any{"tier": 3, "ticket": id, "reply": map[string]any{"text": "DONE: Done."}})
	}
}

// call is a script that leaves its mark outside of every undo, an edit of the
// ticket's file, or a look at it.
func (p *play) call(random *rand.Rand, id, file, outside string) map[string]any {
	switch random.IntN(6) {
	case 0:
		return map[string]any{"name": "read_file", "args": map[string]any{"path": file}}
	case 1, 2:
		return p.edits(file, id)
	}
	script := fmt.Sprintf("echo \"begin %s $PPID $(date +%%s%%N)\" >> '%s'; sleep %.2f; echo \"end %s 0 0\" >> '%s'",
		id, outside, random.Float64()*random.Float64()*1.5, id, outside)
	switch random.IntN(8) {
	case 0:
		script += "; exit 3"
	case 1:
		script += "; printf %040000d 0" // too much for a claim
	}
	return runs(script)
}

// edits is a call that changes a line of a file, which is there.
func (p *play) edits(file, id string) map[string]any {
	p.files[file] += id + ":no\n"
	return map[string]any{"name": "edit_file", "args": map[string]any{"path": file, "old_string": id + ":no",
		"new_string": id + ":yes"}}
}

// runs is a call that runs a script.
func runs(script string) map[string]any {
	return map[string]any{"name": "run_powershell", "args": map[string]any{"script": script}}
}

// stage writes the plays: the script of the model and the files of the project.
func (r *run) stage() {
	var all []string
	var plays []play
	for n := range r.plays {
		plays = append(plays, newPlay(r.seed, n, r.outside))
	}
	require.NoError(r.t, os.MkdirAll(r.holds(), 0o755))
	for n := range r.crowds {
		p := newCrowd(n, r.outside, r.holds())
		plays = append(plays, p)
		require.NoError(r.t, os.WriteFile(filepath.Join(r.holds(), p.name), nil, 0o644))
	}
	for _, p := range plays {
		all = append(all, p.lines...)
		for name, content := range p.files {
			path := filepath.Join(r.project, name)
			require.NoError(r.t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(r.t, os.WriteFile(path, []byte(content), 0o644))
		}
	}
	for range 60 {
		all = append(all, `{"tier":4,"reply":{"text":"It ended with status 3."}}`)
	}
	require.NoError(r.t, os.WriteFile(r.script, []byte(strings.Join(all, "\n")+"\n"), 0o600))
	require.NoError(r.t, os.WriteFile(r.outside, nil, 0o644))
}

// mark is a line that a script left outside.
type mark struct {
	begin bool
	id    string
	pid   int   // of the process that started the script
	at    int64 // in nanoseconds of the epoch
}

// marks reads what scripts left outside, by the id of their call.
func (r *run) marks() map[string][]mark {
	body, err := os.ReadFile(r.outside)
	if err != nil {
		r.violate("harness", "%v", err)
	}
	out := map[string][]mark{}
	for line := range strings.Lines(string(body)) {
		word := strings.Fields(line)
		if len(word) != 4 {
			continue
		}
		pid, _ := strconv.Atoi(word[2])
		at, _ := strconv.ParseInt(word[3], 10, 64)
		out[word[1]] = append(out[word[1]], mark{word[0] == "begin", word[1], pid, at})
	}
	return out
}

// idOf finds the id of a call in its arguments; empty: it has none.
func idOf(args []byte) string { return string(callID.Find(args)) }

var callID = regexp.MustCompile(`K[0-9]{3,}-[0-9]+\.s[0-9]+`)

// ran counts how often a call began and ended.
func ran(of []mark) (begun, ended int) {
	for _, m := range of {
		if m.begin {
			begun++
		} else {
			ended++
		}
	}
	return begun, ended
}
