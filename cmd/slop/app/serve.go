package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/site"
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
{"ready":true,"hooks":URL,"nats":URL or null,"tokens":DIR,"session":ID}.`,
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
			tokens = "none needed: every caller acts as the person"
		}
		g.Printf("slop serves session %s of %s\n  hooks   %s\n  tokens  %s\n", session, e.Project, info.Hooks, tokens)
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
