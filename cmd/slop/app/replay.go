package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/replay"
	"manualslop/tiers/llm"
)

// replayOptions are the flags of slop replay.
type replayOptions struct {
	verify bool
	until  uint64
	cut    bool // the record is of a session that goes on, or was cut: decisions may be due at its end
}

func replayCommand(g *globals) *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:   "replay SESSION|FILE",
		Short: "Fold a recorded session again, and prove it",
		Long: `Replay folds the record of a session and prints the SHA-256 of each read model,
and one over all of them. It changes nothing: no model is asked and no tool runs.
The same record gives the same digests on every machine.

With --verify it also runs every decider against the record and compares each
decision, byte for byte, with what is recorded, and checks that nothing was
added, left out or reordered; and it builds the body of every request to a model
again and compares it with what was sent. At the end nothing may be due: a record that was
cut short diverges there with R009, unless its engine runs right now or --until
cut it. At the first divergence it prints its code, the position, what is recorded and what follows
from the record, and ends with status 4.

FILE is what slop export wrote, or events one JSON object a line; "-" is
standard input. A file needs neither engine nor store. SESSION, which may be
abbreviated, is read through the engine that runs, or else from the store.`,
		Example: `  slop replay 7QK2M4 --verify
  slop replay session.jsonl --verify --json
  slop replay session.jsonl --until 120`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: g.completeSession(cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			past, err := g.readPast(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer past.close()
			o.cut = past.running || o.until > 0
			return g.replay(past, o)
		},
	}
	cmd.Flags().BoolVar(&o.verify, "verify", false, "prove that the recorded decisions follow from the record")
	cmd.Flags().Uint64Var(&o.until, "until", 0, "stop behind sequence `SEQ`")
	return cmd
}

// pastSession is a recorded session.
type pastSession struct {
	events  []events.Event
	running bool     // its engine may still be at work on it
	blob    llm.Blob // until close
	close   func()
}

// readPast reads a session from a file, where there is one of that name, or
// from the record.
func (g *globals) readPast(ctx context.Context, word string) (pastSession, error) {
	var in io.Reader = g.in
	if word != "-" {
		f, err := os.Open(word)
		if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(word, `./\`) { // no session is called that
			return pastSession{}, failed(exitFailed, "there is no file %q", word)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return g.readSession(ctx, word)
		}
		if err != nil {
			return pastSession{}, failed(exitFailed, "%w", err)
		}
		defer f.Close()
		in = f
	}
	file, err := replay.Import(ctx, in)
	var d *replay.Divergence
	if errors.As(err, &d) {
		return pastSession{}, g.diverged(replayOutput{Divergence: divergence(d)})
	}
	if err != nil {
		return pastSession{}, failed(exitFailed, "%s: %w", word, err)
	}
	return pastSession{events: file.Events, blob: fileBlobs(file.Blobs), close: func() {}}, nil
}

// fileBlobs reads the blobs of an export.
func fileBlobs(blobs map[string][]byte) llm.Blob {
	return func(sha256 string) ([]byte, error) {
		b, ok := blobs[sha256]
		if !ok {
			return nil, events.ErrNoBlob
		}
		return b, nil
	}
}

func (g *globals) readSession(ctx context.Context, word string) (pastSession, error) {
	p, err := g.place()
	if err != nil {
		return pastSession{}, err
	}
	_, err = findEngine(p.data)
	running := err == nil || g.remote(p)
	d, err := g.openRecord(ctx, p)
	if err != nil {
		return pastSession{}, err
	}
	past, err := sessionOf(ctx, d, word)
	if err != nil {
		d.close()
		return pastSession{}, err
	}
	blob := func(sha256 string) ([]byte, error) { return d.blobs().Get(ctx, sha256) }
	return pastSession{events: past, running: running, blob: blob, close: d.close}, nil
}

// sessionOf reads the session that a word stands for.
func sessionOf(ctx context.Context, d desk, word string) ([]events.Event, error) {
	s, err := pickSession(ctx, d, word)
	if err != nil {
		return nil, err
	}
	past, err := history(ctx, d, s.Session)
	if err != nil {
		return nil, failed(exitFailed, "read session %s: %w", s.Session, err)
	}
	return past, nil
}

// replayOutput is what slop replay --json prints.
type replayOutput struct {
	Session    string            `json:"session"`
	Events     int               `json:"events"`
	Seq        uint64            `json:"seq"` // of the last event
	Sum        string            `json:"sum,omitempty"`
	Models     map[string]string `json:"models,omitempty"`
	Verified   *replay.Report    `json:"verified,omitempty"`
	Prompts    *llm.Checked      `json:"prompts,omitempty"` // bodies of requests, built again
	Divergence *divergenceOutput `json:"divergence,omitempty"`
}

// divergenceOutput is a divergence as it is printed.
type divergenceOutput struct {
	Code      replay.Code   `json:"code"`
	Name      string        `json:"name"`
	Seq       uint64        `json:"seq"`
	Position  int           `json:"position"`
	Actor     string        `json:"actor,omitempty"`
	Cause     string        `json:"cause,omitempty"`
	Detail    string        `json:"detail,omitempty"`
	Recorded  *events.Event `json:"recorded"`
	Attempted *events.Event `json:"attempted"`
}

func divergence(d *replay.Divergence) *divergenceOutput {
	return &divergenceOutput{Code: d.Code, Name: d.Code.Name(), Seq: d.Seq, Position: d.Position, Actor: d.Actor,
		Cause: d.Cause, Detail: d.Detail, Recorded: d.Recorded, Attempted: d.Attempted}
}

func (g *globals) replay(session pastSession, o replayOptions) error {
	past := session.events
	if o.until > 0 {
		past = slices.DeleteFunc(past, func(e events.Event) bool { return e.Seq > o.until })
	}
	if len(past) == 0 {
		return failed(exitFailed, "there is no event to replay")
	}
	set := projections.NewSet()
	for i := range past {
		set.Apply(&past[i])
	}
	out := replayOutput{Session: past[0].Session, Events: len(past), Seq: set.Seq(), Sum: set.Sum(), Models: set.Digest()}
	if o.verify {
		err := out.verify(past, session.blob, o.cut)
		var d *replay.Divergence
		if errors.As(err, &d) {
			out.Divergence = divergence(d)
			return g.diverged(out)
		}
		if err != nil {
			return failed(exitFailed, "verify: %w", err)
		}
	}
	if g.json {
		return g.printLine(out)
	}
	g.printReplay(out)
	return nil
}

// verify proves decisions and prompts; the error may be a *[replay.Divergence].
func (out *replayOutput) verify(past []events.Event, blob llm.Blob, cut bool) error {
	report, err := replay.Verify(past, replay.Deciders()...)
	var d *replay.Divergence
	if err != nil && !(errors.As(err, &d) && d.Code == replay.CodeOwed && cut) {
		return err
	}
	prompts, d := checkPrompts(past, blob)
	if d != nil {
		return d
	}
	out.Verified, out.Prompts = &report, &prompts
	return nil
}

func (g *globals) printReplay(out replayOutput) {
	rows := [][]string{}
	for _, name := range slices.Sorted(maps.Keys(out.Models)) {
		rows = append(rows, []string{name, out.Models[name]})
	}
	printTable(g.out, append(rows, []string{"all", out.Sum}))
	g.printf("%d events of session %s, up to sequence %d\n", out.Events, out.Session, out.Seq)
	if out.Verified == nil {
		return
	}
	decided := 0
	for _, t := range out.Verified.Deciders {
		decided += t.Decided
	}
	g.printf("verified: %d decisions follow from the record\n", decided)
	g.printf("prompts: %d built again to the byte, %d not compared\n", out.Prompts.Same, out.Prompts.Skipped)
	if n := len(out.Verified.Owed); n > 0 {
		g.printf("the record ends before %d decisions that are due\n", n)
	}
}

// diverged prints a divergence and ends with its status.
func (g *globals) diverged(out replayOutput) error {
	end := silently(exitDiverged, "replay diverged")
	if g.json {
		return errors.Join(g.printLine(out), end)
	}
	d := out.Divergence
	fmt.Fprintf(g.out, "diverged: %s %s at position %d, sequence %d\n", d.Code, d.Name, d.Position, d.Seq)
	rows := [][]string{{"  actor", d.Actor}, {"  cause", d.Cause}, {"  detail", d.Detail}}
	for _, side := range []struct {
		name  string
		event *events.Event
	}{{"  recorded", d.Recorded}, {"  attempted", d.Attempted}} {
		text := "nothing"
		if side.event != nil {
			text = side.event.Type + " " + string(side.event.Data)
		}
		rows = append(rows, []string{side.name, text})
	}
	for i := range rows {
		rows[i][1] = visible(orDash(rows[i][1]))
	}
	printTable(g.out, rows)
	return end
}
