package app

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/bus"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
)

func adoptCommand(g *site.Flags) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "adopt",
		Short: "Take over a data folder that was copied, moved or came with a project",
		Long: `Adopt makes a data folder yours. slop only opens data folders that it
created here for you: the record in a folder that came with a project can hold calls that
somebody else approved, and an engine would run them. A folder that you copied
or moved, or whose project you renamed, is refused for the same reason until you
adopt it; its sessions stay.

It prints the folder and its size, and asks. All tokens in it (bus-tokens.json,
keys, mcp, tokens) and run.json are deleted; new ones are made when needed. A folder
that holds links, or that an engine is using, is refused.

slop can list the sessions of the folder, and which of them are open, only
after adoption: run slop sessions before slop run --resume or slop serve, which
resume an open session and run everything that is approved in it.

Without a terminal, --yes is required; otherwise the status is 3.`,
		Example: `  slop adopt
  slop adopt --yes && slop sessions`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := g.Place()
			if err != nil {
				return err
			}
			return adoptFolder(g, p, yes)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "adopt it without asking")
	return cmd
}

// adoptLine is what slop adopt --json prints.
type adoptLine struct {
	Data    string `json:"data"`
	Files   int    `json:"files"`
	Bytes   int64  `json:"bytes"`
	Project string `json:"project"` // subject token of its sessions
	Adopted bool   `json:"adopted"` // false if it was yours already
}

func adoptFolder(g *site.Flags, p site.Place, yes bool) error {
	free, err := site.Unused(p.Data)
	switch {
	case err != nil:
		return exit.Errorf(exit.Failed, "%w", err)
	case free:
		return exit.Errorf(exit.Failed, "%s holds nothing to adopt", p.Data)
	}
	line, err := surveyFolder(p)
	if err != nil {
		return err
	}
	if _, bound, err := p.Ownership(); err == nil && bound.Folder == p.Project {
		return printAdopted(g, line, "is already yours")
	}
	if err := confirmAdopt(g, line, yes); err != nil {
		return err
	}
	unlock, err := p.LockBindings()
	if err != nil {
		return err
	}
	defer unlock()
	release, err := site.HoldFolder(p.Data)
	if err != nil {
		return err
	}
	defer release()
	if err := dropTokens(p.Data); err != nil {
		return exit.Errorf(exit.Failed, "delete the tokens in %s: %w", p.Data, err)
	}
	if err := p.Bind(line.Project); err != nil {
		return err
	}
	line.Adopted = true
	return printAdopted(g, line, "is yours now; look at it with `slop sessions` before `slop run --resume` or `slop "+
		"serve` resumes it")
}

func printAdopted(g *site.Flags, line adoptLine, text string) error {
	if g.JSON {
		return g.PrintLine(line)
	}
	g.Printf("%s %s\n", term.Visible(line.Data), text)
	return nil
}

// confirmAdopt shows what would be adopted and asks for confirmation.
func confirmAdopt(g *site.Flags, line adoptLine, yes bool) error {
	if !g.Quiet {
		fmt.Fprintf(g.Err, "%s\n  %d files, %d bytes; its sessions belong to project %s\n"+
			"  open sessions and approved calls in it can be listed only after adoption\n",
			term.Visible(line.Data), line.Files, line.Bytes, line.Project)
	}
	if yes {
		return nil
	}
	if !term.IsTerminal(g.In) {
		return exit.Errorf(exit.Waiting, "adopting needs confirmation: inspect the folder, then pass --yes")
	}
	fmt.Fprint(g.Err, "Adopt it only if you, or someone you trust, made everything in it. Adopt it? [y/N] ")
	answer, err := bufio.NewReader(g.In).ReadString('\n')
	if said := strings.ToLower(strings.TrimSpace(answer)); err != nil || said != "y" && said != "yes" {
		return exit.Errorf(exit.Failed, "nothing was changed")
	}
	return nil
}

// surveyFolder counts what a data folder holds. It reads nothing but the subject token of its sessions. It refuses a
// folder that has a link: slop never creates links there, and one could redirect what slop writes.
func surveyFolder(p site.Place) (adoptLine, error) {
	line := adoptLine{Data: p.Data, Project: p.Base}
	err := filepath.WalkDir(p.Data, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return nil
		case e.Type() == fs.ModeSocket && path == filepath.Join(p.Data, bus.SocketName): // of an engine
		case !e.Type().IsRegular():
			return exit.Errorf(exit.Failed, "%s is a link or a special file; slop never creates these in a data folder, so it "+
				"cannot adopt this one", term.Visible(path))
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		line.Files++
		line.Bytes += info.Size()
		return nil
	})
	if err != nil {
		var known *exit.Error
		if errors.As(err, &known) {
			return line, err
		}
		return line, exit.Errorf(exit.Failed, "%w", err)
	}
	var own site.Owner
	if site.ReadSmall(filepath.Join(p.Data, site.OwnerFile), &own) == nil && own.Project != "" &&
		events.Token(own.Project) == own.Project {
		line.Project = own.Project
	}
	return line, nil
}

// dropTokens removes the credentials in a data folder and its run file.
func dropTokens(data string) error {
	var all error
	for _, name := range []string{"bus-tokens.json", bus.SocketName, "keys", "mcp", "tokens", "run.json"} {
		all = errors.Join(all, os.RemoveAll(filepath.Join(data, name)))
	}
	return all
}
