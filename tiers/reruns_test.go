package tiers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
)

// told is what a history says of its last event.
func told(history ...events.Payload) string {
	var r tiers.Reruns
	out := ""
	for _, p := range history {
		out = r.Evolve(&events.Event{Payload: p})
	}
	return out
}

func runs(call, digest, place string) events.Payload {
	return events.ToolApproved{Call: call, ArgsSHA256: digest, Generation: 1, Workspace: place}
}

func ends(call, digest, outcome string, change ...func(*events.ToolSettled)) events.Payload {
	p := events.ToolSettled{Call: call, ArgsSHA256: digest, Generation: 1, Outcome: outcome, Interpreter: "bash"}
	for _, c := range change {
		c(&p)
	}
	return p
}

func writes(p *events.ToolSettled) { p.Files = []events.FileState{{Path: "a", Written: true}} }
func reads(p *events.ToolSettled)  { p.Files = []events.FileState{{Path: "a"}} }
func unseen(p *events.ToolSettled) { p.Unseen = true }

func TestACommandThatFailedAndPassesUnchangedIsNamed(t *testing.T) {
	t.Parallel()
	const done, failed = events.ToolDone, events.ToolFailed
	fails := []events.Payload{runs("c1", "ab", ""), ends("c1", "ab", failed)}
	passes := []events.Payload{runs("c2", "ab", ""), ends("c2", "ab", done)}
	for name, c := range map[string]struct {
		before, between, after []events.Payload
		want                   string
	}{
		"the same command": {fails, nil, passes, "c1"},
		"one that passes and writes": {fails, nil, []events.Payload{runs("c2", "ab", ""), ends("c2", "ab", done, writes)},
			"c1"},
		"after others that change none": {fails, []events.Payload{runs("x", "cd", ""), ends("x", "cd", done, reads)}, passes,
			"c1"},
		"after a write elsewhere": {fails, []events.Payload{runs("x", "cd", "w1"), ends("x", "cd", done, writes)},
			passes, "c1"},
		"after a refresh without files": {fails, []events.Payload{events.FilesUpdated{}}, passes, "c1"},
		"failed again":                  {fails, nil, []events.Payload{runs("c2", "ab", ""), ends("c2", "ab", failed)}, ""},
		"another command":               {fails, nil, []events.Payload{runs("c2", "cd", ""), ends("c2", "cd", done)}, ""},
		"in another place":              {fails, nil, []events.Payload{runs("c2", "ab", "w1"), ends("c2", "ab", done)}, ""},
		"once":                          {fails, passes, []events.Payload{runs("c3", "ab", ""), ends("c3", "ab", done)}, ""},
		"never failed":                  {nil, nil, passes, ""},
		"no shell": {[]events.Payload{runs("c1", "ab", ""), ends("c1", "ab", failed, func(p *events.ToolSettled) {
			p.Interpreter = ""
		})}, nil,
			[]events.Payload{runs("c2", "ab", ""), ends("c2", "ab", done, func(p *events.ToolSettled) { p.Interpreter = "" })},
			""},
		"after a write": {fails, []events.Payload{runs("x", "cd", ""), ends("x", "cd", done, writes)}, passes,
			""},
		"after a write that failed": {fails, []events.Payload{runs("x", "cd", ""), ends("x", "cd", failed, writes)},
			passes, ""},
		"after what nobody saw": {fails, []events.Payload{runs("x", "cd", ""), ends("x", "cd", done, unseen)}, passes,
			""},
		"after what was interrupted": {fails, []events.Payload{runs("x", "cd", ""),
			ends("x", "cd", events.ToolInterrupted)}, passes, ""},
		"after what was taken as done": {fails, []events.Payload{runs("x", "cd", ""), ends("x", "cd", events.ToolInterrupted),
			events.InterruptResolved{Call: "x", Resolution: events.InterruptDone}}, passes, ""},
		"after what was killed": {fails, []events.Payload{runs("x", "cd", ""), ends("x", "cd", events.ToolKilled)},
			passes, ""},
		"after what was given up": {fails, []events.Payload{runs("x", "cd", ""), events.ToolParked{Call: "x"}}, passes,
			""},
		"after a person's edit": {fails, []events.Payload{events.FilesUpdated{Files: []events.FileUpdate{{Path: "a"}}}},
			passes, ""},
		"after a merge": {fails, []events.Payload{events.MergeSettled{}}, passes, ""},
		"failed while it wrote": {[]events.Payload{runs("c1", "ab", ""), ends("c1", "ab", failed, writes)}, nil, passes,
			""},
		"failed beside another call": {[]events.Payload{runs("x", "cd", ""), runs("c1", "ab", ""), ends("c1", "ab", failed),
			ends("x", "cd", done)}, nil, passes, ""},
		"failed, another call began": {[]events.Payload{runs("c1", "ab", ""), runs("x", "cd", ""), ends("c1", "ab", failed),
			ends("x", "cd", done)}, nil, passes, ""},
		"passed beside another call": {fails, []events.Payload{runs("x", "cd", "")}, passes, ""},
		"an outcome that counts not": {fails, nil, []events.Payload{runs("c2", "ab", ""), ends("c2", "ab", done,
			func(p *events.ToolSettled) { p.Generation = 2 })}, ""},
		"an outcome without approval": {fails, nil, []events.Payload{ends("c2", "ab", done)}, ""},
	} {
		require.Equal(t, c.want, told(append(append(append([]events.Payload{}, c.before...), c.between...), c.after...)...),
			name)
	}
}

func TestRememberedFailuresAreBounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		others int
		want   string
	}{{tiers.MaxReruns - 1, "c1"}, {tiers.MaxReruns, ""}} {
		var r tiers.Reruns
		say := func(p events.Payload) string { return r.Evolve(&events.Event{Payload: p}) }
		for i := range c.others {
			id := string(rune('a'+i%26)) + string(rune('a'+i/26))
			say(runs("x"+id, id, ""))
			say(ends("x"+id, id, events.ToolFailed))
		}
		say(runs("c1", "digest", ""))
		say(ends("c1", "digest", events.ToolFailed))
		say(runs("c2", "digest", ""))
		require.Equal(t, c.want, say(ends("c2", "digest", events.ToolDone)))
	}
}
