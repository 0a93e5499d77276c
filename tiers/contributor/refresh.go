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

// learned records what the conversation knows about files: the content that it read or, for a file
// that it wrote, the content before that, so that the refresh shows the change.
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

// known returns the files that a refresh reads again: those of the conversation and the tracked
// ones, in path order, as many as fit.
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

// compares reports whether calls check for changed files in this session.
func (s *State) compares() bool { return s.basis.Decision(events.ActorContributor) >= 2 }

// compared returns the files that a call compares with what the conversation knows about them. It
// returns none if the call may change files itself, or if the list is long, because it would be
// recorded three times.
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

// refreshed adds the changed files to the next prompt and starts the round. A file that was
// tracked only after the attempt began is recorded but not shown.
func (r *run) refreshed(s *State, id string, p events.FilesUpdated) {
	changed := slices.DeleteFunc(slices.Clone(p.Files), func(f events.FileUpdate) bool {
		_, known := r.files[f.Path]
		return !known && s.comparesTracked() && slices.Contains(s.settings.Tracked, f.Path)
	})
	for _, f := range p.Files {
		r.files[f.Path] = events.FileState{Path: f.Path, SHA256: f.After, Size: f.Size}
		r.moved = r.moved || f.Path == path.Clean(r.ticket.TargetFile)
	}
	r.nextRound(s)
	if r.phase == startRound {
		r.refresh = refreshPart(id, changed, r.refreshRoom(s))
	}
}

// nextRound starts another round, unless the limit is reached.
func (r *run) nextRound(s *State) {
	if r.lastRound(s) {
		r.end(events.ResolvedBlocked, "", fmt.Sprintf("no end after %d rounds", r.maxRounds(s)))
		return
	}
	r.round++
	r.phase, r.refresh = startRound, nil
}

func (r *run) maxRounds(s *State) int {
	if n := s.settings.Tier(r.tier).MaxRounds; n > 0 {
		return n
	}
	return DefaultMaxRounds
}

// lastRound reports whether the limit of rounds allows no other round.
func (r *run) lastRound(s *State) bool { return r.round >= r.maxRounds(s) }

// refreshRoom returns how many bytes the block of changed files may have: at most a quarter of the
// context of the current model, because this part is never left out.
func (r *run) refreshRoom(s *State) int {
	tokens := r.talk.Room(s.offers.Reader(r.seat().Take(s.settings), r.tools))
	return int(min(MaxRefresh, tokens/4*tiers.BytesPerToken))
}

// refreshPart returns the block of changed files; nil if nothing changed. It is the last part of
// the next prompt only. Id is the event that reports the files, and most the maximum size as JSON.
func refreshPart(id string, files []events.FileUpdate, most int) *events.Part {
	if len(files) == 0 {
		return nil
	}
	var b strings.Builder
	room := most - 512 // reserved for the rest of the part, its fence and its last line
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

// updateText returns the block's text about one file.
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

// sizeOf returns the size of a value as JSON.
func sizeOf(v any) int {
	n, err := events.SizeOf(v)
	if err != nil {
		panic("contributor: " + err.Error()) // strings and numbers cannot fail
	}
	return n
}
