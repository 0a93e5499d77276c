package app

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/hookgw/access"
)

func consoleCommand(g *site.Flags) *cobra.Command {
	var read, print bool
	cmd := &cobra.Command{
		Use:   "console",
		Short: "Open the web console of the running engine",
		Long: `Console makes a link that signs a browser in, and opens it. The link works once and
expires after a minute. It is also printed: open it yourself where no browser can be
started. The browser stays signed in for 12 hours, as long as the engine runs.`,
		Example: `  slop console
  slop console --read --print`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := g.Place()
			if err != nil {
				return err
			}
			info, err := site.FindEngine(p.Data)
			if err != nil {
				return exit.Errorf(exit.Failed, "%w", err)
			}
			right := access.RightHuman
			if read {
				right = access.RightRead
			}
			api, err := client.NewAPIClient(info, right)
			if err != nil {
				return err
			}
			var link struct {
				URL     string    `json:"url"`
				Expires time.Time `json:"expires"`
			}
			if _, err := api.Call(cmd.Context(), http.MethodPost, "/api/console/link", nil, struct{}{}, &link); err != nil {
				return exit.Errorf(exit.Failed, "%w", err)
			}
			if g.JSON {
				return g.PrintLine(link)
			}
			if !g.Quiet {
				fmt.Fprintln(g.Out, link.URL) // to be copied whole, however wide the terminal is
			}
			if print {
				return nil
			}
			return browse(g, info.Tokens, link.URL)
		},
	}
	cmd.Flags().BoolVar(&read, "read", false, "sign in read-only, with the rights of read.token")
	cmd.Flags().BoolVar(&print, "print", false, "print the link and open nothing")
	return cmd
}

// browse opens a link in the user's browser, or prints it. Other users can read the arguments of every process, so
// the link is in a file in the folder of tokens, until the next one replaces it.
func browse(g *site.Flags, tokens, link string) error {
	open := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if open == nil && cmp.Or(os.Getenv("DISPLAY"), os.Getenv("WAYLAND_DISPLAY")) != "" {
		open = []string{"xdg-open"}
	}
	if open == nil {
		g.Notice("no desktop was found; open the link in a browser on this machine within a minute")
		return nil
	}
	if err := os.MkdirAll(tokens, 0o700); err != nil { // without tokens there is no such folder
		return exit.Errorf(exit.Failed, "%w", err)
	}
	draft, err := os.CreateTemp(tokens, ".console-*.html") // mode 0600
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	defer os.Remove(draft.Name()) // unless it was renamed
	_, werr := draft.WriteString(access.OpeningPage(link))
	if err := errors.Join(werr, draft.Close()); err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	page := filepath.Join(tokens, "console.html")
	if err := os.Rename(draft.Name(), page); err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	if err := exec.Command(open[0], append(open[1:], page)...).Start(); err != nil {
		g.Notice("no browser could be started (%v); open the link within a minute", err)
	}
	return nil
}
