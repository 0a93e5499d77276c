package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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

slop keys context writes what clients of NATS itself need, such as the nats CLI.

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
	cmd.AddCommand(keysContextCommand(g))
	return cmd
}

func keysContextCommand(g *site.Flags) *cobra.Command {
	var dir, role string
	cmd := &cobra.Command{
		Use:   "context NAME",
		Short: "Write a nats context, for the nats CLI and other stock clients",
		Long: `Context writes NAME.json into the contexts of the nats CLI (~/.config/nats/context,
or below XDG_CONFIG_HOME), readable by you only: the address of the bus, your
credential and the inbox prefix. Each role receives answers below its own prefix
and not below _INBOX, where every client could read the others' answers. A client
without the prefix gets no answers.

It reads the key files of slop keys, with the address that slop serve
--nats-listen and slop bus put into them, or the one of a cluster. Write the
context again when the address changes; the engine may be running. A context
that slop did not write is not overwritten.

Other clients set the same two things, as in Go:

  nats.Connect(url, nats.Token(token), nats.CustomInboxPrefix(prefix))`,
		Example: `  slop keys context slop
  nats --context slop sub 'slop.live.>'
  slop keys context slop-reader --role reader
  slop keys context slop --dir ~/slop-keys --role admin`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := g.Place()
			if err != nil {
				return err
			}
			return writeContext(g, p, args[0], term.FirstOf(dir, p.KeysDir()), term.FirstOf(role, "person-"+p.Person))
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "read the key files in `DIR` (default <data>/keys)")
	cmd.Flags().StringVar(&role, "role", "", "connect as `ROLE`: person-NAME, reader, live or, on a cluster, admin "+
		"(default you)")
	return cmd
}

// contextLine is the output of slop keys context --json.
type contextLine struct {
	Context string   `json:"context"`
	Role    string   `json:"role"`
	Files   []string `json:"files"`
}

func writeContext(g *site.Flags, p site.Place, name, dir, role string) error {
	folder, err := bus.ContextsDir()
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	for _, d := range []string{folder, dir} {
		opened, err := opensTo(p, d)
		if err != nil {
			return err
		}
		if opened {
			return exit.Errorf(exit.Usage, "%s is inside the project, where tools that models call could read the credentials",
				d)
		}
	}
	files, err := bus.WriteContext(name, dir, role)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return exit.Errorf(exit.Usage, "%w; slop keys writes the files of each role, and so do slop serve --nats-listen "+
			"ADDRESS and slop bus", err)
	case errors.Is(err, bus.ErrConfig) || errors.Is(err, bus.ErrRole):
		return exit.Errorf(exit.Usage, "%w", err)
	case err != nil:
		return exit.Errorf(exit.Failed, "%w", err)
	case g.JSON:
		return g.PrintLine(contextLine{name, role, files})
	case !g.Quiet:
		for _, file := range files {
			fmt.Fprintln(g.Out, file)
		}
	}
	return nil
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

// checkKeysDir rejects a folder in which tools could read the credentials.
func checkKeysDir(p site.Place, dir string) error {
	opened, err := opensTo(p, dir)
	if err == nil && opened {
		err = exit.Errorf(exit.Usage, "--dir %s is inside the project, where tools that models call could read the "+
			"credentials; give a folder outside of it, or leave --dir out for %s", dir, p.KeysDir())
	}
	return err
}

// opensTo reports whether tools could read the files of a folder.
func opensTo(p site.Place, dir string) (bool, error) {
	real, err := filepath.Abs(dir)
	if err == nil {
		real, err = config.RealPath(real)
	}
	if err != nil {
		return false, exit.Errorf(exit.Usage, "%s: %w", dir, err)
	}
	return !config.InsideAny([]string{p.Data}, real) &&
		config.InsideAny(append(config.OpenedDirs(p.Config, p.Project), p.Project), real), nil
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
