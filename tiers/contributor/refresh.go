package contributor

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/fence"
)

// learned notes what the conversation knows of files: what it read, and of a
// file that it wrote what stood there before, so that the refresh shows the
// change.
func (r *run) learned(files []events.FileState) {
	for _, f := range files {
		_, known := r.files[f.Path]
		switch {
		case !f.Written:
			r.files[f.Path] = events.FileState{Path: f.Path, SHA256: f.SHA256, Size: f.Size}
		case !known:
			r.files[f.Path] = events.FileState{Path: f.Path, SHA256: f.Before}
		}
	}
}

// known lists the files that a refresh rereads: those of the conversation and
// the tracked ones, by path, as many as fit.
func (r *run) known(tracked []string) []events.FileState {
	out := make([]events.FileState, 0, len(r.files)+len(tracked))
	for _, name := range tracked {
		if _, ok := r.files[name]; !ok {
			out = append(out, events.FileState{Path: name})
		}
	}
	// order-independent: sorted below
	for _, f := range r.files {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b events.FileState) int { return strings.Compare(a.Path, b.Path) })
	out = slices.Compact(out)
	room := MaxKnown
	for i, f := range out {
		if room -= sizeOf(f) + len(","); room < 0 {
			return out[:i]
		}
	}
	return out
}

// compares tells whether a call looks for changed files.
func (s *State) compares() bool { return s.basis.Decision(events.ActorContributor) >= 2 }

// compared lists the files that a call compares with what the conversation knows
// of them; none where it may change files itself, or the list is long: it would
// stand on the log three times.
func (r *run) compared(s *State, c *call) []events.FileState {
	if !s.compares() || !slices.ContainsFunc(s.tools, func(t tool) bool { return t.Name == c.tool && t.Reads }) {
		return nil
	}
	known := r.known(s.settings.Tracked)
	if sizeOf(known) > MaxCompared {
		return nil
	}
	return known
}

// refreshed takes the changed files into the next prompt and begins its round.
func (r *run) refreshed(s *State, id string, p events.FilesUpdated) {
	for _, f := range p.Files {
		r.files[f.Path] = events.FileState{Path: f.Path, SHA256: f.After, Size: f.Size}
		r.moved = r.moved || f.Path == path.Clean(r.ticket.TargetFile)
	}
	r.nextRound(s)
	if r.phase == startRound {
		r.refresh = refreshPart(id, p.Files, r.refreshRoom(s))
	}
}

// nextRound begins another round, if there may be one.
func (r *run) nextRound(s *State) {
	maxRounds := s.settings.Tier(r.tier).MaxRounds
	if maxRounds <= 0 {
		maxRounds = DefaultMaxRounds
	}
	if r.round >= maxRounds {
		r.end(events.ResolvedBlocked, "", fmt.Sprintf("no end after %d rounds", maxRounds))
		return
	}
	r.round++
	r.phase, r.refresh = startRound, nil
}

// refreshRoom is how many bytes the block of changed files may have: a quarter
// of what its model reads, as far as that is known by now, for it is the one
// thing that no prompt leaves out.
func (r *run) refreshRoom(s *State) int {
	tokens := r.talk.Room(s.offers.Reader(r.seat().Take(s.settings), r.tools))
	return int(min(MaxRefresh, tokens/4*tiers.BytesPerToken))
}

// refreshPart is the block of changed files, nil where nothing changed. It is
// the last part of the next prompt and of no later one. Id is that of the event
// that tells of them, most bounds its bytes as JSON.
func refreshPart(id string, files []events.FileUpdate, most int) *events.Part {
	if len(files) == 0 {
		return nil
	}
	var b strings.Builder
	room := most - 512 // for the part around the text, its fence and its last line
	for i, f := range files {
		text := updateText(f)
		if sizeOf(text) > room {
			text = fmt.Sprintf("%s: changed; its diff does not fit here, read the file again\n", f.Path)
		}
		if sizeOf(text) > room {
			fmt.Fprintf(&b, "and %d more files changed; read again what you need\n", len(files)-i)
			break
		}
		room -= sizeOf(text)
		b.WriteString(text)
	}
	return &events.Part{Role: "user", Kind: events.PartRefresh, Prefix: fence.FilesUpdated + "\n", Text: b.String(),
		Origin: fence.Repo, Fence: fence.Nonce(id, 0)}
}

// updateText is what the block says of one file.
func updateText(f events.FileUpdate) string {
	switch {
	case f.Error != "":
		return fmt.Sprintf("%s: cannot be read: %s\n", f.Path, tiers.Clip(f.Error, MaxReason))
	case f.After == "":
		return fmt.Sprintf("%s: deleted\n", f.Path)
	case f.DiffBlob != nil:
		return fmt.Sprintf("%s: changed; the diff of %d bytes is too long to show, read the file again\n", f.Path,
			f.DiffBlob.Size)
	}
	return strings.TrimRight(f.Diff, "\n") + "\n"
}

// sizeOf is the size of a value as JSON.
func sizeOf(v any) int {
	n, err := events.SizeOf(v)
	if err != nil {
		panic("contributor: " + err.Error()) // strings and numbers
	}
	return n
}
