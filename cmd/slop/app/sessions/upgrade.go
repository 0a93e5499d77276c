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
		Short: "Let a session go on with newer prompts and decisions",
		Long: `Upgrade lets an open session go on with the texts of prompts, the descriptions of
tools and the ways to decide of the program that works on it, from the next
request on. Until then a session keeps those that it was opened with, whatever
version of slop goes on with it; what was decided stays as it is, and is verified
as it was decided. The first request after it is not in a provider's cache.

Where an engine runs it gives the session its own; otherwise this program does.
Over --nats it is refused: other processes decide there, and their version is not
known here. Run it beside their gateway instead.

Without an ID it is the current session. A session that a newer slop has
upgraded is refused with the version that it needs.`,
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
				g.Printf("session %s goes on with newer prompts and decisions\n", s.Session)
				return nil
			})
		},
	}
}

// DecidesHere refuses an upgrade over a bus, where other processes decide: a
// session that got this program's decisions would stall in older ones.
func DecidesHere(g *site.Flags, p site.Place) error {
	if !g.Remote(p) {
		return nil
	}
	return exit.Errorf(exit.Usage, "upgrade: other processes decide on this bus, and their version is not known here; "+
		"run \"slop sessions upgrade\" beside their gateway, without --nats")
}

// upgradeAt upgrades a session where the client reaches it: by the engine that runs,
// or by this program.
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
	return false, fmt.Errorf("no way to upgrade a session from here (%T)", d)
}

// upgrade gives a session what this program decides by, and tells
// whether that is anything new.
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

// basisOf is what a session decides by, of its settings only that.
func basisOf(ctx context.Context, log events.Log, project, session string) (projections.Settings, error) {
	var out projections.Settings
	for _, p := range []events.Payload{events.SessionOpened{}, events.DecisionsUpgraded{}, events.ToolsOffered{}} {
		for e, err := range log.Read(ctx, events.Filter{Project: project, Session: session, Type: p.EventType().Name}, 1, 0) {
			if err != nil {
				return out, fmt.Errorf("read what the session decides by: %w", err)
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

// UpgradeOrOffer upgrades the session that a run goes on with, where that is
// wanted, and otherwise says that it could be.
func UpgradeOrOffer(ctx context.Context, g *site.Flags, conn *bus.Conn, v engine.SessionWriter, wanted bool) error {
	p, err := g.Place()
	if err != nil {
		return err
	}
	if wanted {
		changed, err := upgrade(ctx, p, v, conn)
		if changed && err == nil {
			g.Notice("session %s goes on with newer prompts and decisions", v.Session)
		}
		return err
	}
	now, err := basisOf(ctx, conn, v.Project, v.Session)
	if err != nil {
		return err
	}
	words, err := engine.UpgradeWords(ctx, conn, p, v.Session, now)
	if errors.Is(err, events.ErrNewer) {
		return nil // its deciders say so
	}
	if len(words) > 0 {
		g.Notice("session %s keeps the prompts and decisions of the slop that opened it; `slop sessions upgrade %s`, or "+
			"--upgrade beside --resume, takes over those of this one", v.Session, v.Session)
	}
	return err
}
