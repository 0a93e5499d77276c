package app

import (
	"github.com/spf13/cobra"

	"manualslop/bus"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
)

func provisionCommand(g *site.Flags) *cobra.Command {
	return &cobra.Command{
		Use:   "provision",
		Short: "Create the streams on a NATS cluster",
		Long: `Provision creates the streams that slop needs on a NATS cluster, and the work pools
of the project, with the number of copies set by [bus] replicas, and checks those
that exist: if one differs, it fails with an error that names the difference and
changes nothing. It needs admin.json of slop keys --cluster, or credentials with the
same rights; see docs/cluster.md.`,
		Example: `  slop provision --nats nats://n1:4222,nats://n2:4222,nats://n3:4222 --creds ~/slop-keys/admin.json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := g.Place()
			if err != nil {
				return err
			}
			if err := g.NeedRemote(p, "provision"); err != nil {
				return err
			}
			d := g.DialConfig(p)
			d.Role, d.MaxBytes = bus.Role{Kind: bus.Admin}, p.Config.Bus.MaxBytes
			conn, err := bus.Dial(cmd.Context(), d)
			if err != nil {
				return exit.Errorf(exit.Failed, "%w", err)
			}
			defer conn.Close()
			if err := conn.Provision(cmd.Context(), bus.Provision{Replicas: d.Replicas,
				MaxBytes: p.Config.Bus.MaxBytes}); err != nil {
				return exit.Errorf(exit.Failed, "%w", err)
			}
			if _, err := conn.MakePools(cmd.Context(), p.Name, 1); err != nil {
				return exit.Errorf(exit.Failed, "%w", err)
			}
			kept, err := conn.Replication(cmd.Context())
			if err != nil {
				return exit.Errorf(exit.Failed, "%w", err)
			}
			return printReady(g, map[string]any{"stream": kept.Stream, "replicas": len(kept.Followers) + 1,
				"leader": kept.Leader},
				"the streams are in place")
		},
	}
}
