package contributor

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
)

//go:embed system.md
var system string

// context opens the conversation: role, brief, and the views that a worker made.
func (r *run) context(id string, p events.ContextBuilt) {
	r.parts = []events.Part{{Role: "system", Text: system}}
	brief := fmt.Sprintf("# Ticket %s\n\n%s\n", r.ticket.ID, r.prompt)
	if r.ticket.TargetFile != "" {
		brief += "\nTarget file: " + r.ticket.TargetFile + "\n"
	}
	r.parts = append(r.parts, events.Part{Role: "user", Text: brief})
	for i, v := range p.Views {
		r.parts = append(r.parts, view(id, i, v))
		if v.File != nil {
			r.files[v.File.Path] = *v.File
		}
	}
	r.phase = startRound
}

func view(from string, i int, v events.View) events.Part {
	head := fmt.Sprintf("## %s (%s)\n", v.Path, v.View)
	if v.Error != "" {
		return events.Part{Role: "user", Text: head + "not available: " + v.Error + "\n"}
	}
	return events.Part{Role: "user", Prefix: head, SHA256: v.SHA256, Size: v.Size, From: from, Index: i}
}

// known lists the files that a refresh rereads: those of the conversation and
// the tracked ones, by path.
func (r *run) known(tracked []string) []events.FileState {
	out := make([]events.FileState, 0, len(r.files)+len(tracked))
	for _, path := range tracked {
		if _, ok := r.files[path]; !ok {
			out = append(out, events.FileState{Path: path})
		}
	}
	// order-independent: sorted below
	for _, f := range r.files {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b events.FileState) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(out)
}

// refreshed takes the changed files into the next prompt and begins the round.
func (r *run) refreshed(p events.FilesUpdated, s events.Settings) {
	for _, f := range p.Files {
		r.files[f.Path] = events.FileState{Path: f.Path, SHA256: f.After, Size: f.Size}
	}
	r.refresh = refreshPart(p.Files)
	r.advance(s.Tier(3).MaxRounds)
}

// refreshPart is the block of changed files, nil where nothing changed. It is
// the last part of the next prompt and of no later one.
func refreshPart(files []events.FileUpdate) *events.Part {
	if len(files) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("[SYSTEM: FILES UPDATED]\n")
	for _, f := range files {
		switch {
		case f.Error != "":
			fmt.Fprintf(&b, "%s: cannot be read: %s\n", f.Path, f.Error)
		case f.After == "":
			fmt.Fprintf(&b, "%s: deleted\n", f.Path)
		case f.DiffBlob != nil:
			fmt.Fprintf(&b, "%s: changed; the diff of %d bytes is too long to show, read the file again\n", f.Path, f.DiffBlob.Size)
		default:
			b.WriteString(strings.TrimRight(f.Diff, "\n") + "\n")
		}
	}
	return &events.Part{Role: "user", Kind: events.PartRefresh, Text: b.String()}
}
