package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/bus"
	"manualslop/cmd/slop/aggregation"
	"manualslop/cmd/slop/app/sessions"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
)

// chatOptions are the options of `slop chat`.
type chatOptions struct {
	runOptions
	text       string // the one turn; empty: a session of several
	discussion string
	answerer   events.TurnRequested // tier, persona and model
}

func chatCommand(g *site.Flags) *cobra.Command {
	var o chatOptions
	cmd := &cobra.Command{
		Use:   "chat [flags]",
		Short: "Chat with a model about the project",
		Long: `Chat opens a session and adds what you type to its discussion. The model gets the
current discussion, the tracked files and the injected context, and can use tools.
You are asked before calls that need approval, as in slop run.

With -p it runs one turn: the answer goes to standard output, everything else to
standard error, and the exit status shows the outcome. Without -p each line is a
turn. A terminal with colours shows rendered Markdown, one paragraph, list or code
block at a time. On a terminal you can edit lines, recall earlier ones and paste
several at once; Tab completes commands and paths. Ctrl-C stops a turn and keeps the session,
even at a question; at the prompt it clears the line, or exits if the line is empty.

  /help              the commands
  /model NAME        ask this model of the tier; without a name, the tier's own
  /persona NAME      ask as this persona; without a name, use none
  /tier N            ask the model of tier 1 to 4
  /add FILE[:VIEW]   put a file into the discussion: raw, skeleton, curated,
                     outline, summary or image
  /drop N            remove entry N from the discussion
  /context           what the next turn sends: its parts with their estimated
                     tokens and cost, and the numbers of the entries
  /retrieve on|off   show the model passages of project files that match a
                     message; see docs/providers.md
  /compact [N] [WORDS]  have the model summarise the discussion except its last N
                     entries (the last exchange), and continue in a take that begins
                     with the summary; WORDS say what to keep
  /diff              what the session has changed so far
  /undo              restore the files that the newest turn changed
  /undo context      undo your latest change to the discussions, the context or
                     the presets; models' answers stay
  /redo              redo what /undo context undid
  /take [N]          continue in a take that begins with the entries up to N
  /discussion NAME   continue in another discussion
  /goal TEXT         hand a goal to the tiers, with this discussion
  /track TEXT        hand a track to tier 2, which plans its tickets
  /ticket TEXT       hand a ticket to a worker
  /open TICKET       continue in a discussion that begins with the conversation
                     of a blocked ticket
  /give TICKET [NOTE] retry a blocked ticket, with this discussion
  /cost              what the session used
  /quit              exit; the session stays open

@FILE[:VIEW] in a message adds that file to the discussion first, at most 16 per
message; Tab completes the path.

The session stays open: slop chat --resume continues it, and slop sessions close
ends it.`,
		Example: `  slop chat
  slop chat -p "what does main.go do?"
  slop chat --resume`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("prompt") && strings.TrimSpace(o.text) == "" {
				return exit.Errorf(exit.Usage, "the text of -p is empty")
			}
			if o.answerer.Tier < 0 || o.answerer.Tier > 4 {
				return exit.Errorf(exit.Usage, "tier must be 1 to 4, got %d", o.answerer.Tier)
			}
			if err := site.CheckListenFlags(o.listen, o.nats); err != nil {
				return err
			}
			p, err := g.Place()
			if err != nil {
				return err
			}
			return runChat(cmd.Context(), g, p, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.text, "prompt", "p", "", "send `TEXT`, print the answer and exit")
	f.StringVar(&o.discussion, "discussion", "", "use the discussion `NAME`, created if it does not exist "+
		"(default: the active one)")
	f.IntVar(&o.answerer.Tier, "tier", 0, "ask the model of tier `N`; 0 is tier 3")
	f.StringVar(&o.answerer.Persona, "persona", "", "ask as the persona `NAME`")
	f.StringVar(&o.answerer.Model, "model", "", "ask the model `NAME` of the tier's provider")
	f.StringVar(&o.script, "script", "", "answer with the scripted model of `FILE` (JSON lines)")
	f.BoolVar(&o.yes, "yes", false, "approve tools, steps and starts of this session; rules that deny or ask still apply")
	f.BoolVar(&o.resume, "resume", false, "continue the newest open session")
	f.StringVar(&o.label, "label", "", "add `TEXT` to the name of the log folder")
	f.StringVar(&o.listen, "listen", "", "serve the Hook API on this loopback `ADDR`")
	f.StringVar(&o.nats, "nats-listen", "", "let other processes reach the bus on `ADDR`")
	return cmd
}

// runChat starts an engine, unless it uses an external bus, and runs the chat.
func runChat(ctx context.Context, g *site.Flags, p site.Place, o chatOptions) error {
	sc, err := readScript(o.script)
	if err != nil {
		return err
	}
	stops := newInterrupts(ctx)
	defer stops.end()
	e, err := engine.New(stops.ctx, g, p, o.nats, sc)
	if err != nil {
		return err
	}
	return closeAfter(g, e, chatOn(stops.ctx, g, e, p, o, stops.stop))
}

// chatOn runs the chat on an engine whose roles are not started yet.
func chatOn(ctx context.Context, g *site.Flags, e *engine.Engine, p site.Place, o chatOptions,
	stop <-chan struct{}) error {
	conn, err := openRoles(ctx, g, e, p, o.runOptions)
	if err != nil {
		return err
	}
	v, err := beginChat(e.Ctx, e, conn, o)
	if err != nil {
		return err
	}
	e.Stats.StartTasks.Finish()
	if err := sessions.TellOthers(ctx, g, conn, p.Name, v.Session); err != nil {
		return err
	}
	if !g.Remote(p) {
		remove, err := e.Register(v.Session)
		if err != nil {
			return err
		}
		defer remove()
	}
	c := newChat(g, v, o)
	c.folder, c.blobs, c.views = p.Project, conn, aggregation.Files(p, e.Mask)
	if !g.Remote(p) {
		c.asks.worksHere(p, e.Mask)
	}
	defer c.input.close()
	c.planReview = p.Config.MMA.PlanReview
	c.stalls, c.stop, c.view.Tell = e.Stalls, stop, notifier(g, p.Config.Notify)
	c.live = term.Pieces(e.Ctx, conn, v.Project, v.Session)
	err = c.run(e.Ctx)
	if cause := context.Cause(e.Ctx); err != nil && cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// beginChat opens the session, or finds the one to continue.
func beginChat(ctx context.Context, e *engine.Engine, conn *bus.Conn, o chatOptions) (engine.SessionWriter, error) {
	if o.resume {
		v, err := e.Newest(ctx, conn)
		if err == nil && e.Bus.Server == nil {
			err = publishRules(ctx, e, conn, v, o.yes)
		}
		return v, err
	}
	v, err := e.OpenSession(ctx, conn, o.label)
	if err == nil && o.yes {
		_, _, err = v.Publish(ctx, events.RuleAdded{Rule: site.YesRule()})
	}
	if err != nil {
		return v, fmt.Errorf("open a session: %w", err)
	}
	return v, nil
}
