package sessions

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"manualslop/bus"
	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/events"
	"manualslop/projections"
)

func sessionUpgradeCommand(g *site.Flags) *cobra.Command {
	return &cobra.Command{
		Use:   "upgrade [ID]",
		Short: "Switch a session to newer prompts and decisions",
		Long: `Upgrade switches an open session to the prompts, tool descriptions and decision
rules of the program that works on it, from the next request on. Without it a
session keeps those that it was opened with, whatever version of slop resumes it.
Earlier decisions stay as they are and are verified by the rules that made them. The
first request after an upgrade is not in a provider's cache.

If an engine is running, it upgrades the session to its own version; otherwise this
program does. Over --nats the command is refused: other processes decide there, and
their version is not known here. Run it on the machine of their gateway instead.

Without an ID it is the current session. A session that was upgraded by a newer slop
is refused with the version that it needs.`,
		Example:           `  slop sessions upgrade 7QK2M4`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: command.CompleteSession(g, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := g.Place()
			if err != nil {
				return err
			}
			if err := DecidesHere(g, p); err != nil {
				return err
			}
			return client.WithSession(cmd.Context(), g, append(args, "")[0], func(d client.Client, s projections.Summary) error {
				if err := stillOpen(s); err != nil {
					return err
				}
				changed, err := upgradeAt(cmd.Context(), d, s.Session)
				if err != nil {
					return exit.Errorf(exit.Failed, "%w", err)
				}
				if g.JSON {
					return g.PrintLine(map[string]any{"status": "ok", "changed": changed})
				}
				if !changed {
					g.Printf("session %s already uses these prompts and decisions\n", s.Session)
					return nil
				}
				g.Printf("session %s now uses this program's prompts and decisions\n", s.Session)
				return nil
			})
		},
	}
}

// DecidesHere rejects an upgrade over a bus, where other processes decide: a session with this program's decisions
// would stall in older processes.
func DecidesHere(g *site.Flags, p site.Place) error {
	if !g.Remote(p) {
		return nil
	}
	return exit.Errorf(exit.Usage, "upgrade: other processes decide on this bus, and their version is not known here; "+
		"run \"slop sessions upgrade\" on the machine of their gateway, without --nats")
}

// upgradeAt upgrades a session through the client: the engine does it, or this program.
func upgradeAt(ctx context.Context, d client.Client, session string) (changed bool, err error) {
	switch d := d.(type) {
	case *client.HTTP:
		var out struct{ Changed bool }
		_, err := d.Person.Call(ctx, http.MethodPost, "/api/sessions/upgrade", url.Values{"session": {session}}, struct{}{},
			&out)
		return out.Changed, err
	case *client.Bus:
		if err := d.AsPerson(ctx); err != nil {
			return false, err
		}
		v := engine.SessionWriter{Log: d.Person, Project: d.Place.Name, Session: session, Person: d.Place.Person,
			Mask: d.Mask}
		return upgrade(ctx, d.Place, v, d.Person)
	}
	return false, fmt.Errorf("cannot upgrade a session through this client (%T)", d)
}

// upgrade switches a session to this program's prompts and decisions, and reports whether that changed anything.
func upgrade(ctx context.Context, p site.Place, v engine.SessionWriter, at engine.Store) (changed bool, err error) {
	now, err := basisOf(ctx, at, v.Project, v.Session)
	if err != nil {
		return false, err
	}
	words, err := engine.UpgradeWords(ctx, at, p, v.Session, now)
	for _, w := range words {
		if err == nil {
			_, _, err = v.Publish(ctx, w)
		}
	}
	return len(words) > 0, err
}

// basisOf returns the prompts and decision rules of a session, without its other settings.
func basisOf(ctx context.Context, log events.Log, project, session string) (projections.Settings, error) {
	var out projections.Settings
	for _, p := range []events.Payload{events.SessionOpened{}, events.DecisionsUpgraded{}, events.ToolsOffered{}} {
		for e, err := range log.Read(ctx, events.Filter{Project: project, Session: session, Type: p.EventType().Name}, 1, 0) {
			if err != nil {
				return out, fmt.Errorf("read the session's prompts and decision rules: %w", err)
			}
			events.Catalogue().Decode(&e)
			out.Basis, _ = out.Basis.Changed(e.Payload)
			if offered, ok := e.Payload.(events.ToolsOffered); ok {
				out.Tools = offered.Tools
			}
		}
	}
	return out, nil
}

// UpgradeOrOffer upgrades a resumed session if upgrade is set, and otherwise prints that it could be upgraded.
func UpgradeOrOffer(ctx context.Context, g *site.Flags, conn *bus.Conn, v engine.SessionWriter, wanted bool) error {
	p, err := g.Place()
	if err != nil {
		return err
	}
	if wanted {
		changed, err := upgrade(ctx, p, v, conn)
		if changed && err == nil {
			g.Notice("session %s now uses newer prompts and decisions", v.Session)
		}
		return err
	}
	now, err := basisOf(ctx, conn, v.Project, v.Session)
	if err != nil {
		return err
	}
	words, err := engine.UpgradeWords(ctx, conn, p, v.Session, now)
	if errors.Is(err, events.ErrNewer) {
		return nil // its deciders report that
	}
	if len(words) > 0 {
		g.Notice("session %s keeps the prompts and decisions of the slop version that opened it; "+
			"switch with `slop sessions upgrade %s`, or "+
			"with --resume --upgrade", v.Session, v.Session)
	}
	return err
}
