// Package record has the commands that read the record: replay, export, search,
// watch and history.
package record

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/projections"
	"manualslop/replay"
	"manualslop/tiers/llm"
)

// replayOptions are the flags of slop replay.
type replayOptions struct {
	verify bool
	until  uint64
	cut    bool // the record is of a running session, or was cut: decisions may be due at its end
}

func ReplayCommand(g *site.Flags) *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:   "replay SESSION|FILE",
		Short: "Replay a recorded session and verify it",
		Long: `Replay folds the record of a session and prints the SHA-256 of each read model, and
one over all of them. It changes nothing: no model is called and no tool runs. The
same record gives the same digests on every machine.

With --verify it also runs every decider against the record and compares each
decision, byte for byte, with what is recorded, and checks that nothing was added,
left out or reordered; and it builds the body of every request to a model again and
compares it with what was sent. At the end no decision must be due: a record that was
cut short diverges there with R009, unless its engine is running or --until cut it.
At the first divergence it prints the code, the position, what is recorded and what
follows from the record, and ends with status 4.

FILE is the output of slop export, or events, one JSON object per line; "-" is
standard input. A file needs neither engine nor store. SESSION, which may be
abbreviated, is read through the running engine, or else from the store.`,
		Example: `  slop replay 7QK2M4 --verify
  slop replay session.jsonl --verify --json
  slop replay session.jsonl --until 120`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: command.CompleteSession(g, cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			past, err := readPast(cmd.Context(), g, args[0], o.verify)
			if err != nil {
				return err
			}
			defer past.close()
			o.cut = past.running || o.until > 0
			return replaySession(cmd.Context(), g, past, o)
		},
	}
	cmd.Flags().BoolVar(&o.verify, "verify", false, "prove that the recorded decisions follow from the record")
	cmd.Flags().Uint64Var(&o.until, "until", 0, "stop after sequence `SEQ`")
	return cmd
}

// replayOutput is the output of slop replay --json.
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

// divergenceOutput is a divergence in the output.
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

// replayGarbage is how much garbage a replay may produce before it is collected, in percent of the live heap: a
// replay reads a whole session and keeps little of it.
const replayGarbage = 50

func replaySession(ctx context.Context, g *site.Flags, session pastSession, o replayOptions) error {
	defer debug.SetGCPercent(debug.SetGCPercent(replayGarbage))
	set, verifier, prompts := projections.NewDigestSet(), replay.NewVerifier(replay.Deciders()...), promptCheck(session)
	folds := []func(*events.Event){set.Apply}
	if o.verify {
		folds = append(folds, verifier.Take, prompts.Take)
	}
	fan, out := replay.NewFan(folds...), replayOutput{}
	err := session.each(ctx, func(e events.Event) {
		if o.until > 0 && e.Seq > o.until {
			return
		}
		if out.Events++; out.Events == 1 {
			out.Session = e.Session
		}
		fan.Take(e)
	})
	fan.Close()
	var d *replay.Divergence
	switch {
	case errors.As(err, &d):
		return diverged(g, replayOutput{Divergence: divergence(d)})
	case err != nil:
		return exit.Errorf(exit.Failed, "%w", err)
	case out.Events == 0:
		return exit.Errorf(exit.Failed, "no events to replay")
	}
	out.Seq, out.Models = set.Seq(), set.Digest()
	out.Sum = set.SumOf(out.Models)
	if o.verify {
		err := out.verify(verifier, prompts, o.cut)
		if errors.As(err, &d) {
			out.Divergence = divergence(d)
			return diverged(g, out)
		}
		if err != nil {
			return exit.Errorf(exit.Failed, "verify: %w", err)
		}
	}
	if g.JSON {
		return g.PrintLine(out)
	}
	printReplay(g, out)
	return nil
}

// verify checks whether decisions and prompts follow from the record. The error may be a *[replay.Divergence].
func (out *replayOutput) verify(verifier *replay.Verifier, prompts *llm.Bodies, cut bool) error {
	report, err := verifier.End()
	var d *replay.Divergence
	if err != nil && !(errors.As(err, &d) && d.Code == replay.CodeOwed && cut) {
		return err
	}
	same, bad := prompts.End()
	if bad != nil {
		return promptDivergence(bad)
	}
	out.Verified, out.Prompts = &report, &same
	return nil
}

func printReplay(g *site.Flags, out replayOutput) {
	rows := [][]string{}
	for _, name := range slices.Sorted(maps.Keys(out.Models)) {
		rows = append(rows, []string{name, out.Models[name]})
	}
	term.PrintTable(g.Out, append(rows, []string{"all", out.Sum}))
	g.Printf("%d events of session %s, up to sequence %d\n", out.Events, out.Session, out.Seq)
	if out.Verified == nil {
		return
	}
	decided := 0
	for _, t := range out.Verified.Deciders {
		decided += t.Decided
	}
	g.Printf("verified: %d decisions follow from the record\n", decided)
	g.Printf("prompts: %d rebuilt byte for byte, %d not compared\n", out.Prompts.Same, out.Prompts.Skipped)
	if n := len(out.Verified.Owed); n > 0 {
		g.Printf("the record ends before %d decisions that are due\n", n)
	}
}

// diverged prints a divergence and ends with its status.
func diverged(g *site.Flags, out replayOutput) error {
	end := exit.Silently(exit.Diverged, "replay diverged")
	if g.JSON {
		return errors.Join(g.PrintLine(out), end)
	}
	d := out.Divergence
	fmt.Fprintf(g.Out, "diverged: %s %s at position %d, sequence %d\n", d.Code, d.Name, d.Position, d.Seq)
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
		rows[i][1] = term.Visible(term.OrDash(rows[i][1]))
	}
	term.PrintTable(g.Out, rows)
	return end
}
