package site

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/exit"
	"manualslop/events"
	"manualslop/events/policy"
	"manualslop/projections/sessionlog"
	"manualslop/tools"
	"manualslop/tools/mcp"
	"manualslop/tools/sandbox"
	"manualslop/tools/web"
)

// ToolEnv returns what tools may use in a project: the folders that are open to them, and how scripts run. The
// environment of scripts is the user's mcp_env.toml on top of the project's, if the user trusts that. It returns a
// *Error, and status 2 for settings that cannot be enforced.
func (p Place) ToolEnv() (tools.Env, error) {
	confine := p.Config.Shell.Sandbox == "workspace"
	if !confine && !p.Config.Shell.Network {
		return tools.Env{}, exit.Errorf(exit.Usage, "[shell] network = false needs sandbox = \"workspace\"; no tools run "+
			"without it")
	}
	scripts, err := p.shellEnvironment()
	if err != nil {
		return tools.Env{}, err
	}
	network, err := p.network()
	if err != nil {
		return tools.Env{}, err
	}
	w, err := sandbox.Open(p.gate(sandbox.Config{WorkDir: p.Project, Bases: p.Config.Files.BaseDirs,
		TrackedFiles: p.Config.Files.Tracked}))
	if err != nil {
		return tools.Env{}, exit.Errorf(exit.Usage, "[files] base_dirs: %w", err)
	}
	return tools.Env{Workspace: w, Net: network, Shell: tools.Shell{
		Timeout: time.Duration(p.Config.Shell.TimeoutS) * time.Second, Fallback: p.Config.Shell.Fallback,
		MaxTimeout:  time.Duration(p.Config.Shell.MaxTimeoutS) * time.Second,
		PathPrepend: scripts.Path.Prepend, Set: scripts.Env, Confine: confine, Network: p.Config.Shell.Network,
		Frozen: policy.SteeringFiles(),
	}}, nil
}

// Root returns the folder that relative paths of tools start at: the first base directory, else the project.
func (p Place) Root() string {
	if bases := p.Config.Files.BaseDirs; len(bases) > 0 {
		return bases[0]
	}
	return p.Project
}

// gate adds the names that are protected in every folder to a gate.
func (p Place) gate(c sandbox.Config) sandbox.Config {
	c.Engine = []string{p.Data, filepath.Join(p.Project, filepath.FromSlash(sessionlog.Base))}
	for _, own := range []string{config.UserDir(os.Getenv), p.State} {
		if own != "" {
			c.Engine = append(c.Engine, own)
		}
	}
	c.Blacklist = slices.Concat(p.Config.MCP.Blacklist, CredentialNames(), []string{path.Base(sessionlog.RegistryFile)})
	c.AllowSymlinks = p.Config.MCP.AllowSymlinks
	return c
}

// network returns the client for other machines, limited by the configuration. It never sends a secret of the
// configuration.
func (p Place) network() (*web.Client, error) {
	secrets, err := p.Secrets()
	if err != nil {
		return nil, err
	}
	client, err := web.New(web.Settings{AllowHosts: p.Config.Net.AllowHosts, SearchURL: p.Config.Net.SearchURL,
		Secrets: secrets})
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "[net]: %w", err)
	}
	return client, nil
}

// CredentialNames returns the names of files with credentials that slop writes, wherever a user has put them.
func CredentialNames() []string {
	return []string{"*.token", "person-*.json", "bus-tokens.json", OwnerFile, "run.json"}
}

// EnvironmentFile is the name of the files, the user's and the project's, with the environment of scripts.
const EnvironmentFile = "mcp_env.toml"

// shellEnvironment reads the environment of scripts and expands it: the project's if it is trusted, and the user's on
// top.
func (p Place) shellEnvironment() (config.ShellEnvironment, error) {
	user := config.UserDir(os.Getenv)
	if user == "" {
		return config.ShellEnvironment{}, nil
	}
	file := filepath.Join(user, EnvironmentFile)
	e, _, err := config.LoadShellEnvironment(file)
	if err == nil {
		e, err = expanded(file, e)
	}
	if err != nil {
		return config.ShellEnvironment{}, err
	}
	theirs, there := p.ProjectEnvironment()
	switch {
	case !there || !theirs.Trusted:
		return e, nil
	case theirs.Err != nil:
		return config.ShellEnvironment{}, exit.Errorf(exit.Usage, "%w", theirs.Err)
	}
	return theirs.ShellEnvironment.With(e), nil
}

// ProjectEnvironment is the mcp_env.toml of a project, which has no effect until the user trusts its content.
type ProjectEnvironment struct {
	config.ShellEnvironment        // expanded
	Hash                    string // SHA-256 of the content; empty if it cannot be read
	Trusted                 bool
	Err                     error // why it cannot take effect
}

// ProjectEnvironment reads the project's file. It returns false if there is none.
func (p Place) ProjectEnvironment() (ProjectEnvironment, bool) {
	file := filepath.Join(p.Project, EnvironmentFile)
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return ProjectEnvironment{}, false
	}
	e, text, err := config.LoadShellEnvironment(file)
	if text == nil {
		return ProjectEnvironment{Err: err}, true
	}
	out := ProjectEnvironment{Hash: events.Digest(text)}
	if err == nil {
		out.ShellEnvironment, err = expanded(file, e)
	}
	if err == nil {
		err = out.CheckProject(append(config.OpenedDirs(p.Config, p.Project), p.Project, p.Data))
	}
	if user := config.UserDir(os.Getenv); user != "" {
		trust, unread := mcp.LoadTrust(user)
		err = errors.Join(err, unread)
		out.Trusted = unread == nil && slices.Contains(trust.Environments, out.Hash)
	}
	out.Err = err
	return out, true
}

// expanded checks that an environment can be expanded here, and expands its folders.
func expanded(file string, e config.ShellEnvironment) (config.ShellEnvironment, error) {
	known := scrubbed()
	if _, err := e.Expand(known); err != nil {
		return config.ShellEnvironment{}, exit.Errorf(exit.Usage, "%s: %w", file, err)
	}
	folders := e.Path.Prepend
	e.Path.Prepend = nil
	for _, folder := range folders {
		if config.DrivePattern().MatchString(folder) && runtime.GOOS != "windows" {
			continue
		}
		folder, err := config.ExpandVariables(folder, known)
		if err != nil {
			return config.ShellEnvironment{}, exit.Errorf(exit.Usage, "%s: %w", file, err)
		}
		e.Path.Prepend = append(e.Path.Prepend, folder)
	}
	return e, nil
}

// scrubbed returns the part of this process's environment that scripts see.
func scrubbed() map[string]string {
	out := map[string]string{}
	for _, entry := range sandbox.Environment(sandbox.Environ{}) {
		name, value, _ := strings.Cut(entry, "=")
		out[name] = value
	}
	return out
}

// Untrusted lists the project's files that would take effect if the user trusted them.
func (p Place) Untrusted() []string {
	if e, there := p.ProjectEnvironment(); there && !e.Trusted {
		return []string{EnvironmentFile}
	}
	return nil
}
