package app

import (
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"

	"github.com/spf13/pflag"

	"manualslop/events"
)

// globals are the flags and streams that every subcommand shares.
type globals struct {
	in      io.Reader
	out     io.Writer
	err     io.Writer
	started bool   // the command line was understood; what fails now is the work
	session string // the session that a run opened or went on with

	projectDir string
	dataDir    string
	configFile string
	json       bool
	noColor    bool
	quiet      bool
	verbose    bool
	nats       string
	creds      string
	context    string
	repair     bool // a damaged record of begun calls is replaced
	thorough   bool // every stored message is read when the store is opened
}

func (g *globals) flags(f *pflag.FlagSet) {
	f.StringVar(&g.projectDir, "project", ".", "the project's `DIR`")
	f.StringVar(&g.dataDir, "data", "", "where the log is kept, a `DIR` (default <project>/.slop)")
	f.StringVar(&g.configFile, "config", "", "a further configuration `FILE` of yours")
	f.BoolVar(&g.json, "json", false, "print data as JSON lines")
	f.BoolVar(&g.noColor, "no-color", false, "print without colours")
	f.BoolVarP(&g.quiet, "quiet", "q", false, "print results and errors only")
	f.BoolVar(&g.verbose, "verbose", false, "print the operator's log too")
	f.StringVar(&g.nats, "nats", "", "use the bus at `URL` instead of one of our own")
	f.StringVar(&g.creds, "creds", "", "credentials for that bus, a `FILE` (see slop keys)")
	f.StringVar(&g.context, "context", "", "use the bus of the nats context `NAME`")
}

// place is a project and where its record is.
type place struct {
	config  Config
	project string // absolute folder of the project
	data    string // absolute folder of the record
	base    string // subject token of the name of the project's folder
	name    string // subject token of the project: as the data folder says, else base
	state   string // folder of what slop remembers for this user; empty where there is none
	person  string // actor token of the person
}

// place reads the configuration and finds the folders.
func (g *globals) place() (place, error) {
	project, err := filepath.Abs(g.projectDir)
	if err != nil {
		return place{}, failed(exitUsage, "--project: %w", err)
	}
	if info, err := os.Stat(project); err != nil || !info.IsDir() {
		return place{}, failed(exitUsage, "--project %s is no folder", g.projectDir)
	}
	if project, err = filepath.EvalSymlinks(project); err != nil {
		return place{}, failed(exitUsage, "--project: %w", err)
	}
	data := g.dataDir
	if data == "" {
		data = filepath.Join(project, ".slop")
	}
	if data, err = dataFolder(data); err != nil {
		return place{}, failed(exitUsage, "--data: %w", err)
	}
	if g.creds != "" {
		if _, err := os.Stat(g.creds); err != nil {
			return place{}, failed(exitUsage, "--creds: %w", err)
		}
	}
	cfg, err := LoadConfig(ConfigSources{ProjectDir: project, UserDir: UserConfigDir(os.Getenv), File: g.configFile, OSUser: osUser()})
	if err != nil {
		return place{}, err
	}
	base := events.Token(filepath.Base(project))
	p := place{config: cfg, project: project, data: data, base: base, name: base, person: events.Token(cfg.User.Name), state: userStateDir(os.Getenv)}
	if own, bound, err := p.ownership(); err == nil && bound.Folder == project {
		p.name = own.Project
	}
	if !events.IsPerson(p.person) {
		return place{}, failed(exitUsage, "the name %q belongs to the engine; set [user] name in your configuration", p.person)
	}
	return p, nil
}

// dataFolder is the data folder, absolute and without links on the way to it, so
// that it has one name. It need not be there; a file is none.
func dataFolder(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return "", fmt.Errorf("%s is no folder", path)
	}
	parent, err := realPath(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	return filepath.Join(parent, filepath.Base(path)), nil
}

// osUser is the name of the user of the operating system.
func osUser() string {
	u, err := user.Current()
	if err != nil || u.Username == "" {
		return "operator"
	}
	return filepath.Base(u.Username)
}

func (g *globals) printf(format string, args ...any) {
	if !g.quiet {
		fmt.Fprintf(g.out, format, args...)
	}
}
