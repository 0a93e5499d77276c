package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
)

func busCommand(g *site.Flags) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "bus",
		Short: "Run only the bus: the log and its server",
		Long: `Bus opens the log of the project and lets the other roles reach it. It writes their
credentials into <data>/keys, one file per role, readable by you only.

With --json it prints one line when it is ready:
{"ready":true,"nats":URL,"keys":DIR}.`,
		Example: `  slop bus --nats-listen 127.0.0.1:4222
  slop worker --nats nats://127.0.0.1:4222 --creds .slop/keys/worker.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := site.CheckListenFlags("", listen); err != nil {
				return err
			}
			return runRole(cmd.Context(), g, listen, "", func(e *engine.Engine) error {
				if e.Bus.Server == nil {
					return exit.Errorf(exit.Usage, "slop bus starts its own bus; remove --nats and --context")
				}
				if err := errors.Join(e.WriteKeys(), e.MeasureBus()); err != nil {
					return err
				}
				return printReady(g, map[string]any{"ready": true, "nats": e.Bus.Server.URL(), "keys": e.KeysDir()},
					fmt.Sprintf("bus at %s, credentials in %s", e.Bus.Server.URL(), e.KeysDir()))
			})
		},
	}
	cmd.Flags().StringVar(&listen, "nats-listen", "127.0.0.1:0", "accept connections on `ADDR`")
	return cmd
}

func gatewayCommand(g *site.Flags) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "gateway",
		Short: "Run only the gateway: read models, Hook API and session logs",
		Long: `Gateway serves the Hook API from read models that it keeps current from the bus, and
writes the session logs. It has no state of its own: if you delete its files, it
writes them again.`,
		Example: `  slop gateway --nats nats://127.0.0.1:4222 --creds .slop/keys/gateway.json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := site.CheckListenFlags(listen, ""); err != nil {
				return err
			}
			return runRole(cmd.Context(), g, "", "gateway", func(e *engine.Engine) error {
				if err := e.ServeHooks(cmd.Context(), engine.HooksAt(e.Place, listen), false); err != nil {
					return err
				}
				<-e.Hooks.Ready()
				remove, err := site.WriteRunFile(e.Data, e.Info(e.Live.Current()))
				if err != nil {
					return err
				}
				e.Group.Go(func() error { <-e.Ctx.Done(); remove(); return nil })
				return printReady(g, map[string]any{"ready": true, "hooks": e.Hooks.URL(), "tokens": e.Tokens()},
					fmt.Sprintf("gateway at %s, tokens in %s", e.Hooks.URL(), e.Tokens()))
			})
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "serve on this loopback `ADDR` (default from [hooks] listen)")
	return cmd
}

func orchestratorCommand(g *site.Flags) *cobra.Command {
	var only []string
	var scriptFile string
	cmd := &cobra.Command{
		Use:   "orchestrator",
		Short: "Run only deciders and model calls, all of them or some",
		Long: `Orchestrator runs the deciders and their effects on every open session of the
project. Several processes may split the roles with --only, and more than one may
run the same role: each fact is recorded once.

Roles: ` + strings.Join(engine.OrchestratorRoles(), ", ") + `.`,
		Example: `  slop orchestrator --nats nats://127.0.0.1:4222 --creds .slop/keys/orchestrator.json
  slop orchestrator --only conductor,approval --nats … --creds …`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(only) == 0 {
				only = engine.OrchestratorRoles()
			}
			for _, name := range only {
				if !slices.Contains(engine.OrchestratorRoles(), name) {
					return exit.Errorf(exit.Usage, "--only: unknown role %q; use one of %v", name, engine.OrchestratorRoles())
				}
			}
			return runRole(cmd.Context(), g, "", "orchestrator", func(e *engine.Engine) error {
				var err error
				if e.Script, err = readScript(scriptFile); err != nil {
					return err
				}
				if err := e.Orchestrate(only); err != nil {
					return err
				}
				e.MeasureRole()
				return printReady(g, map[string]any{"ready": true, "roles": only}, "orchestrator runs "+strings.Join(only, ", "))
			})
		},
	}
	cmd.Flags().StringSliceVar(&only, "only", nil, "run these roles only, `NAME,…`")
	cmd.Flags().StringVar(&scriptFile, "script", "", "answer with the scripted model of `FILE`")
	return cmd
}

func workerCommand(g *site.Flags) *cobra.Command {
	var slot int
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Run only a worker: a process that runs tools",
		Long: `Worker runs approved tool calls in the project's folder, and nothing that was
not approved. Its name is worker-<host>-<n>, the lowest number that is free in
the data folder; a restarted worker takes its old name again.`,
		Example: `  slop worker --nats nats://127.0.0.1:4222 --creds .slop/keys/worker.json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runRole(cmd.Context(), g, "", "worker", func(e *engine.Engine) error {
				name, err := e.Work(slot)
				if err != nil {
					return err
				}
				e.MeasureRole()
				return printReady(g, map[string]any{"ready": true, "worker": name}, name+" works")
			})
		},
	}
	cmd.Flags().IntVar(&slot, "slot", 0, "take the name with this `NUMBER` instead of the lowest free one")
	return cmd
}

// runRole runs one role until it fails or is told to stop. An empty role stands for the bus, which needs no other
// role.
func runRole(ctx context.Context, g *site.Flags, natsListen, role string, start func(*engine.Engine) error) error {
	p, err := g.Place()
	if err != nil {
		return err
	}
	if role != "" {
		if err := g.NeedRemote(p, role); err != nil {
			return err
		}
	}
	e, err := engine.New(ctx, g, p, natsListen, nil)
	if err != nil {
		return err
	}
	if err := start(e); err != nil {
		return errors.Join(err, e.Close())
	}
	e.Stats.StartTasks.Finish()
	e.Wait()
	return e.Close()
}

// printReady prints that a role is ready.
func printReady(g *site.Flags, fields map[string]any, text string) error {
	if !g.JSON {
		g.Printf("%s\n", text)
		return nil
	}
	b, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(g.Out, "%s\n", b)
	return err
}
