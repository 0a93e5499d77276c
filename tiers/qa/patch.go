package qa

import (
	"path"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers"
)

// MaxPatchFiles limits how many files are shown in full for a patch, and MaxPatchFileBytes the
// size of each.
const (
	MaxPatchFiles     = 3
	MaxPatchFileBytes = 64 << 10
)

// patch is a pending request for a patch.
type patch struct {
	ask    string // event id of PatchRequested
	call   string
	origin *call
}

// propose starts a patch for a failed call, or records why there is none.
func (s *State) propose(e *events.Event, p events.PatchRequested) []events.Payload {
	c := s.calls[p.Call]
	w := &patch{ask: e.ID, call: p.Call, origin: c}
	switch {
	case c == nil || c.trace == nil:
		return []events.Payload{w.skip("there is no failed shell call " + tiers.Clip(p.Call, events.MaxIDLength))}
	case s.provider() == "":
		return []events.Payload{w.skip("disabled")}
	}
	s.preparing = w
	return []events.Payload{events.ContextRequested{Tier: tier, Views: w.views(), Workspace: c.place}}
}

// views returns requests for the files that the output names and for the ticket's target file.
func (w *patch) views() []events.ViewRequest {
	out := []events.ViewRequest{}
	for _, name := range append(mentioned(w.origin.trace.Text), w.origin.target) {
		v := events.ViewRequest{Path: name, View: events.ViewRaw}
		if len(out) < MaxPatchFiles && name != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// mentioned returns the words of a text that look like paths of project files, each once.
func mentioned(text string) []string {
	var out []string
	for _, name := range pathLike(text) {
		if path.Clean(name) == name && !strings.HasPrefix(name, "../") && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// maxPathLike limits how many words of a text are considered as paths.
const maxPathLike = 200

// pathLike returns the longest words of a text that look like paths of files: letters, digits, _,
// ., / and -, not starting with one of the last three, with an extension that starts with a
// letter.
func pathLike(text string) []string {
	letter := func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	var out []string
	for at := 0; at < len(text) && len(out) < maxPathLike; {
		if c := text[at]; !letter(c) && !digit(c) && c != '_' {
			at++
			continue
		}
		end := at
		for end < len(text) && (letter(text[end]) || digit(text[end]) || strings.IndexByte("_./-", text[end]) >= 0) {
			end++
		}
		if n := withExtension(text[at:end], letter, digit); n > 0 {
			out = append(out, text[at:at+n])
			at += n
			continue
		}
		at = end
	}
	return out
}

// withExtension returns the length of a word up to the end of its last extension; 0 if it has
// none.
func withExtension(word string, letter, digit func(byte) bool) int {
	for dot := len(word) - 2; dot > 0; dot-- {
		if word[dot] != '.' || !letter(word[dot+1]) {
			continue
		}
		end := dot + 2
		for end < len(word) && (letter(word[end]) || digit(word[end])) {
			end++
		}
		return end
	}
	return 0
}

// prepared asks the model for a patch once the files are available.
func (s *State) prepared(w *patch, built *events.Event, p events.ContextBuilt) []events.Payload {
	t := s.opening(w.origin, textPatch)
	t.patch = w
	for i, v := range p.Views {
		if v.Error == "" && v.Size <= MaxPatchFileBytes {
			t.prompt.Show(v.Path, tiers.ViewPart(built.ID, i, v, "# "+v.Path+"\n\n"))
		}
	}
	t.about.Call = w.call
	return s.send(t)
}

func (w *patch) skip(reason string) events.Payload {
	return events.PatchSkipped{Request: w.ask, Call: w.call, Reason: tiers.Clip(reason, MaxTrace)}
}

func (w *patch) moot(*State) string { return "" }

func (w *patch) replied(p events.ModelReplied) events.Payload {
	diff := diffIn(p.Text)
	switch {
	case p.Finish == "max_tokens":
		return w.skip("the reply was cut off by max_output_tokens")
	case diff == "":
		return w.skip("the reply holds no unified diff")
	case len(diff) > events.MaxPatch:
		return w.skip("the patch is too long")
	}
	return events.PatchProposed{Request: w.ask, Call: w.call, Ticket: w.origin.ticket, Attempt: w.origin.attempt,
		Patch: diff, Workspace: w.origin.place}
}

// diffIn returns the unified diff in a reply: from its first file to the end of the reply or of
// the code fence around it.
func diffIn(text string) string {
	lines := strings.SplitAfter(text, "\n")
	from := slices.IndexFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, "--- ") ||
			strings.HasPrefix(l, "diff --git ")
	})
	if from < 0 || !slices.ContainsFunc(lines[from:], func(l string) bool { return strings.HasPrefix(l, "@@") }) {
		return ""
	}
	lines = lines[from:]
	if end := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "```") }); end >= 0 {
		lines = lines[:end]
	}
	return strings.TrimRight(strings.Join(lines, ""), "\n") + "\n"
}
