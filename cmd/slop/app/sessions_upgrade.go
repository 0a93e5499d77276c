package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"

	"github.com/spf13/cobra"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/projections"
	"manualslop/tiers"
	"manualslop/tools"
)

func sessionUpgradeCommand(g *globals) *cobra.Command {
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
		ValidArgsFunction: g.completeSession(cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := g.place()
			if err != nil {
				return err
			}
			if err := g.decidesHere(p); err != nil {
				return err
			}
			return g.withPicked(cmd.Context(), append(args, "")[0], func(d desk, s projections.Summary) error {
				if err := stillOpen(s); err != nil {
					return err
				}
				changed, err := upgradeAt(cmd.Context(), d, s.Session)
				if err != nil {
					return failed(exitFailed, "%w", err)
				}
				if g.json {
					return g.printLine(map[string]any{"status": "ok", "changed": changed})
				}
				if !changed {
					g.printf("session %s has these prompts and decisions already\n", s.Session)
					return nil
				}
				g.printf("session %s goes on with newer prompts and decisions\n", s.Session)
				return nil
			})
		},
	}
}

// decidesHere refuses an upgrade over a bus, where other processes decide: a
// session that got this program's decisions would stall in older ones.
func (g *globals) decidesHere(p place) error {
	if !g.remote(p) {
		return nil
	}
	return failed(exitUsage, "upgrade: other processes decide on this bus, and their version is not known here; "+
		"run \"slop sessions upgrade\" beside their gateway, without --nats")
}

// upgradeAt upgrades a session where a desk reaches it: by the engine that runs,
// or by this program.
func upgradeAt(ctx context.Context, d desk, session string) (changed bool, err error) {
	switch d := d.(type) {
	case *apiDesk:
		var out struct{ Changed bool }
		_, err := d.person.Call(ctx, http.MethodPost, "/api/sessions/upgrade", url.Values{"session": {session}}, struct{}{}, &out)
		return out.Changed, err
	case *busDesk:
		if err := d.asPerson(ctx); err != nil {
			return false, err
		}
		v := voice{log: d.person, project: d.place.name, session: session, person: d.place.person, mask: d.mask}
		return v.upgrade(ctx, d.person)
	}
	return false, fmt.Errorf("no way to upgrade a session from here (%T)", d)
}

// upgrade gives the voice's session what this program decides by, and tells
// whether that is anything new.
func (v voice) upgrade(ctx context.Context, at store) (changed bool, err error) {
	now, err := basisOf(ctx, at, v.project, v.session)
	if err != nil {
		return false, err
	}
	words, err := upgradeWords(ctx, at, v.session, now)
	for _, w := range words {
		if err == nil {
			_, _, err = v.say(ctx, w)
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

// upgradeWords are what a person says to give a session what this program
// decides by; none where it has that. events.ErrNewer where it has something newer.
func upgradeWords(ctx context.Context, blobs events.Blobs, session string, now projections.Settings) ([]events.Payload, error) {
	if err := tiers.KnowsBasis(session, now.Basis); err != nil {
		return nil, err
	}
	var out []events.Payload
	if offered := offers(tools.Builtin()); !sameJSON(offered.Tools, now.Tools) {
		out = append(out, offered)
	}
	next, err := recordBasis(ctx, blobs)
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(next.Texts, now.Basis.Texts) || !sameNumbers(next, now.Basis) {
		out = append(out, events.DecisionsUpgraded{Basis: next})
	}
	return out, nil
}

// sameNumbers tells whether every decider of ours decides alike in both.
func sameNumbers(a, b events.Basis) bool {
	for _, decider := range events.Deciders() {
		if a.Decision(decider) != b.Decision(decider) {
			return false
		}
	}
	return true
}

func sameJSON(a, b any) bool {
	one, err := json.Marshal(a)
	other, err2 := json.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(one, other)
}

// upgradeOrOffer upgrades the session that a run goes on with, where that is
// wanted, and otherwise says that it could be.
func (g *globals) upgradeOrOffer(ctx context.Context, conn *bus.Conn, v voice, wanted bool) error {
	if wanted {
		changed, err := v.upgrade(ctx, conn)
		if changed && err == nil {
			g.notice("session %s goes on with newer prompts and decisions", v.session)
		}
		return err
	}
	now, err := basisOf(ctx, conn, v.project, v.session)
	if err != nil {
		return err
	}
	words, err := upgradeWords(ctx, conn, v.session, now)
	if errors.Is(err, events.ErrNewer) {
		return nil // its deciders say so
	}
	if len(words) > 0 {
		g.notice("session %s keeps the prompts and decisions of the slop that opened it; `slop sessions upgrade %s`, or --upgrade beside --resume, takes over those of this one", v.session, v.session)
	}
	return err
}
