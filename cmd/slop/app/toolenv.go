package app

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

	"manualslop/projections/sessionlog"
	"manualslop/tools"
	"manualslop/tools/sandbox"
	"manualslop/tools/web"
)

// toolEnv is what tools may use in a project: the folders that are open to
// them, and how scripts run. The environment of scripts is the person's
// mcp_env.toml; a project's own one has no effect without trust, see untrusted.
// Errors: a *ConfigError, and status 2 for what cannot be enforced.
func (p place) toolEnv() (tools.Env, error) {
	confine := p.config.Shell.Sandbox == "workspace"
	if !confine && !p.config.Shell.Network {
		return tools.Env{}, failed(exitUsage, "[shell] network = false can be enforced with sandbox = \"workspace\" only, so no tools run")
	}
	user := UserConfigDir(os.Getenv)
	scripts, err := userShellEnvironment(user)
	if err != nil {
		return tools.Env{}, err
	}
	primary := p.project
	if bases := p.config.BaseDirs(p.project); !insideAny(bases, primary) {
		primary = bases[0]
	}
	network, err := p.network()
	if err != nil {
		return tools.Env{}, err
	}
	w, err := sandbox.Open(p.gate(sandbox.Config{Primary: primary, Bases: p.config.Files.BaseDirs, TrackedFiles: p.config.Files.Tracked}))
	if err != nil {
		return tools.Env{}, failed(exitUsage, "[files] base_dirs: %w", err)
	}
	return tools.Env{Workspace: w, Net: network, Performance: ownPerformance(), Shell: tools.Shell{
		Timeout: time.Duration(p.config.Shell.TimeoutS) * time.Second, Fallback: p.config.Shell.Fallback,
		PathPrepend: scripts.Path.Prepend, Set: scripts.Env, Confine: confine, Network: p.config.Shell.Network, Frozen: frozenNames(),
	}}, nil
}

// gate is a gate to folders with everything out of reach that is so in each of them.
func (p place) gate(c sandbox.Config) sandbox.Config {
	c.Engine = []string{p.data, filepath.Join(p.project, filepath.FromSlash(sessionlog.Base))}
	for _, own := range []string{UserConfigDir(os.Getenv), p.state} {
		if own != "" {
			c.Engine = append(c.Engine, own)
		}
	}
	c.Blacklist = slices.Concat(p.config.MCP.Blacklist, credentialNames(), []string{path.Base(sessionlog.RegistryFile)})
	c.AllowSymlinks = p.config.MCP.AllowSymlinks
	return c
}

// frozenNames are files of a project that decide what programs outside of the
// sandbox do: those of slop, of git, and of other agents.
func frozenNames() []string {
	return []string{
		"slop.toml", personasName, toolPresetsName, projectPresetsName, "mcp_env.toml", "mcp_config.json",
		".git/config", ".git/config.worktree", ".git/commondir", ".git/hooks", ".git/info", ".git/worktrees/*/commondir", ".git/worktrees/*/config.worktree",
		".beads/hooks", ".claude/settings.json", ".claude/settings.local.json", ".codex/config.toml", ".gemini/settings.json", ".mcp.json", ".cursor/mcp.json",
		".vscode/tasks.json", ".husky", ".envrc",
	}
}

// network is the gate to other machines that the configuration opens. It sends
// out nothing that holds a secret of the configuration.
func (p place) network() (*web.Client, error) {
	secrets, err := p.secrets()
	if err != nil {
		return nil, err
	}
	client, err := web.New(web.Settings{AllowHosts: p.config.Net.AllowHosts, SearchURL: p.config.Net.SearchURL, Secrets: secrets})
	if err != nil {
		return nil, failed(exitUsage, "[net]: %w", err)
	}
	return client, nil
}

// credentialNames are the names of files that slop writes and that give rights,
// wherever a person has put them.
func credentialNames() []string {
	return []string{"*.token", "person-*.json", "bus-tokens.json", ownerFile, "run.json"}
}

// userShellEnvironment reads the person's mcp_env.toml, expanded.
func userShellEnvironment(user string) (ShellEnvironment, error) {
	if user == "" {
		return ShellEnvironment{}, nil
	}
	file := filepath.Join(user, "mcp_env.toml")
	e, err := LoadShellEnvironment(file)
	if err != nil {
		return ShellEnvironment{}, err
	}
	known := scrubbed()
	if _, err := e.Expand(known); err != nil {
		return ShellEnvironment{}, failed(exitUsage, "%s: %w", file, err)
	}
	folders := e.Path.Prepend
	e.Path.Prepend = nil
	for _, folder := range folders {
		if drivePattern().MatchString(folder) && runtime.GOOS != "windows" {
			continue
		}
		folder, err := expandVariables(folder, known)
		if err != nil {
			return ShellEnvironment{}, failed(exitUsage, "%s: %w", file, err)
		}
		e.Path.Prepend = append(e.Path.Prepend, folder)
	}
	return e, nil
}

// scrubbed is what a script sees of this process's environment.
func scrubbed() map[string]string {
	out := map[string]string{}
	for _, entry := range sandbox.Environment(sandbox.Environ{}) {
		name, value, _ := strings.Cut(entry, "=")
		out[name] = value
	}
	return out
}

// untrusted lists the files of the project that would take effect if the
// person had trusted them.
func (p place) untrusted() []string {
	var out []string
	for _, name := range []string{"mcp_env.toml", "mcp_config.json"} {
		if _, err := os.Lstat(filepath.Join(p.project, name)); !errors.Is(err, fs.ErrNotExist) {
			out = append(out, name)
		}
	}
	return out
}
