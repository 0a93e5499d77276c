package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/bus"
	"manualslop/cmd/slop/app/sessions"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/events/policy/commands"
	"manualslop/tiers/llm/script"
)

// runOptions are the options of `slop run` and `slop demo`.
type runOptions struct {
	script string
	yes    bool
	detach bool
	wait   bool
	resume bool
	team   bool // tiers 1 to 3 work, so that all of them need a key
	solo   bool // one ticket without a plan
	plan   bool // the plan waits for approval
	// upgrade switches to this program's prompts and decisions.
	upgrade bool
	label   string
	listen  string
	nats    string
}

// command returns the line that starts another command on the project, the data folder and the models of this run.
func (o runOptions) command(g *site.Flags, name string) string {
	out := "slop" + g.Where() + " " + name
	if o.script != "" {
		out += " --script " + commands.Quote(o.script)
	}
	return out
}

// unanswered prints how to continue after a command that ended at a question, and returns its error.
func (o runOptions) unanswered(g *site.Flags, question, resume string) error {
	term.PrintLines(g.Err, fmt.Sprintf("slop: waiting for your answer: %s\nanswer it with `%s`, or start `%s` and use `slop%s "+
		"ask answer`\n", term.Printable(question), o.command(g, resume), o.command(g, "serve"), g.Where()))
	return &exit.Error{Code: exit.Waiting, Err: errors.New(question), Silent: true}
}

func runCommand(g *site.Flags) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run [flags] GOAL",
		Short: "Work on a goal until it is done",
		Long: `Run opens a session, records the goal and works on it until it is reached or no
further progress is possible. You are asked here before calls that need approval; you
can also answer with slop ask answer, over HTTP, or with an event on the bus. The
first answer counts.

At a question type y; a to answer such questions from now on; n REASON; e to edit the
text of a script or a write in $EDITOR; e json to edit all arguments there; e {JSON}
to approve it with other arguments; or s to see all of it. The diff that edited
arguments would make is shown before they are sent.

With --plan, or plan_review in the section [mma] of the configuration, the tickets of each track wait for your
approval: e edits them as text, e json as JSON, n REASON asks for another plan, n alone gives up the track.

The last lines show which files changed, how commands and tests ended, how long it
took and what to do next.

Without a terminal an unanswered question ends the run with status 3; --wait waits
for an answer from elsewhere. The session stays open: slop run --resume continues
it.`,
		Example: `  slop run "make the tests pass"
  slop run --yes --script replies.jsonl "try the script"
  slop run --solo "rename parse to read in a.py"
  slop run --plan "support YAML"
  slop run --resume`,
		Args: func(_ *cobra.Command, args []string) error {
			if o.resume != (len(args) == 0) {
				return errors.New("give one GOAL, or --resume without one")
			}
			if o.plan && (o.solo || o.resume) {
				return errors.New("--plan needs a new GOAL and cannot be combined with --solo or --resume")
			}
			if o.solo && o.resume {
				return errors.New("--solo needs a new GOAL and cannot be combined with --resume")
			}
			if o.upgrade && !o.resume {
				return errors.New("--upgrade needs --resume; a new session already uses this program's decisions")
			}
			if !o.resume && strings.TrimSpace(strings.Join(args, " ")) == "" {
				return errors.New("GOAL must not be empty")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := site.CheckListenFlags(o.listen, o.nats); err != nil {
				return err
			}
			p, err := g.Place()
			if err != nil {
				return err
			}
			if o.upgrade {
				if err := sessions.DecidesHere(g, p); err != nil {
					return err
				}
			}
			if o.detach {
				return detach(cmd, g, p, args)
			}
			_, err = runGoal(cmd.Context(), g, p, o, strings.Join(args, " "))
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.script, "script", "", "answer with the scripted model of `FILE` (JSON lines); "+
		"with --nats also give it if the models on that bus are scripted, because the session records its models")
	f.BoolVar(&o.yes, "yes", false, "approve tools, steps and starts of this session; rules that deny or ask still apply")
	f.BoolVar(&o.detach, "detach", false, "run in the background")
	f.BoolVar(&o.wait, "wait", false, "without a terminal, wait for answers from elsewhere")
	f.BoolVar(&o.resume, "resume", false, "resume the newest open session")
	f.BoolVar(&o.solo, "solo", false, "carry out the goal with one ticket, without a plan: for a small job")
	f.BoolVar(&o.plan, "plan", false, "ask you to approve the tickets of each track before work on them begins")
	f.BoolVar(&o.upgrade, "upgrade", false, "with --resume: switch to the prompts and decisions of this program, as "+
		"slop sessions upgrade does")
	f.StringVar(&o.label, "label", "", "add `TEXT` to the name of the log folder")
	f.StringVar(&o.listen, "listen", "", "serve the Hook API on this loopback `ADDR`")
	f.StringVar(&o.nats, "nats-listen", "", "let other processes reach the bus on `ADDR`")
	return cmd
}

// runGoal starts an engine, unless it uses an external bus, and pursues the goal to its end. It returns the session,
// if one was opened.
func runGoal(ctx context.Context, g *site.Flags, p site.Place, o runOptions, goal string) (session string, err error) {
	sc, err := readScript(o.script)
	if err != nil {
		return "", err
	}
	e, err := engine.New(ctx, g, p, o.nats, sc)
	if err != nil {
		return "", err
	}
	e.OneGoal, o.team = true, true
	session, err = runOn(ctx, g, e, p, o, goal)
	return session, closeAfter(g, e, err)
}

// closeAfter closes an engine whose work ended with err, and returns the joint error.
func closeAfter(g *site.Flags, e *engine.Engine, err error) error {
	ended := e.Close()
	switch {
	case ended == nil || errors.Is(err, ended):
	case errors.Is(err, context.Canceled): // because a role ended
		return ended
	default:
		g.Logger().Error("the engine did not stop cleanly", "error", ended)
	}
	return err
}

// runOn pursues the goal to its end on an engine whose roles have not started yet.
func runOn(ctx context.Context, g *site.Flags, e *engine.Engine, p site.Place, o runOptions,
	goal string) (session string, err error) {
	conn, err := openRoles(ctx, g, e, p, o)
	if err != nil {
		return "", err
	}
	var v engine.SessionWriter
	var goalID string
	err = e.Stats.StartTasks.Do("session", func() error { v, goalID, err = begin(e.Ctx, e, conn, o, goal); return err })
	if err != nil {
		return "", err
	}
	e.Stats.StartTasks.Finish()
	if err := sessions.TellOthers(ctx, g, conn, p.Name, v.Session); err != nil {
		return v.Session, err
	}
	if !g.Remote(p) {
		remove, err := e.Register(v.Session)
		if err != nil {
			return v.Session, err
		}
		defer remove()
	}
	return v.Session, follow(g, e, conn, v, goalID, o)
}

// openRoles connects the user and, on a bus of our own, starts every role.
func openRoles(ctx context.Context, g *site.Flags, e *engine.Engine, p site.Place, o runOptions) (*bus.Conn, error) {
	conn, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Person, Name: p.Person})
	if err != nil || g.Remote(p) {
		return conn, err
	}
	if err := e.OpenModels(); err != nil {
		return nil, err
	}
	var v engine.SessionWriter
	if o.resume {
		if v, err = e.Newest(ctx, conn); err != nil {
			return nil, err
		}
	}
	if err := p.Config.MissingKey(); err != nil && o.team && o.script == "" { // a session without models is of no use
		return nil, exit.Errorf(exit.Usage, "%w", err)
	}
	if o.resume { // before the rules, which may let a call run whose result the next request carries
		if err := sessions.UpgradeOrOffer(ctx, g, conn, v, o.upgrade); err != nil {
			return nil, err
		}
	}
	if err := e.HoldToRules(conn, o.resume && o.yes); err != nil {
		return nil, err
	}
	return conn, e.All(ctx, engine.HooksAt(p, o.listen), o.listen == "")
}

// begin opens the session and records the goal, or finds the session to resume.
func begin(ctx context.Context, e *engine.Engine, conn *bus.Conn, o runOptions, goal string) (engine.SessionWriter,
	string, error) {
	var v engine.SessionWriter
	var id string
	var err error
	if o.resume {
		v, id, err = e.Resume(ctx, conn)
	} else {
		v, err = e.OpenSession(ctx, conn, o.label)
	}
	if err == nil && o.yes && !o.resume {
		_, _, err = v.Publish(ctx, events.RuleAdded{Rule: site.YesRule()})
	}
	if err == nil && o.resume && e.Bus.Server == nil {
		err = publishRules(ctx, e, conn, v, o.yes)
	}
	if err == nil && !o.resume {
		_, id, err = v.Publish(ctx, events.GoalSubmitted{Goal: goal, Solo: o.solo,
			Plan: !o.solo && (o.plan || e.Config.MMA.PlanReview)})
	}
	return v, id, err
}

// publishRules records the current rules in a session that is resumed.
func publishRules(ctx context.Context, e *engine.Engine, conn *bus.Conn, v engine.SessionWriter, yes bool) error {
	now, err := e.RulesNow(conn, v.Session, yes)
	if err != nil {
		return err
	}
	_, _, err = v.Publish(ctx, now)
	return err
}

// readScript reads the lines of the scripted model, or returns nil without a file.
func readScript(file string) (*script.Script, error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "--script: %w", err)
	}
	defer f.Close()
	s, err := script.Parse(f)
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "--script %s: %w", file, err)
	}
	return s, nil
}

// errStopped means that a user stopped the engine before the goal was reached.
var errStopped = errors.New("stopped on request")

// follow shows the progress and asks the user until the goal ends.
func follow(g *site.Flags, e *engine.Engine, conn *bus.Conn, v engine.SessionWriter, goal string, o runOptions) error {
	c := newConsole(g, v, goal, o)
	c.stalls, c.view.Tell = e.Stalls, notifier(g, e.Config.Notify)
	if !g.Remote(e.Place) {
		c.asks.worksHere(e.Place, e.Mask)
	}
	if c.view.Status {
		if e.Hooks != nil {
			g.Notice("console %s (slop console opens it)", e.Hooks.URL())
		}
		c.live = term.Pieces(e.Ctx, conn, v.Project, v.Session)
	}
	outcome, err := c.run(e.Ctx)
	if cause := context.Cause(e.Ctx); err != nil && cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	if err != nil && e.Stats.Asked.Load() {
		g.Notice("stopped on request; `%s` resumes session %s", o.command(g, "run --resume"), v.Session)
		return &exit.Error{Code: exit.Done, Err: errStopped, Silent: true}
	}
	if err != nil {
		return err
	}
	if outcome.done || outcome.failed != "" {
		c.view.Notify(outcome.word())
	}
	if outcome.waiting != "" {
		return o.unanswered(g, outcome.waiting, "run --resume")
	}
	if outcome.stalled != "" {
		return exit.Errorf(exit.Failed, "session %s is stalled: %s\nnothing is lost; update slop, then resume with `%s`",
			v.Session, term.Printable(outcome.stalled), o.command(g, "run --resume"))
	}
	if outcome.closed == "" {
		if _, _, err := v.Publish(context.WithoutCancel(e.Ctx), events.SessionClosed{Reason: outcome.word()}); err != nil {
			return err
		}
	}
	e.Rest(v.Session)
	if err := e.FinishLogs(v.Session); err != nil {
		g.Notice("the session's log files are incomplete: %v", err)
	}
	if err := e.TidyWorktrees(context.WithoutCancel(e.Ctx), v.Session); err != nil {
		g.Notice("a worktree could not be removed: %v", err)
	}
	if !g.JSON && !g.Quiet {
		c.end.print(context.WithoutCancel(e.Ctx), g, conn)
	}
	if outcome.closed != "" && !outcome.done {
		return exit.Errorf(exit.Failed, "session %s was closed before the goal was reached: %s", v.Session,
			term.Printable(outcome.closed))
	}
	if outcome.failed != "" {
		return exit.Errorf(exit.Failed, "the goal was not reached: %s", term.Printable(outcome.failed))
	}
	return nil
}
