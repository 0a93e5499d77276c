package sessions

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manualslop/bus"
	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/projections"
)

// removeOptions are the flags of slop sessions rm and prune.
type removeOptions struct {
	yes, open, keepLogs bool
	olderThan           string
	keep                int
}

func (o *removeOptions) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.yes, "yes", false, "remove them without asking")
	cmd.Flags().BoolVar(&o.open, "open", false, "also remove sessions that are not closed")
	cmd.Flags().BoolVar(&o.keepLogs, "keep-logs", false, "keep the log files of the sessions")
}

const removeLong = `
No engine may be running. Before anything is removed, you see what would go and are
asked, unless you give --yes; without a terminal and without --yes it ends there
with status 3.

The remaining sessions are copied in order into a new store, the copy is checked,
and the new store replaces the old one, which is deleted last. So the disk must have
room for a second store. After a kill at any point one of the two stores is
complete; the next command says which. Large texts that only removed sessions used
are removed, and so are the sessions' log files and worktrees, even worktrees with
work that was not merged, which is listed first; the branch of merged work stays.
Changes that the sessions made in your files stay; they can no longer be undone.

The remaining events are numbered from 1 again. A sequence that you noted before,
for --since, --until or as Last-Event-ID, names another event afterwards: read again
from 0. A feed that was cut off reports that the history was replaced.`

func sessionRemoveCommand(g *site.Flags) *cobra.Command {
	var o removeOptions
	cmd := &cobra.Command{
		Use:   "rm ID...",
		Short: "Remove sessions for good",
		Long: `Rm removes sessions from the record, with everything that only they used. A
session that is not closed is refused without --open.
` + removeLong,
		Example: `  slop sessions rm 7QK2M4
  slop sessions rm 7QK2M4 8ZB0CD --yes`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: command.CompleteSession(g, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			return removeSessions(cmd.Context(), g, o, func(ctx context.Context, d client.Client) ([]projections.Summary,
				error) {
				return namedSessions(ctx, d, args)
			})
		},
	}
	o.flags(cmd)
	return cmd
}

func sessionPruneCommand(g *site.Flags) *cobra.Command {
	var o removeOptions
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove old sessions for good",
		Long: `Prune removes the sessions that were closed longer ago than --older-than, or all but
the newest --keep. Sessions with a star stay, and without --open so do those that
are not closed.` + removeLong,
		Example: `  slop sessions prune --older-than 30d
  slop sessions prune --keep 10 --yes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			before, err := o.before(time.Now())
			if err != nil {
				return err
			}
			return removeSessions(cmd.Context(), g, o, func(ctx context.Context, d client.Client) ([]projections.Summary,
				error) {
				return o.oldSessions(ctx, d, before)
			})
		},
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&o.olderThan, "older-than", "", "remove sessions closed longer ago than `AGE`, such as 12h or "+
		"30d")
	cmd.Flags().IntVar(&o.keep, "keep", -1, "keep the newest `N` sessions")
	return cmd
}

// before returns the time before which prune removes sessions; one of the two flags is required.
func (o *removeOptions) before(now time.Time) (time.Time, error) {
	if o.keep < -1 {
		return now, exit.Errorf(exit.Usage, "--keep must be 0 or more, got %d", o.keep)
	}
	if o.olderThan == "" {
		if o.keep < 0 {
			return now, exit.Errorf(exit.Usage, "prune needs --older-than AGE or --keep N")
		}
		return now, nil
	}
	var age time.Duration
	days, isDays := strings.CutSuffix(o.olderThan, "d")
	n, err := strconv.Atoi(days)
	if age = time.Duration(n) * 24 * time.Hour; !isDays {
		age, err = time.ParseDuration(o.olderThan)
	}
	if err != nil || age < 0 {
		return now, exit.Errorf(exit.Usage, "--older-than must be an age such as 12h or 30d, got %q", o.olderThan)
	}
	return now.Add(-age), nil
}

func namedSessions(ctx context.Context, d client.Client, words []string) ([]projections.Summary, error) {
	var out []projections.Summary
	for _, word := range words {
		s, err := client.Pick(ctx, d, word)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(out, func(o projections.Summary) bool { return o.Session == s.Session }) {
			out = append(out, s)
		}
	}
	return out, nil
}

func (o *removeOptions) oldSessions(ctx context.Context, d client.Client, before time.Time) ([]projections.Summary,
	error) {
	list, _, err := d.Sessions(ctx)
	if err != nil {
		return nil, exit.Errorf(exit.Failed, "%w", err)
	}
	var out []projections.Summary
	for _, s := range list[:max(0, len(list)-max(o.keep, 0))] { // the oldest first
		at := s.Opened
		if s.Closed != nil {
			at = *s.Closed
		}
		if !s.Starred && at.Before(before) && (s.Closed != nil || o.open) {
			out = append(out, s)
		}
	}
	return out, nil
}

// removeLine is the output of slop sessions rm --json.
type removeLine struct {
	Sessions []string `json:"sessions"`
	Removed  bool     `json:"removed"` // false if nothing was changed
	Events   uint64   `json:"events"`  // that are removed
	Blobs    int      `json:"blobs"`   // that are removed
	Bytes    uint64   `json:"bytes"`   // of the events and blobs
	Before   int64    `json:"disk_before"`
	After    int64    `json:"disk_after,omitempty"`
	Logs     int64    `json:"log_bytes,omitempty"` // of the log files that are removed
	// Worktrees are removed with the branches of their tickets.
	Worktrees []leftover `json:"worktrees,omitempty"`
}

func removeSessions(ctx context.Context, g *site.Flags, o removeOptions, pick func(context.Context,
	client.Client) ([]projections.Summary, error)) error {
	p, err := g.Place()
	if err != nil {
		return err
	}
	if g.Remote(p) {
		return exit.Errorf(exit.Usage, "cannot remove sessions of an external bus (--nats); run this without "+
			"--nats on the machine that has the store")
	}
	drop, err := pickRemoved(ctx, g, p, pick)
	if err != nil {
		return err
	}
	if len(drop) == 0 {
		g.Notice("no session matches; nothing was removed")
		return nil
	}
	if err := mayRemove(drop, o.open); err != nil {
		return err
	}
	rewrite := rewriteOf(g, p, drop)
	rewrite.Plan = true
	plan, err := rewrite.Do(ctx)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	line := removeLine{Sessions: idsOf(drop), Events: plan.Old - plan.New, Blobs: plan.Blobs, Bytes: plan.DroppedSize,
		Before: folderSize(filepath.Join(p.Data, "bus"))}
	if !o.keepLogs {
		line.Logs = logsSize(p, drop)
	}
	if line.Worktrees, err = worktreesOf(p, line.Sessions); err != nil {
		return err
	}
	if err := confirmRemoval(g, line, drop, o.yes); err != nil {
		return err
	}
	if err := carryOutRemoval(ctx, g, p, drop, o.keepLogs, rewrite); err != nil {
		return err
	}
	line.Removed, line.After = true, folderSize(filepath.Join(p.Data, "bus"))
	if g.JSON {
		return g.PrintLine(line)
	}
	g.Printf("removed %s; the store is now %s, down from %s\n", counted(len(drop), "session"), mebibytes(line.After),
		mebibytes(line.Before))
	return nil
}

// pickRemoved selects the sessions in the store, which no other process may use.
func pickRemoved(ctx context.Context, g *site.Flags, p site.Place, pick func(context.Context,
	client.Client) ([]projections.Summary, error)) ([]projections.Summary, error) {
	if !client.HasStore(p.Data) {
		return nil, exit.Errorf(exit.Failed, "%s holds no record", p.Data)
	}
	d, err := client.OpenBus(ctx, g, p)
	if errors.Is(err, bus.ErrLocked) {
		return nil, exit.Errorf(exit.Failed, "%w; stop it first: `slop hook shutdown`", err)
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if err := sweepWorktrees(ctx, g, p, d); err != nil {
		return nil, err
	}
	return pick(ctx, d)
}

// mayRemove rejects sessions that a user may want to resume.
func mayRemove(drop []projections.Summary, open bool) error {
	for _, s := range drop {
		if s.Closed == nil && !open {
			return exit.Errorf(exit.Failed, "session %s is not closed: close it with `slop sessions close %s`, or give --open",
				s.Session, s.Session)
		}
	}
	return nil
}

func rewriteOf(g *site.Flags, p site.Place, drop []projections.Summary) *bus.Rewrite {
	gone := idsOf(drop)
	return &bus.Rewrite{
		Config: bus.Config{Dir: p.Data, Durability: p.Config.Bus.Durability, MaxBytes: p.Config.Bus.MaxBytes,
			Serves: "slop sessions rm", People: []string{p.Person}, Agents: []string{site.AgentHooks}, Logger: g.Logger()},
		Keep: func(project, session string) bool { return project != p.Name || !slices.Contains(gone, session) },
	}
}

func confirmRemoval(g *site.Flags, line removeLine, drop []projections.Summary, yes bool) error {
	if !g.Quiet && !g.JSON {
		rows := [][]string{{"SESSION", "OPENED", "STATE", "GOAL"}}
		for _, s := range drop {
			rows = append(rows, []string{s.Session, term.Clock(s.Opened), sessionState(s),
				term.Visible(term.OneLine(term.OrDash(s.Goal)))})
		}
		term.PrintTable(g.Err, rows)
		fmt.Fprintf(g.Err, "to be removed: %s, %d events, %d large texts, %s of %s\n",
			counted(len(drop), "session"), line.Events, line.Blobs, mebibytes(int64(line.Bytes)), mebibytes(line.Before))
		if line.Logs > 0 {
			fmt.Fprintf(g.Err, "and log files of %s\n", mebibytes(line.Logs))
		}
		for _, tree := range line.Worktrees {
			if tree.Merged {
				fmt.Fprintf(g.Err, "and the worktree %s; its branch slop/%s stays\n", term.Visible(tree.Path), tree.Session)
			} else {
				fmt.Fprintf(g.Err, "and the worktree %s with WORK THAT WAS NOT MERGED, and its branch\n", term.Visible(tree.Path))
			}
		}
	}
	if yes {
		return nil
	}
	if !term.IsTerminal(g.In) {
		if g.JSON {
			if err := g.PrintLine(line); err != nil {
				return err
			}
		}
		return exit.Errorf(exit.Waiting, "nothing was changed; removing needs confirmation: pass --yes")
	}
	fmt.Fprint(g.Err, "Remove them for good? [y/N] ")
	answer, err := bufio.NewReader(g.In).ReadString('\n')
	if said := strings.ToLower(strings.TrimSpace(answer)); err != nil || said != "y" && said != "yes" {
		return exit.Errorf(exit.Failed, "nothing was changed")
	}
	return nil
}

// carryOutRemoval rewrites the store. The search index and the log files are removed first, because they can be
// rebuilt if the store stays as it was. Worktrees cannot be rebuilt, so they are removed last; after a kill in
// between, the next removal finds worktrees whose session is no longer in the record.
func carryOutRemoval(ctx context.Context, g *site.Flags, p site.Place, drop []projections.Summary, keepLogs bool,
	r *bus.Rewrite) error {
	index := filepath.Join(p.Data, "search")
	if err := os.RemoveAll(index); err != nil {
		return exit.Errorf(exit.Failed, "remove the search index: %w", err)
	}
	r.Plan = false
	r.Note = func(result bus.RewriteResult) *events.Event { return rewritten(p, result, drop) }
	if !g.Quiet && term.IsTerminal(g.Err) {
		r.Progress = func(done, all uint64) { fmt.Fprintf(g.Err, "\r%d of %d events", done, all) }
		defer fmt.Fprintln(g.Err)
	}
	if !keepLogs {
		if err := removeLogs(g, p, drop); err != nil {
			return err
		}
	}
	if _, err := r.Do(ctx); err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	return removeWorktrees(ctx, p, idsOf(drop))
}

// maxDropped limits the sessions that one StoreRewritten names.
const maxDropped = 1000

// rewritten returns the event that records a removal, in its own session.
func rewritten(p site.Place, result bus.RewriteResult, drop []projections.Summary) *events.Event {
	gone := idsOf(drop)
	e, err := events.New(events.Origin{ID: engine.NewID(), Time: time.Now(), Project: p.Name, Session: events.StoreSession,
		Actor: p.Person},
		events.StoreRewritten{Old: result.Old, New: result.New, Dropped: gone[:min(len(gone), maxDropped)], Count: len(gone)})
	if err != nil {
		return nil
	}
	return &e
}

func idsOf(list []projections.Summary) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = s.Session
	}
	return out
}

// folderSize adds up the sizes of a folder's readable files, for display only.
func folderSize(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
