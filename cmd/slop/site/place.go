// Package site describes a project on this machine: its folder and configuration, its data folder with owner and run
// file, and the connection to its bus.
package site

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"

	"github.com/spf13/pflag"

	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/term"
	"manualslop/events"
)

// Flags are the flags of every command: the locations of a project and its record, how to reach its bus, and how to
// print.
type Flags struct {
	term.Terminal
	ProjectDir string
	DataDir    string // empty: .slop in the project
	configFile string
	NATS       string
	Creds      string
	context    string
	Repair     bool // replace a damaged record of started calls
	Thorough   bool // read every stored message when the store is opened
}

// Register adds the flags to a command line.
func (g *Flags) Register(f *pflag.FlagSet) {
	f.StringVar(&g.ProjectDir, "project", ".", "`DIR` of the project")
	f.StringVar(&g.DataDir, "data", "", "keep the log in `DIR` (default <project>/.slop)")
	f.StringVar(&g.configFile, "config", "", "an additional configuration `FILE`")
	f.BoolVar(&g.JSON, "json", false, "print data as JSON lines")
	f.BoolVar(&g.NoColor, "no-color", false, "print without colours")
	f.BoolVarP(&g.Quiet, "quiet", "q", false, "print results and errors only")
	f.BoolVar(&g.Verbose, "verbose", false, "also print the operator's log")
	f.StringVar(&g.NATS, "nats", "", "use the bus at `URL` instead of the embedded one")
	f.StringVar(&g.Creds, "creds", "", "use the credentials in `FILE` for that bus (see slop keys)")
	f.StringVar(&g.context, "context", "", "use the bus of the nats context `NAME`")
}

// Place is a project and the location of its record.
type Place struct {
	Config  config.Config
	Project string // absolute folder of the project
	Data    string // absolute folder of the record
	Base    string // subject token of the name of the project's folder
	Name    string // subject token of the project: from the data folder, else Base
	State   string // state folder of this user; empty if there is none
	Person  string // actor token of the user
}

// Place reads the configuration and finds the folders.
func (g *Flags) Place() (Place, error) {
	project, err := filepath.Abs(g.ProjectDir)
	if err != nil {
		return Place{}, exit.Errorf(exit.Usage, "--project: %w", err)
	}
	if info, err := os.Stat(project); err != nil || !info.IsDir() {
		return Place{}, exit.Errorf(exit.Usage, "--project: %s is not a folder", g.ProjectDir)
	}
	if project, err = filepath.EvalSymlinks(project); err != nil {
		return Place{}, exit.Errorf(exit.Usage, "--project: %w", err)
	}
	data := g.DataDir
	if data == "" {
		data = filepath.Join(project, ".slop")
	}
	if data, err = dataFolder(data); err != nil {
		return Place{}, exit.Errorf(exit.Usage, "--data: %w", err)
	}
	if g.Creds != "" {
		if _, err := os.Stat(g.Creds); err != nil {
			return Place{}, exit.Errorf(exit.Usage, "--creds: %w", err)
		}
	}
	cfg, err := config.Load(config.Sources{ProjectDir: project, UserDir: config.UserDir(os.Getenv), File: g.configFile,
		OSUser: osUser()})
	if err != nil {
		return Place{}, err
	}
	base := events.Token(filepath.Base(project))
	p := Place{Config: cfg, Project: project, Data: data, Base: base, Name: base, Person: events.Token(cfg.User.Name),
		State: userStateDir(os.Getenv)}
	if own, bound, err := p.Ownership(); err == nil && bound.Folder == project {
		p.Name = own.Project
	}
	if !events.IsPerson(p.Person) {
		return Place{}, exit.Errorf(exit.Usage, "the name %q is reserved for the engine; set [user] name in "+
			"your configuration",
			p.Person)
	}
	return p, nil
}

// dataFolder returns the path of the data folder, absolute and without links, so that it has one name. The folder may
// be missing; a file in its place is an error.
func dataFolder(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", path)
	}
	parent, err := config.RealPath(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	return filepath.Join(parent, filepath.Base(path)), nil
}

// osUser returns the name of the operating-system user.
func osUser() string {
	u, err := user.Current()
	if err != nil || u.Username == "" {
		return "operator"
	}
	return filepath.Base(u.Username)
}

// Tokens returns the folder of the gateway's bearer tokens.
func (p Place) Tokens() string { return filepath.Join(p.Data, "tokens") }

// KeysDir returns the folder where credentials for the bus's listener are written.
func (p Place) KeysDir() string { return filepath.Join(p.Data, "keys") }
