package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"manualslop/bus/durable"
	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/tools/mcp"
)

func addCommand(g *site.Flags) *cobra.Command {
	var url string
	cmd := &cobra.Command{
		Use:   "add NAME [--url URL | -- PROGRAM [ARGUMENT...]]",
		Short: "Write a server into your mcp_config.json",
		Long: `Add writes a server into mcp_config.json in your configuration folder. It starts
nothing; trust the server afterwards.`,
		Example: `  slop mcp add files -- mcp-server-filesystem /data
  slop mcp add search --url https://mcp.example.com/mcp`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			server := map[string]any{}
			if url != "" {
				server["url"] = url
			}
			if len(args) > 1 {
				server["command"] = args[1:]
			}
			if err := add(filepath.Join(config.UserDir(os.Getenv), mcp.FileName), args[0], server); err != nil {
				return exit.Errorf(exit.Usage, "%w", err)
			}
			g.Notice("look at it and trust it: slop mcp trust %s", args[0])
			return nil
		},
	}
	cmd.Flags().StringVar(&url, "url", "", "the `URL` of a server that is not a program of this machine")
	return cmd
}

// add adds a server to a configuration file without changing anything else in it.
func add(file, name string, server map[string]any) error {
	top := map[string]json.RawMessage{}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &top)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	key := "servers"
	if top[key] == nil && top["mcpServers"] != nil {
		key = "mcpServers"
	}
	var list []any
	object := map[string]any{}
	if raw := top[key]; raw == nil || json.Unmarshal(raw, &list) == nil {
		server["name"] = name
		top[key], err = json.Marshal(append(list, server))
	} else if err = json.Unmarshal(raw, &object); err == nil && object[name] != nil {
		return fmt.Errorf("server %s: %w", name, fs.ErrExist)
	} else if err == nil {
		object[name] = server
		top[key], err = json.Marshal(object)
	}
	if err != nil {
		return err
	}
	data, err = json.MarshalIndent(top, "", "  ")
	if err != nil {
		return err
	}
	if _, _, err := mcp.ParseConfig(file, data, false); err != nil {
		return err
	}
	if err := durable.MakeFolder(filepath.Dir(file)); err != nil {
		return err
	}
	return durable.WriteFile(file, append(data, '\n'))
}

func logCommand(g *site.Flags) *cobra.Command {
	return &cobra.Command{
		Use:   "log NAME",
		Short: "Show what a server wrote to its error output",
		Long: `Log prints what a server wrote to its error output under the engines of this
project, at most the last 2 MiB. Secrets are masked.`,
		Example: `  slop mcp log filesystem`,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := g.Place()
			if err != nil {
				return err
			}
			file, found := mcp.LogFile(p.ServerLogs(), args[0]), false
			for _, name := range []string{file + ".old", file} {
				text, err := os.Open(name)
				if errors.Is(err, fs.ErrNotExist) {
					continue
				}
				if err != nil {
					return exit.Errorf(exit.Failed, "%w", err)
				}
				found = true
				_, err = io.Copy(g.Out, text)
				if err := errors.Join(err, text.Close()); err != nil {
					return exit.Errorf(exit.Failed, "%w", err)
				}
			}
			if !found {
				return exit.Errorf(exit.Failed, "server %q has no log: no engine of this project started it", args[0])
			}
			return nil
		},
	}
}

func restartCommand(g *site.Flags) *cobra.Command {
	return &cobra.Command{
		Use:   "restart NAME",
		Short: "Stop and start a server of the running engine",
		Long: `Restart stops a trusted server of the running engine and starts it again, even one
that failed too often to be restarted automatically.`,
		Example: `  slop mcp restart filesystem`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := g.Place()
			if err != nil {
				return err
			}
			info, err := site.FindEngine(p.Data)
			if err != nil {
				return exit.Errorf(exit.Failed, "%w", err)
			}
			engine, err := client.NewHTTP(p, info)
			if err != nil {
				return err
			}
			defer engine.Close()
			_, err = engine.Person.Call(cmd.Context(), http.MethodPost, "/api/mcp/restart", nil,
				map[string]string{"name": args[0]}, new(json.RawMessage))
			if err != nil {
				return exit.Errorf(exit.Failed, "%w", err)
			}
			g.Notice("%s runs", args[0])
			return nil
		},
	}
}
