package app

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"manualslop/events"
)

func adoptCommand(g *globals) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "adopt",
		Short: "Take over a data folder that was copied, moved or came with a project",
		Long: `Adopt makes a data folder yours. slop uses only folders that it made for you at
their place: the record in a folder that came with a project can hold calls that
somebody else approved, and an engine would run them. A folder that you copied
or moved, or whose project you renamed, is refused for the same reason until you
adopt it; its sessions stay.

It prints where the folder is and how large, and asks. All tokens in it are
dropped (bus-tokens.json, keys, tokens) with run.json; they are made anew. A
folder that holds links, or that an engine uses right now, is refused.

What sessions the folder holds, and which of them are open, can be told only
afterwards: look with slop sessions before slop run --resume or slop serve, which
go on with an open session and everything that is approved in it.

Without a terminal --yes is needed; status 3 without it.`,
		Example: `  slop adopt
  slop adopt --yes && slop sessions`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := g.place()
			if err != nil {
				return err
			}
			return g.adopt(p, yes)
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
	Project string `json:"project"` // subject token under which its sessions are
	Adopted bool   `json:"adopted"` // false where it was yours already
}

func (g *globals) adopt(p place, yes bool) error {
	free, err := unused(p.data)
	switch {
	case err != nil:
		return failed(exitFailed, "%w", err)
	case free:
		return failed(exitFailed, "%s holds nothing to adopt", p.data)
	}
	line, err := surveyFolder(p)
	if err != nil {
		return err
	}
	if _, bound, err := p.ownership(); err == nil && bound.Folder == p.project {
		return g.printAdopted(line, "is yours already")
	}
	if err := g.confirmAdopt(line, yes); err != nil {
		return err
	}
	unlock, err := p.lockBindings()
	if err != nil {
		return err
	}
	defer unlock()
	release, err := holdFolder(p.data)
	if err != nil {
		return err
	}
	defer release()
	if err := dropTokens(p.data); err != nil {
		return failed(exitFailed, "drop the tokens in %s: %w", p.data, err)
	}
	if err := p.bind(line.Project); err != nil {
		return err
	}
	line.Adopted = true
	return g.printAdopted(line, "is yours now; look at it with `slop sessions` before `slop run --resume` or `slop serve` goes on with it")
}

func (g *globals) printAdopted(line adoptLine, text string) error {
	if g.json {
		return g.printLine(line)
	}
	g.printf("%s %s\n", visible(line.Data), text)
	return nil
}

// confirmAdopt shows what is about to be adopted and asks.
func (g *globals) confirmAdopt(line adoptLine, yes bool) error {
	if !g.quiet {
		fmt.Fprintf(g.err, "%s\n  %d files, %d bytes; its sessions are those of project %s\n"+
			"  whether a session in it is open, and what is approved there, can be told only after adopting\n",
			visible(line.Data), line.Files, line.Bytes, line.Project)
	}
	if yes {
		return nil
	}
	if !isTerminal(g.in) {
		return failed(exitWaiting, "adopting needs a yes: look at the folder, then give --yes")
	}
	fmt.Fprint(g.err, "Everything in it was made by you or by somebody whom you trust. Adopt it? [y/N] ")
	answer, err := bufio.NewReader(g.in).ReadString('\n')
	if said := strings.ToLower(strings.TrimSpace(answer)); err != nil || said != "y" && said != "yes" {
		return failed(exitFailed, "nothing was changed")
	}
	return nil
}

// surveyFolder counts what a data folder holds. It reads nothing but the name
// under which its sessions are. A link could lead what slop writes elsewhere,
// and slop makes none, so a folder that has one is refused.
func surveyFolder(p place) (adoptLine, error) {
	line := adoptLine{Data: p.data, Project: p.base}
	err := filepath.WalkDir(p.data, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return nil
		case !e.Type().IsRegular():
			return failed(exitFailed, "%s is a link or no file; slop makes none in a data folder, so it does not adopt this one", visible(path))
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
		var known *exitError
		if errors.As(err, &known) {
			return line, err
		}
		return line, failed(exitFailed, "%w", err)
	}
	var own owner
	if readSmall(filepath.Join(p.data, ownerFile), &own) == nil && own.Project != "" && events.Token(own.Project) == own.Project {
		line.Project = own.Project
	}
	return line, nil
}

// errFolderInUse says that a process serves a data folder.
var errFolderInUse = errors.New("an engine uses it right now; stop it first")

// holdFolder keeps engines from a data folder until release is called. It makes
// no file.
func holdFolder(data string) (release func(), err error) {
	path := filepath.Join(data, "bus.lock")
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return func() {}, nil
	}
	lock := flock.New(path, flock.SetPermissions(0o600))
	held, err := lock.TryLock()
	switch {
	case err != nil:
		return nil, failed(exitFailed, "lock %s: %w", data, err)
	case !held:
		return nil, failed(exitFailed, "%s: %w", data, errFolderInUse)
	}
	return func() { _ = lock.Unlock() }, nil
}

// dropTokens removes what gives rights, and where an engine is said to run.
func dropTokens(data string) error {
	var all error
	for _, name := range []string{"bus-tokens.json", "keys", "tokens", "run.json"} {
		all = errors.Join(all, os.RemoveAll(filepath.Join(data, name)))
	}
	return all
}
