package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/tiers/llm/script"
)

// runOptions are what `slop run` and `slop demo` may be told.
type runOptions struct {
	script string
	yes    bool
	detach bool
	wait   bool
	resume bool
	// upgrade takes over this program's prompts and decisions.
	upgrade bool
	label   string
	listen  string
	nats    string
}

func runCommand(g *globals) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run [flags] GOAL",
		Short: "Take a goal to done",
		Long: `Run opens a session, puts the goal on record and works on it until it is
reached or cannot go on. What needs a yes is asked here; it can just as well be
answered by slop ask answer, over HTTP, or by an event on the bus, whichever
comes first.

At a question type: y, n REASON, e to edit what is asked in $EDITOR, or
e {JSON} to answer yes with other arguments, s to see all of it.

Without a terminal a question that nobody answered ends the run with status 3;
--wait waits for an answer from elsewhere. The session stays: slop run --resume
goes on with it.`,
		Example: `  slop run "make the tests pass"
  slop run --yes --script replies.jsonl "try the script"
  slop run --resume`,
		Args: func(_ *cobra.Command, args []string) error {
			if o.resume != (len(args) == 0) {
				return errors.New("give one GOAL, or --resume without one")
			}
			if o.upgrade && !o.resume {
				return errors.New("--upgrade is for --resume; a new session has this program's decisions")
			}
			if !o.resume && strings.TrimSpace(strings.Join(args, " ")) == "" {
				return errors.New("the GOAL is empty")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkListenFlags(o.listen, o.nats); err != nil {
				return err
			}
			p, err := g.place()
			if err != nil {
				return err
			}
			if o.upgrade {
				if err := g.decidesHere(p); err != nil {
					return err
				}
			}
			if o.detach {
				return g.detach(cmd.Context(), p)
			}
			return g.run(cmd.Context(), p, o, strings.Join(args, " "))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.script, "script", "", "answer as the scripted model of `FILE` (JSON lines); with --nats give it here too where the models on that bus are scripted, as the session records its models")
	f.BoolVar(&o.yes, "yes", false, "say yes to tools, steps and starts of this session; rules that deny or ask stay")
	f.BoolVar(&o.detach, "detach", false, "go on in the background")
	f.BoolVar(&o.wait, "wait", false, "without a terminal, wait for answers from elsewhere")
	f.BoolVar(&o.resume, "resume", false, "go on with the newest open session")
	f.BoolVar(&o.upgrade, "upgrade", false, "with --resume: go on with the prompts and decisions of this program, as slop sessions upgrade does")
	f.StringVar(&o.label, "label", "", "put `TEXT` into the name of the log folder")
	f.StringVar(&o.listen, "listen", "", "serve the Hook API on this loopback `ADDR`")
	f.StringVar(&o.nats, "nats-listen", "", "let other processes reach the bus on `ADDR`")
	return cmd
}

// run starts an engine, unless it works on somebody else's bus, and takes the
// goal to its end.
func (g *globals) run(ctx context.Context, p place, o runOptions, goal string) error {
	sc, err := readScript(o.script)
	if err != nil {
		return err
	}
	e, err := g.newEngine(ctx, p, o.nats, sc)
	if err != nil {
		return err
	}
	e.oneGoal = true
	err = g.runOn(ctx, e, p, o, goal)
	ended := e.close()
	switch {
	case ended == nil || errors.Is(err, ended):
	case errors.Is(err, context.Canceled): // because a role ended
		return ended
	default:
		g.logger().Error("the engine did not end well", "error", ended)
	}
	return err
}

// runOn takes the goal to its end on an engine without roles yet.
func (g *globals) runOn(ctx context.Context, e *engine, p place, o runOptions, goal string) error {
	conn, err := e.bus.as(e.ctx, bus.Role{Kind: bus.Person, Name: p.person})
	if err != nil {
		return err
	}
	if !g.remote(p) {
		if err := e.openModels(); err != nil {
			return err
		}
		if err := e.holdToRules(conn, o.resume && o.yes); err != nil {
			return err
		}
		if err := e.all(ctx, hooksAt(p, o.listen), o.listen == ""); err != nil {
			return err
		}
	}
	var v voice
	var goalID string
	err = e.vitals.startup.do("session", func() error { v, goalID, err = e.begin(e.ctx, conn, o, goal); return err })
	if err != nil {
		return err
	}
	if o.resume && !g.remote(p) {
		if err := g.upgradeOrOffer(ctx, conn, v, o.upgrade); err != nil {
			return err
		}
	}
	e.vitals.startup.finish()
	g.session = v.session
	if err := g.tellOthers(ctx, conn, p.name, v.session); err != nil {
		return err
	}
	if !g.remote(p) {
		remove, err := e.register(v.session)
		if err != nil {
			return err
		}
		defer remove()
	}
	return g.follow(e, conn, v, goalID, o)
}

// begin opens the session and puts the goal on record, or finds the session to
// go on with.
func (e *engine) begin(ctx context.Context, conn *bus.Conn, o runOptions, goal string) (voice, string, error) {
	var v voice
	var id string
	var err error
	if o.resume {
		v, id, err = e.resume(ctx, conn)
	} else {
		v, err = e.openSession(ctx, conn, o.label)
	}
	if err == nil && o.yes && !o.resume {
		_, _, err = v.say(ctx, events.RuleAdded{Rule: yesRule()})
	}
	if err == nil && o.resume && e.bus.server == nil {
		_, _, err = v.say(ctx, events.RulesReplaced{Rules: e.rules(o.yes)})
	}
	if err == nil && !o.resume {
		_, id, err = v.say(ctx, events.GoalSubmitted{Goal: goal})
	}
	return v, id, err
}

// yesRule is what --yes puts on record.
func yesRule() events.Rule {
	return events.Rule{Tool: "*", Action: "allow", Scope: "session", Source: "--yes"}
}

// resume finds the newest open session and its newest goal.
func (e *engine) resume(ctx context.Context, conn *bus.Conn) (voice, string, error) {
	session, err := e.newestOpen(ctx, conn)
	if err != nil {
		return voice{}, "", err
	}
	v := voice{log: conn, project: e.name, session: session, person: e.person, mask: e.mask}
	goal := ""
	for ev, err := range conn.Read(ctx, events.Filter{Project: e.name, Session: session, Type: "GoalSubmitted"}, 1, 0) {
		if err != nil {
			return v, "", err
		}
		goal = ev.ID
	}
	if goal == "" {
		return v, "", failed(exitFailed, "session %s has no goal to go on with", session)
	}
	return v, goal, nil
}

// errNoOpenSession says that no session is open.
var errNoOpenSession = errors.New("there is no open session")

// newestOpen is the session that was opened last and not closed.
func (e *engine) newestOpen(ctx context.Context, log events.Log) (string, error) {
	open, err := e.openSessions(ctx, log)
	if err != nil {
		return "", err
	}
	if len(open) == 0 {
		return "", &exitError{code: exitFailed, err: fmt.Errorf("%w of project %s", errNoOpenSession, e.name)}
	}
	return open[len(open)-1], nil
}

// openSessions are the sessions that were opened and not closed, oldest first,
// as the read models know them where this process keeps some.
func (e *engine) openSessions(ctx context.Context, log events.Log) ([]string, error) {
	if e.live == nil {
		return openSessions(ctx, log, e.name)
	}
	var open []string
	for _, s := range e.live.Sessions() {
		if !s.Opened.IsZero() && s.Closed == nil {
			open = append(open, s.Session)
		}
	}
	return open, nil
}

// openSessions are the sessions that were opened and not closed, oldest first.
func openSessions(ctx context.Context, log events.Log, project string) ([]string, error) {
	var open []string
	for _, typ := range []string{"SessionOpened", "SessionClosed"} {
		for e, err := range log.Read(ctx, events.Filter{Project: project, Type: typ}, 1, 0) {
			switch {
			case err != nil:
				return nil, err
			case typ == "SessionOpened":
				open = append(open, e.Session)
			case events.Closes(e):
				open = without(open, e.Session)
			}
		}
	}
	return open, nil
}

func without(list []string, s string) []string {
	out := list[:0:0]
	for _, x := range list {
		if x != s {
			out = append(out, x)
		}
	}
	return out
}

// readScript reads the scripted model's lines; no file is no script.
func readScript(file string) (*script.Script, error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, failed(exitUsage, "--script: %w", err)
	}
	defer f.Close()
	s, err := script.Parse(f)
	if err != nil {
		return nil, failed(exitUsage, "--script %s: %w", file, err)
	}
	return s, nil
}

// errStopped says that a person had the engine stopped before the goal was reached.
var errStopped = errors.New("stopped on request")

// follow shows what happens and asks what must be asked until the goal ends.
func (g *globals) follow(e *engine, conn *bus.Conn, v voice, goal string, o runOptions) error {
	c := newConsole(g, v, goal, o)
	c.stalls = e.stalls
	if c.view.status {
		c.live = pieces(e.ctx, conn, v.project, v.session)
	}
	outcome, err := c.run(e.ctx)
	if cause := context.Cause(e.ctx); err != nil && cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	if err != nil && e.vitals.asked.Load() {
		g.notice("stopped on request; slop run --resume goes on with session %s", v.session)
		return &exitError{code: exitDone, err: errStopped, silent: true}
	}
	if err != nil {
		return err
	}
	if outcome.waiting != "" {
		fmt.Fprintf(g.err, "slop: waiting for a person: %s\nanswer it with `slop run --resume`, or start `slop serve` and use `slop ask answer`\n", printable(outcome.waiting))
		return &exitError{code: exitWaiting, err: errors.New(outcome.waiting), silent: true}
	}
	if outcome.stalled != "" {
		return failed(exitFailed, "session %s is stalled: %s\nnothing is lost; `slop run --resume` goes on with a program that knows how", v.session, printable(outcome.stalled))
	}
	if outcome.closed == "" {
		if _, _, err := v.say(context.WithoutCancel(e.ctx), events.SessionClosed{Reason: outcome.word()}); err != nil {
			return err
		}
	}
	e.rest(v.session)
	if err := e.finishLogs(v.session); err != nil {
		g.notice("the session's log files are not whole: %v", err)
	}
	if err := e.tidyWorktrees(context.WithoutCancel(e.ctx), v.session); err != nil {
		g.notice("a worktree stays: %v", err)
	}
	if outcome.closed != "" && !outcome.done {
		return failed(exitFailed, "session %s was closed before the goal was reached: %s", v.session, printable(outcome.closed))
	}
	if outcome.failed != "" {
		return failed(exitFailed, "the goal was not reached: %s", printable(outcome.failed))
	}
	return nil
}
