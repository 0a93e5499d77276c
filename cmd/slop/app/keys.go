package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/bus"
	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
)

func keysCommand(g *site.Flags) *cobra.Command {
	var dir, cluster string
	var hosts []string
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Write the bus credentials, one file per role",
		Long: `Keys writes the files with which other processes connect to the bus of this data
folder: orchestrator.json, worker.json, gateway.json, person-NAME.json for you,
reader.json, live.json and mcp.json, each readable by you only. Each file gives
the rights of its role and no others; the server enforces them. Tokens that are
still valid stay as they are, so that running processes keep working.

The engine must not be running. slop serve --nats-listen and slop bus write these
files themselves when they start, with the address in them.

A folder inside the project, except the data folder, is refused: tools that models
call could read the files there.

To revoke every token, stop the engine and delete bus-tokens.json in the data
folder.

With --cluster it writes credentials for a NATS cluster instead: key files with
admin.json beside them, and accounts.conf for the configuration of the servers;
see docs/cluster.md.`,
		Example: `  slop keys
  slop keys --dir ~/slop-keys
  slop keys --cluster nats://n1:4222,nats://n2:4222,nats://n3:4222 --dir ~/slop-keys
  slop watch --nats nats://host:4222 --creds ~/slop-keys/reader.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := g.Place()
			if err != nil {
				return err
			}
			if cluster != "" {
				return writeAccounts(g, p, dir, cluster, hosts)
			}
			return writeKeys(cmd.Context(), g, p, term.FirstOf(dir, p.KeysDir()))
		},
	}
	f := cmd.Flags()
	f.StringVar(&dir, "dir", "", "write into `DIR` (default <data>/keys)")
	f.StringVar(&cluster, "cluster", "", "write credentials for the NATS cluster at these `URLS`, separated by commas; "+
		"needs --dir")
	f.StringSliceVar(&hosts, "host", nil, "with --cluster: workers run on this `HOST`; repeat the flag for each "+
		"(default this "+
		"one)")
	return cmd
}

func writeKeys(ctx context.Context, g *site.Flags, p site.Place, dir string) (err error) {
	if g.Remote(p) {
		return exit.Errorf(exit.Usage, "slop keys writes credentials of the embedded bus; those of a cluster "+
			"come from its "+
			"operator")
	}
	if err := checkKeysDir(p, dir); err != nil {
		return err
	}
	server, err := client.OpenStore(ctx, g, p, "slop keys")
	if errors.Is(err, bus.ErrLocked) {
		return exit.Errorf(exit.Failed, "%w; stop it, or use the files in %s (written if its bus accepts connections)", err,
			p.KeysDir())
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	if err := server.WriteKeys(dir); err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	return printKeys(g, dir)
}

// writeAccounts writes the files that a cluster needs to enforce the rights of each role.
func writeAccounts(g *site.Flags, p site.Place, dir, cluster string, hosts []string) error {
	if dir == "" {
		return exit.Errorf(exit.Usage, "--cluster needs --dir: keys of a cluster must not mix with those of the "+
			"embedded bus")
	}
	if err := checkKeysDir(p, dir); err != nil {
		return err
	}
	if len(hosts) == 0 {
		name, err := os.Hostname()
		if err != nil {
			return exit.Errorf(exit.Usage, "--host is not set, and this machine has no name: %w", err)
		}
		hosts = []string{name}
	}
	err := bus.WriteAccounts(dir, bus.Accounts{URL: cluster, Projects: []string{p.Name}, Hosts: hosts,
		People: []string{p.Person}, Agents: []string{site.AgentHooks}})
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	g.Notice("include %s in the configuration of every server", filepath.Join(dir, "accounts.conf"))
	return printKeys(g, dir)
}

// checkKeysDir refuses a folder in which tools could read the credentials.
func checkKeysDir(p site.Place, dir string) error {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = config.RealPath(dir)
	}
	if err != nil {
		return exit.Errorf(exit.Usage, "--dir: %w", err)
	}
	if config.InsideAny([]string{p.Data}, dir) {
		return nil
	}
	if config.InsideAny(append(config.OpenedDirs(p.Config, p.Project), p.Project), dir) {
		return exit.Errorf(exit.Usage, "--dir %s is inside the project, where tools that models call could read the "+
			"credentials; give a folder outside of it, or leave --dir out for %s", dir, p.KeysDir())
	}
	return nil
}

// keyLine is one line of slop keys --json.
type keyLine struct {
	Role string `json:"role"`
	File string `json:"file"`
}

func printKeys(g *site.Flags, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	rows := [][]string{}
	for _, e := range entries {
		role, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			continue
		}
		line := keyLine{Role: role, File: filepath.Join(dir, e.Name())}
		rows = append(rows, []string{line.Role, line.File})
		if g.JSON {
			if err := g.PrintLine(line); err != nil {
				return err
			}
		}
	}
	if !g.JSON && !g.Quiet {
		term.PrintTable(g.Out, rows)
	}
	return nil
}
