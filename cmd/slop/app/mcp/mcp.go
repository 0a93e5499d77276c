// Package mcp implements "slop mcp" and its subcommands: external MCP servers, and slop as a server.
package mcp

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/app/mcpfixture"
	"manualslop/cmd/slop/app/mcpserve"
	"manualslop/cmd/slop/app/tool"
	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/tools/mcp"
)

// Command is "slop mcp".
func Command(g *site.Flags) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "mcp",
		Short: "Use external MCP servers, and act as one",
		Long: `Mcp manages the servers of mcp_config.json in your configuration folder and in
the project. A server has no effect before you trust its definition. Changing
the definition withdraws the trust; changing a tool blocks that tool. Serve offers
the tools of slop to other programs. See docs/mcp.md.`,
		Example: `  slop mcp list
  slop mcp trust filesystem
  slop mcp serve`,
	}, listCommand(g), addCommand(g), trustCommand(g), toolsCommand(g), tool.ServerCallCommand(g),
		logCommand(g), restartCommand(g),
		mcpserve.Command(g), mcpfixture.RecordCommand(g), mcpfixture.ReplayCommand())
}

// serverLine is one line of slop mcp list --json.
type serverLine struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Command  []string `json:"command,omitempty"`
	Cwd      string   `json:"cwd,omitempty"`
	URL      string   `json:"url,omitempty"`
	Env      []string `json:"env,omitempty"`     // names only
	Headers  []string `json:"headers,omitempty"` // names only
	File     string   `json:"file"`
	Hash     string   `json:"hash"`
	Trusted  bool     `json:"trusted"`
	Disabled bool     `json:"disabled,omitempty"`
	Tools    int      `json:"tools"`
}

func listCommand(g *site.Flags) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the configured servers, and whether you trust them",
		Long: `List prints each server with its trust, the number of its approved tools, what it
runs or reaches, and its file. It starts nothing.`,
		Example: `  slop mcp list
  slop mcp list --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			servers, err := open(g)
			if err != nil {
				return err
			}
			rows := [][]string{}
			for _, s := range servers.Servers() {
				line := lineOf(s)
				if g.JSON {
					if err := g.PrintLine(line); err != nil {
						return err
					}
					continue
				}
				state := "untrusted"
				if s.Trusted {
					state = "trusted"
				}
				rows = append(rows, []string{line.Name, state, strconv.Itoa(line.Tools),
					term.OneLine(line.URL + strings.Join(line.Command, " ")), line.File})
			}
			term.PrintTable(g.Out, rows)
			for _, text := range servers.Notices() {
				g.Notice("%s", term.OneLine(text))
			}
			return nil
		},
	}
}

func trustCommand(g *site.Flags) *cobra.Command {
	var hash string
	cmd := &cobra.Command{
		Use:   "trust NAME",
		Short: "Trust a server and approve its current tools",
		Long: `Trust starts the server, approves the tools that it has now, and stops it. Without
--hash it prints what would be trusted, and the hash to pass. It then starts the server
only if you trust it already, to print how its tools changed.
The NAME mcp_env.toml means the project's file of that name, the environment of
scripts: trusting it takes effect at the next start and lasts until the file changes.`,
		Example: `  slop mcp trust filesystem
  slop mcp trust mcp_env.toml
  slop mcp trust filesystem --hash 3f5a…`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == site.EnvironmentFile {
				return trustEnvironment(g, hash)
			}
			servers, s, err := find(g, args[0])
			if err != nil {
				return err
			}
			line, now := lineOf(s), s
			if s.Trusted || hash == s.Hash {
				if now, err = servers.See(cmd.Context(), s); err != nil {
					return exit.Errorf(exit.Failed, "%w", err)
				}
				if line.Hash, err = s.Approval(now.Pins); err != nil {
					return exit.Errorf(exit.Failed, "%w", err)
				}
			}
			if hash == "" && g.JSON {
				return g.PrintLine(line)
			}
			if hash == "" {
				term.PrintTable(g.Out, [][]string{{"server", line.Name}, {"file", line.File},
					{"runs", term.OneLine(line.URL + strings.Join(line.Command, " "))},
					{"folder", term.OneLine(line.Cwd)}, {"variables", term.OneLine(strings.Join(line.Env, " "))},
					{"headers", term.OneLine(strings.Join(line.Headers, " "))}, {"hash", line.Hash}})
				if s.Trusted {
					printChanges(g, s, now)
				}
				g.Notice("to trust it: slop mcp trust %s --hash %s", args[0], line.Hash)
				return nil
			}
			if hash != line.Hash && s.Trusted {
				return exit.Errorf(exit.Usage, "--hash must be %s, the hash of the current definition and tools; look at them "+
					"with slop mcp trust %s", line.Hash, args[0])
			}
			if hash != line.Hash {
				return exit.Errorf(exit.Usage, "--hash must be %s, the hash of the current definition", line.Hash)
			}
			if err := servers.Trust(now); err != nil {
				return exit.Errorf(exit.Failed, "%w", err)
			}
			g.Notice("trusted %s with %d tools; new sessions have them, older ones after \"slop sessions upgrade\"", args[0],
				len(now.Pins))
			for _, p := range now.Pins {
				if p.Problem != "" {
					g.Notice("its tool %s cannot be offered: %s", term.OneLine(p.Name), term.OneLine(p.Problem))
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&hash, "hash", "", "the `HASH` of the definition that you looked at")
	return cmd
}

// environmentLine is what slop mcp trust mcp_env.toml --json prints.
type environmentLine struct {
	Prepend []string          `json:"prepend,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Hash    string            `json:"hash"`
	Trusted bool              `json:"trusted"`
}

// trustEnvironment shows the project's environment of scripts, or trusts it if the given hash matches its content.
func trustEnvironment(g *site.Flags, hash string) error {
	p, err := g.Place()
	if err != nil {
		return err
	}
	e, there := p.ProjectEnvironment()
	switch {
	case !there:
		return exit.Errorf(exit.Usage, "%s has no %s", p.Project, site.EnvironmentFile)
	case e.Err != nil:
		return exit.Errorf(exit.Usage, "it cannot be trusted: %w", e.Err)
	case hash == "" && g.JSON:
		return g.PrintLine(environmentLine{Prepend: e.Path.Prepend, Env: e.Env, Hash: e.Hash, Trusted: e.Trusted})
	case hash == "":
		rows := [][]string{}
		for _, folder := range e.Path.Prepend {
			rows = append(rows, []string{"path.prepend", folder})
		}
		for _, name := range slices.Sorted(maps.Keys(e.Env)) {
			rows = append(rows, []string{"env." + name, e.Env[name]})
		}
		term.PrintFields(g.Out, append(rows, []string{"hash", e.Hash}))
		g.Notice("to trust it: slop mcp trust %s --hash %s", site.EnvironmentFile, e.Hash)
		return nil
	case hash != e.Hash:
		return exit.Errorf(exit.Usage, "--hash must be %s, the hash of the current content", e.Hash)
	}
	user := config.UserDir(os.Getenv)
	if user == "" {
		return exit.Errorf(exit.Usage, "no configuration folder: set HOME or XDG_CONFIG_HOME")
	}
	trust, err := mcp.LoadTrust(user)
	if err == nil {
		err = trust.AddEnvironment(hash)
	}
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	g.Notice("trusted %s; it takes effect at the next start", site.EnvironmentFile)
	return nil
}

func toolsCommand(g *site.Flags) *cobra.Command {
	return &cobra.Command{
		Use:   "tools NAME",
		Short: "Show the approved tools of a trusted server, and what changed",
		Long: `Tools starts a trusted server and compares its tools with the approved ones. Each
is unchanged, changed, new or gone; a changed or new one cannot be called. The
difference of its description and schema is printed.`,
		Example: `  slop mcp tools filesystem`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			servers, s, err := find(g, args[0])
			if err != nil {
				return err
			}
			if !s.Trusted {
				return exit.Errorf(exit.Failed, "server %s is not trusted; run \"slop mcp trust %s\"", args[0], args[0])
			}
			now, err := servers.See(cmd.Context(), s)
			if err != nil {
				return exit.Errorf(exit.Failed, "%w", err)
			}
			rows := [][]string{}
			for _, c := range mcp.Compare(s.Pins, now.Pins) {
				if g.JSON {
					if err := g.PrintLine(c); err != nil {
						return err
					}
					continue
				}
				rows = append(rows, []string{term.OneLine(c.Name), c.State, term.OneLine(c.Description)})
			}
			term.PrintTable(g.Out, rows)
			if !g.JSON {
				printChanges(g, s, now)
			}
			return nil
		},
	}
}

// printChanges prints how tools differ from the approved ones.
func printChanges(g *site.Flags, approved, now mcp.Status) {
	for _, c := range mcp.Compare(approved.Pins, now.Pins) {
		if c.State != mcp.Unchanged {
			fmt.Fprintf(g.Out, "\n%s %s\n", c.State, term.OneLine(c.Name))
			for line := range strings.Lines(c.Diff) {
				fmt.Fprintln(g.Out, term.Visible(strings.TrimSuffix(line, "\n")))
			}
		}
	}
}

func open(g *site.Flags) (*mcp.Manager, error) {
	p, err := g.Place()
	if err != nil {
		return nil, err
	}
	servers, err := p.ExternalServers(func(_ context.Context, server, url string) error {
		g.Notice("to authorize access to %s, open %s", server, term.OneLine(url))
		return nil
	})
	if servers == nil {
		return nil, err
	}
	if !p.Config.MCP.Enabled {
		g.Notice("[mcp] enabled = false: no server is used")
	}
	if err != nil {
		g.Notice("without effect: %s", term.OneLine(err.Error()))
	}
	return servers, nil
}

func find(g *site.Flags, name string) (*mcp.Manager, mcp.Status, error) {
	servers, err := open(g)
	if err != nil {
		return nil, mcp.Status{}, err
	}
	s, found := servers.Find(name)
	if !found {
		return nil, s, exit.Errorf(exit.Usage, "server %q not found; list the servers with slop mcp list", name)
	}
	return servers, s, nil
}

// lineOf returns a server without the values of its variables and headers.
func lineOf(s mcp.Status) serverLine {
	d := s.Definition
	line := serverLine{Name: d.Name, Type: d.Type, Command: d.Command, Cwd: d.Cwd, URL: d.URL, File: d.File,
		Hash: s.Hash, Trusted: s.Trusted, Disabled: d.Disabled, Tools: len(s.Pins)}
	for name := range d.Env {
		line.Env = append(line.Env, name)
	}
	for name := range d.Headers {
		line.Headers = append(line.Headers, name)
	}
	slices.Sort(line.Env)
	slices.Sort(line.Headers)
	return line
}
