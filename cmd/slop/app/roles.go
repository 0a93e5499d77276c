package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func busCommand(g *globals) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "bus",
		Short: "Run only the bus: the log and its server",
		Long: `Bus opens the log of the project and lets the other roles reach it. It writes
their credentials into <data>/keys, one file a role, readable by you only.

With --json it prints one line when it answers: {"ready":true,"nats":URL,"keys":DIR}.`,
		Example: `  slop bus --nats-listen 127.0.0.1:4222
  slop worker --nats nats://127.0.0.1:4222 --creds .slop/keys/worker.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkListenFlags("", listen); err != nil {
				return err
			}
			return g.alone(cmd.Context(), listen, "", func(e *engine) error {
				if e.bus.server == nil {
					return failed(exitUsage, "slop bus runs a bus of its own; leave --nats and --context out")
				}
				if err := errors.Join(e.writeKeys(), e.measureBus()); err != nil {
					return err
				}
				return g.ready(map[string]any{"ready": true, "nats": e.bus.server.URL(), "keys": e.keysDir()},
					fmt.Sprintf("bus at %s, credentials in %s", e.bus.server.URL(), e.keysDir()))
			})
		},
	}
	cmd.Flags().StringVar(&listen, "nats-listen", "127.0.0.1:0", "accept connections on `ADDR`")
	return cmd
}

func gatewayCommand(g *globals) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "gateway",
		Short: "Run only the gateway: read models, Hook API and session logs",
		Long: `Gateway serves the Hook API from read models that it keeps current from the
bus, and writes the session logs. It has no state of its own: delete its files
and they come back.`,
		Example: `  slop gateway --nats nats://127.0.0.1:4222 --creds .slop/keys/gateway.json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkListenFlags(listen, ""); err != nil {
				return err
			}
			return g.alone(cmd.Context(), "", "gateway", func(e *engine) error {
				if err := e.serveHooks(cmd.Context(), hooksAt(e.place, listen), false); err != nil {
					return err
				}
				<-e.hooks.Ready()
				remove, err := writeRunFile(e.data, e.info(e.live.Current()))
				if err != nil {
					return err
				}
				e.group.Go(func() error { <-e.ctx.Done(); remove(); return nil })
				return g.ready(map[string]any{"ready": true, "hooks": e.hooks.URL(), "tokens": e.tokens()},
					fmt.Sprintf("gateway at %s, tokens in %s", e.hooks.URL(), e.tokens()))
			})
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "serve on this loopback `ADDR` (default from [hooks] listen)")
	return cmd
}

func orchestratorCommand(g *globals) *cobra.Command {
	var only []string
	var scriptFile string
	cmd := &cobra.Command{
		Use:   "orchestrator",
		Short: "Run only deciders and model calls, all of them or some",
		Long: `Orchestrator runs the deciders and the effects beside them on every open session
of the project. Several processes may share the roles out with --only, and more
than one may run the same role: each fact is recorded once.

Roles: ` + strings.Join(orchestratorRoles(), ", ") + `.`,
		Example: `  slop orchestrator --nats nats://127.0.0.1:4222 --creds .slop/keys/orchestrator.json
  slop orchestrator --only conductor,approval --nats … --creds …`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(only) == 0 {
				only = orchestratorRoles()
			}
			for _, name := range only {
				if !slices.Contains(orchestratorRoles(), name) {
					return failed(exitUsage, "--only: there is no role %q; there are %v", name, orchestratorRoles())
				}
			}
			return g.alone(cmd.Context(), "", "orchestrator", func(e *engine) error {
				var err error
				if e.script, err = readScript(scriptFile); err != nil {
					return err
				}
				if err := e.orchestrate(only); err != nil {
					return err
				}
				e.measureRole()
				return g.ready(map[string]any{"ready": true, "roles": only}, "orchestrator runs "+strings.Join(only, ", "))
			})
		},
	}
	cmd.Flags().StringSliceVar(&only, "only", nil, "run these roles only, `NAME,…`")
	cmd.Flags().StringVar(&scriptFile, "script", "", "answer as the scripted model of `FILE`")
	return cmd
}

func workerCommand(g *globals) *cobra.Command {
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
			return g.alone(cmd.Context(), "", "worker", func(e *engine) error {
				name, err := e.work(slot)
				if err != nil {
					return err
				}
				e.measureRole()
				return g.ready(map[string]any{"ready": true, "worker": name}, name+" works")
			})
		},
	}
	cmd.Flags().IntVar(&slot, "slot", 0, "take the name with this `NUMBER` instead of the lowest free one")
	return cmd
}

// alone runs one role until it fails or is asked to stop. role is empty for
// the bus, which needs no other.
func (g *globals) alone(ctx context.Context, natsListen, role string, start func(*engine) error) error {
	p, err := g.place()
	if err != nil {
		return err
	}
	if role != "" {
		if err := g.needRemote(p, role); err != nil {
			return err
		}
	}
	e, err := g.newEngine(ctx, p, natsListen, nil)
	if err != nil {
		return err
	}
	if err := start(e); err != nil {
		return errors.Join(err, e.close())
	}
	e.vitals.startup.finish()
	e.giveBack()
	e.wait()
	return e.close()
}

// ready prints that a role answers.
func (g *globals) ready(fields map[string]any, text string) error {
	if !g.json {
		g.printf("%s\n", text)
		return nil
	}
	b, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(g.out, "%s\n", b)
	return err
}

// writeKeys writes credentials for other processes where the bus listens.
func (e *engine) writeKeys() error {
	if e.bus.server == nil || e.bus.server.URL() == "" {
		return nil
	}
	return e.bus.server.WriteKeys(e.keysDir())
}
