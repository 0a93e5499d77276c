package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"manualslop/bus"
	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/hookgw/core"
)

func serveCommand(g *site.Flags) *cobra.Command {
	var listen, natsListen, scriptFile string
	var yes bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the engine and its gateway, waiting for goals",
		Long: `Serve runs every role and the Hook API in this process. It resumes the newest open
session, or opens one, and waits for goals, answers and control over HTTP, and over
the bus if --nats-listen is given.

When it is ready it prints its addresses: with --json one line
{"ready":true,"hooks":URL,"nats":URL or null,"tokens":DIR,"session":ID}. Otherwise it
prints a line for each ask and its answer, each goal and its end, and each end of a
session.`,
		Example: `  slop serve
  slop serve --json --listen 127.0.0.1:0 --nats-listen 127.0.0.1:4222`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := site.CheckListenFlags(listen, natsListen); err != nil {
				return err
			}
			p, err := g.Place()
			if err != nil {
				return err
			}
			return serve(cmd.Context(), g, p, runOptions{script: scriptFile, listen: listen, nats: natsListen, yes: yes})
		},
	}
	f := cmd.Flags()
	f.StringVar(&listen, "listen", "", "serve the Hook API on this loopback `ADDR` (default from [hooks] listen)")
	f.StringVar(&natsListen, "nats-listen", "", "let other processes reach the bus on `ADDR`")
	f.StringVar(&scriptFile, "script", "", "answer with the scripted model of `FILE`")
	f.BoolVar(&yes, "yes", false, "approve tools, steps and starts of a session that this command opens")
	return cmd
}

func serve(ctx context.Context, g *site.Flags, p site.Place, o runOptions) error {
	sc, err := readScript(o.script)
	if err != nil {
		return err
	}
	e, err := engine.New(ctx, g, p, o.nats, sc)
	if err != nil {
		return err
	}
	session, err := e.Serve(ctx, o.listen, o.yes)
	if err != nil {
		return errors.Join(err, e.Close())
	}
	if err := sayReady(g, e, session); err != nil {
		return errors.Join(err, e.Close())
	}
	e.Group.Go(func() error { sayNews(e.Ctx, g, e); return nil })
	e.Wait()
	return e.Close()
}

// sayReady prints the addresses of the engine.
func sayReady(g *site.Flags, e *engine.Engine, session string) error {
	<-e.Hooks.Ready()
	info := e.Info(session)
	if !g.JSON {
		tokens := info.Tokens
		if e.Config.Hooks.Auth == core.AuthNone {
			tokens = "none needed: every caller acts as you"
		}
		g.Printf("slop serves session %s of %s\n  console %s (slop console opens it)\n  hooks   %s\n  tokens  %s\n", session, e.Project,
			info.Hooks, info.Hooks, tokens)
		if info.NATS != "" {
			g.Printf("  bus     %s (credentials in %s)\n", info.NATS, info.Keys)
		}
		return nil
	}
	ready := struct {
		Ready   bool    `json:"ready"`
		Hooks   string  `json:"hooks"`
		NATS    *string `json:"nats"`
		Tokens  string  `json:"tokens"`
		Session string  `json:"session"`
	}{Ready: true, Hooks: info.Hooks, Tokens: info.Tokens, Session: session}
	if info.NATS != "" {
		ready.NATS = &info.NATS
	}
	b, err := json.Marshal(ready)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(g.Out, "%s\n", b)
	return err
}

// sayNews prints a line for each new ask, goal and end, and passes asks and ends to the user's notification program,
// until the engine stops or the log cannot be read.
func sayNews(ctx context.Context, g *site.Flags, e *engine.Engine) {
	registry := events.Catalogue()
	tells := &term.Progress{Tell: notifier(g, e.Config.Notify)}
	for ev, err := range news(ctx, e) {
		if err != nil {
			g.Logger().Warn("asks, goals and ends are no longer printed", "error", err)
			return
		}
		registry.Decode(&ev)
		switch p := ev.Payload.(type) {
		case events.AskRaised:
			tells.Notify(waitsForYou(p))
		case events.GoalCompleted:
			tells.Notify("done")
		case events.GoalFailed:
			tells.Notify("failed: " + p.Reason)
		}
		if line := newsLine(&ev); line != "" && !g.JSON {
			g.Printf("%s  %s  %s\n", ev.Time.Local().Format("15:04:05"), client.Tail(ev.Session, client.LeastShort),
				term.Printable(line))
		}
	}
}

// news yields the project's events from now on.
func news(ctx context.Context, e *engine.Engine) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		f := events.Filter{Project: e.Name}
		conn, err := e.Bus.As(ctx, bus.Role{Kind: bus.Reader})
		var last uint64
		if err == nil {
			last, err = conn.Last(ctx, f)
		}
		var feed iter.Seq2[events.Event, error]
		if err == nil {
			_, feed, err = conn.Watch(ctx, f, last+1)
		}
		if err != nil {
			yield(events.Event{}, err)
			return
		}
		feed(yield)
	}
}

// newsLine returns the line that slop serve prints for an event, or "" for most events.
func newsLine(e *events.Event) string {
	switch p := e.Payload.(type) {
	case events.SessionOpened:
		return "session " + e.Session + " is open"
	case events.SessionClosed:
		return "the session is closed: " + p.Reason
	case events.SessionStalled:
		return p.Decider + " is stalled: " + p.Reason
	case events.GoalSubmitted:
		return "goal of " + e.Actor + ": " + term.OneLine(p.Goal)
	case events.GoalCompleted:
		return "the goal is done"
	case events.GoalFailed:
		return "the goal is not done: " + term.OneLine(p.Reason)
	case events.AskRaised:
		return fmt.Sprintf("ask %s · %s · %s: slop ask show %s", p.Gate, term.OneLine(p.Title), term.OrDash(p.Ticket),
			client.Tail(p.Ask, client.LeastShort))
	case events.AskSettled:
		return fmt.Sprintf("ask %s: %s by %s", client.Tail(p.Ask, client.LeastShort), p.Outcome, p.By)
	}
	return ""
}
