package app

import (
	"cmp"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/tiers/contributor"
	"manualslop/tiers/llm/script"
	"manualslop/tools"
	"manualslop/tools/web"
)

// settings are the parts of the configuration that decisions depend on, as a
// session records them.
func (p place) settings(scripted bool) events.Settings {
	c := p.config
	s := events.Settings{
		MaxWorkers: c.MMA.MaxWorkers, StepMode: c.MMA.StepMode, SpawnApproval: c.MMA.SpawnApproval, MaxRetries: c.MMA.MaxRetries, Review: c.MMA.Review,
		AskTimeoutMS: int64(c.Ask.TimeoutS) * 1000, ToolTimeoutMS: int64(c.Shell.TimeoutS) * 1000,
		Tracked: p.relative(c.Files.Tracked), FollowLinks: c.MCP.AllowSymlinks, Isolation: c.MMA.Isolation,
		AllowHosts: c.Net.AllowHosts, SearchURL: cmp.Or(c.Net.SearchURL, web.DefaultSearchURL),
	}
	if !scripted { // which is not overloaded for long
		s.ModelAttempts = c.MMA.ModelAttempts
	}
	for n := 1; n <= 4; n++ {
		s.Tiers = append(s.Tiers, tierSettings(n, c.Tier(n), scripted))
	}
	s.Rules, s.Providers, s.Budget, s.Shell = p.rules(false), programs(c), c.Budget.settings(), p.shell()
	s.Roster, s.Languages = roster(c.Roster, scripted), languages(p.project)
	s.System, s.Git = runtime.GOOS, p.inGit()
	return s
}

// roster is who works. The scripted model answers for all of them.
func roster(r events.Roster, scripted bool) events.Roster {
	if !scripted {
		return r
	}
	r.Personas = slices.Clone(r.Personas)
	for i := range r.Personas {
		r.Personas[i].Models = nil
	}
	return r
}

// shell is what runs scripts here, as models are told; empty where nothing does.
func (p place) shell() string {
	scripts, err := userShellEnvironment(UserConfigDir(os.Getenv))
	if err != nil {
		return "" // whoever opens the tools says it
	}
	return tools.Shell{Fallback: p.config.Shell.Fallback, PathPrepend: scripts.Path.Prepend, Set: scripts.Env}.Interpreter()
}

// inGit tells whether the project's folder is the top of a git repository.
func (p place) inGit() bool {
	_, err := os.Lstat(filepath.Join(p.project, ".git"))
	return err == nil
}

// rules are the person's rules of now, with --yes where it was given.
func (p place) rules(yes bool) []events.Rule {
	out := []events.Rule{}
	for _, r := range p.config.Rules {
		out = append(out, rule(r))
	}
	if yes {
		out = append(out, yesRule())
	}
	return out
}

func tierSettings(n int, t TierConfig, scripted bool) events.TierSettings {
	out := events.TierSettings{Tier: n, Provider: events.ProviderName(t.Provider), Models: t.Models, Temperature: t.Temperature, TopP: t.TopP, Effort: t.Effort,
		MaxOutputTokens: t.MaxOutputTokens, MaxRounds: t.MaxRounds, Persona: t.Persona, ToolPreset: t.ToolPreset, BiasProfile: t.BiasProfile, PromptPreset: t.PromptPreset}
	if len(out.Models) == 0 {
		out.Models = []string{t.Model}
	}
	if scripted && t.Provider != script.Name {
		out.Provider, out.Models = script.Name, []string{"scripted"}
	}
	return out
}

func rule(r RuleConfig) events.Rule {
	action, scope := r.Action()
	name := map[RuleAction]string{RuleAllow: "allow", RuleAsk: "ask", RuleDeny: "deny"}[action]
	return events.Rule{Tool: r.Tool, Action: name, Args: scope.Globs, Source: r.Origin}
}

// relative names files as events do: relative to the project, with slashes.
func (p place) relative(paths []string) []string {
	var out []string
	for _, path := range paths {
		rel, err := filepath.Rel(p.project, path)
		if err != nil || strings.HasPrefix(rel, "..") {
			rel = path
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return out
}

// offers are the tools as a session records them.
func offers(r *tools.Registry) events.ToolsOffered {
	var out events.ToolsOffered
	for _, t := range r.All() {
		out.Tools = append(out.Tools, events.ToolOffer{Name: t.Spec().Name, Description: t.Spec().Text(), Effect: t.Spec().Effect.String(), Schema: t.Schema()})
	}
	out.Tools = append(out.Tools, contributor.FindToolsOffer())
	slices.SortFunc(out.Tools, func(a, b events.ToolOffer) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// checkListenFlags refuses what cannot be an address to listen on, before
// anything is opened.
func checkListenFlags(listen, nats string) error {
	for flag, addr := range map[string]string{"--listen": listen, "--nats-listen": nats} {
		if addr == "" {
			continue
		}
		_, port, err := net.SplitHostPort(addr)
		if err == nil {
			_, err = strconv.ParseUint(port, 10, 16)
		}
		if err != nil {
			return failed(exitUsage, "%s %q is no address: give HOST:PORT, such as 127.0.0.1:0", flag, addr)
		}
	}
	return nil
}

// secrets are the values that must never reach the record.
func (p place) secrets() ([]string, error) {
	credentials, err := LoadCredentials(UserConfigDir(os.Getenv))
	if err != nil {
		return nil, err
	}
	return credentials.Secrets(p.config, os.Getenv), nil
}

// folderName is the name of a session's log folder: YYYYMMDD_HHMMSS[_Label].
func folderName(at time.Time, label string) string {
	name := at.Format("20060102_150405")
	if label != "" {
		name += "_" + events.Token(label)
	}
	return name
}
