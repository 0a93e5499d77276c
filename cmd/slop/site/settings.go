package site

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/exit"
	"manualslop/events"
	"manualslop/tiers/contributor"
	"manualslop/tools"
)

// Settings returns the settings of a session that is opened here: those of the configuration, plus what the project
// and this machine add.
func (p Place) Settings(scripted bool) events.Settings {
	s := p.Config.Settings(scripted)
	s.Tracked, s.Rules, s.Shell = p.Relative(p.Config.Files.Tracked), p.Rules(false), p.shell()
	s.Languages, s.System, s.Git = languages(p.Project), runtime.GOOS, p.inGit()
	return s
}

// shell returns the name of the shell that runs scripts here, as shown to models, or "" if there is none.
func (p Place) shell() string {
	scripts, err := p.shellEnvironment()
	if err != nil {
		return "" // the error is reported when the tools are opened
	}
	return tools.Shell{Fallback: p.Config.Shell.Fallback, PathPrepend: scripts.Path.Prepend,
		Set: scripts.Env}.Interpreter()
}

// inGit reports whether the project's folder is the top of a git repository.
func (p Place) inGit() bool {
	_, err := os.Lstat(filepath.Join(p.Project, ".git"))
	return err == nil
}

// Rules returns the user's current rules, including that of --yes if it was given.
func (p Place) Rules(yes bool) []events.Rule {
	out := []events.Rule{}
	for _, r := range p.Config.Rules {
		out = append(out, rule(r))
	}
	if yes {
		out = append(out, YesRule())
	}
	return out
}

func rule(r config.Rule) events.Rule {
	action, scope := r.Action()
	name := map[config.RuleAction]string{config.RuleAllow: "allow", config.RuleAsk: "ask", config.RuleDeny: "deny"}[action]
	return events.Rule{Tool: r.Tool, Action: name, Args: scope.Globs, Source: r.Origin}
}

// Relative converts absolute paths to the form that events use: with slashes, and relative to the root if they are
// inside it.
func (p Place) Relative(paths []string) []string {
	var out []string
	for _, path := range paths {
		rel, err := filepath.Rel(p.Root(), path)
		if err != nil || !filepath.IsLocal(rel) {
			rel = path
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return out
}

// Offers returns the tools as a session records them. servers are the external servers to which some of the tools
// belong.
func Offers(r *tools.Registry, servers ...string) events.ToolsOffered {
	var out events.ToolsOffered
	for _, t := range r.All() {
		out.Tools = append(out.Tools, events.ToolOffer{Name: t.Spec().Name, Description: t.Spec().Text(),
			Effect: t.Spec().Effect.String(), Schema: t.Schema()})
	}
	out.Tools = append(out.Tools, contributor.FindToolsOffer(servers...))
	slices.SortFunc(out.Tools, func(a, b events.ToolOffer) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// CheckListenFlags validates the addresses to listen on before anything is opened.
func CheckListenFlags(listen, nats string) error {
	for flag, addr := range map[string]string{"--listen": listen, "--nats-listen": nats} {
		if addr == "" {
			continue
		}
		_, port, err := net.SplitHostPort(addr)
		if err == nil {
			_, err = strconv.ParseUint(port, 10, 16)
		}
		if err != nil {
			return exit.Errorf(exit.Usage, "%s must be HOST:PORT, such as 127.0.0.1:0, got %q", flag, addr)
		}
	}
	return nil
}

// Secrets returns the values that must never reach the record.
func (p Place) Secrets() ([]string, error) {
	credentials, err := config.LoadCredentials(config.UserDir(os.Getenv))
	if err != nil {
		return nil, err
	}
	return credentials.Secrets(p.Config, os.Getenv), nil
}

// FolderName returns the name of a session's log folder: YYYYMMDD_HHMMSS[_Label].
func FolderName(at time.Time, label string) string {
	name := at.Format("20060102_150405")
	if label != "" {
		name += "_" + events.Token(label)
	}
	return name
}

// YesRule returns the rule that --yes records.
func YesRule() events.Rule {
	return events.Rule{Tool: "*", Action: "allow", Scope: "session", Source: "--yes"}
}
