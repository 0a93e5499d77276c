package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/hookclient"
	"manualslop/hookgw/status"
	"manualslop/hookgw/wire"
	"manualslop/tiers/llm/claudecli"
	"manualslop/tiers/llm/codexcli"
	"manualslop/tiers/llm/geminicli"
	"manualslop/tiers/runtime"
	"manualslop/tools"
	"manualslop/tools/sandbox"
)

// checkShell tells what runs scripts.
func checkShell(p site.Place) finding {
	const check = "shell"
	env, err := p.ToolEnv()
	if err != nil {
		return broken(check, err.Error())
	}
	defer func() { _ = env.Workspace.Close() }()
	vars := sandbox.Environment(sandbox.Environ{PathPrepend: env.Shell.PathPrepend, Set: env.Shell.Set})
	if _, found := sandbox.FindProgram(vars, "bwrap"); env.Shell.Confine && !found {
		return broken(check, "[shell] sandbox = \"workspace\" needs bubblewrap (bwrap), which is not on PATH: "+
			"run_powershell refuses every script")
	}
	if path, found := sandbox.FindProgram(vars, "powershell.exe", "pwsh.exe", "powershell", "pwsh"); found {
		return ok(check, "PowerShell: "+path)
	}
	if env.Shell.Fallback == tools.FallbackNone {
		return note(check, "PowerShell is not installed, and [shell] fallback = \"none\": run_powershell refuses every script")
	}
	if path, found := sandbox.FindProgram(vars, "bash", "sh"); found {
		return note(check, "PowerShell is not installed; scripts run in "+path)
	}
	return broken(check, "neither PowerShell nor a POSIX shell is on PATH")
}

func checkGit(ctx context.Context) finding {
	path, err := exec.LookPath("git")
	if err != nil {
		return note("git", "not found; get_git_diff cannot work")
	}
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return broken("git", fmt.Sprintf("%s: %v", path, err))
	}
	return ok("git", strings.TrimSpace(string(out)))
}

// checkEngine tells whether the gateway of the engine answers, and to its tokens.
func checkEngine(ctx context.Context, info site.EngineInfo, engineErr error) []finding {
	const check = "gateway"
	var damaged *site.DamagedRunFile
	if errors.As(engineErr, &damaged) {
		return []finding{note("engine", "none runs on this data folder; "+damaged.Err.Error())}
	}
	if errors.Is(engineErr, site.ErrForeign) {
		return []finding{note("engine", "not looked for in a data folder that is not yours")}
	}
	if errors.Is(engineErr, site.ErrNoEngine) {
		return []finding{note("engine", "none runs on this data folder")}
	}
	if engineErr != nil {
		return []finding{broken("engine", engineErr.Error())}
	}
	out := []finding{ok("engine", fmt.Sprintf("process %d, began with session %s", info.PID, info.Session))}
	client, err := client.NewAPIClient(info, access.RightRead)
	if err != nil {
		return append(out, broken(check, err.Error()))
	}
	begun := time.Now()
	var body json.RawMessage
	if err := look(ctx, client, "/status", &body); err != nil {
		return append(out, broken(check, term.Visible(err.Error())))
	}
	if err := look(ctx, client, "/api/gui/mma_status", &body); err != nil {
		return append(out, broken(check, "it answers but refuses the token in "+info.Tokens+": "+term.Visible(err.Error())))
	}
	return append(out, ok(check, fmt.Sprintf("%s answers in %s", info.Hooks, time.Since(begun).Round(time.Microsecond))))
}

// look reads an answer of the gateway, once.
func look(ctx context.Context, client *hookclient.Client, path string, out any) error {
	_, err := client.Call(ctx, http.MethodGet, path, nil, nil, out)
	return err
}

// checkRoles asks the gateway which roles are at work.
func checkRoles(ctx context.Context, info site.EngineInfo, engineErr error) []finding {
	if engineErr != nil {
		return nil
	}
	client, err := client.NewAPIClient(info, access.RightRead)
	if err != nil {
		return nil // said of the gateway already
	}
	var roles struct{ Present, Missing []string }
	if err := look(ctx, client, "/api/roles", &roles); err != nil {
		return []finding{broken("roles", term.Visible(err.Error()))}
	}
	out := []finding{ok("roles", "at work: "+term.FirstOf(strings.Join(roles.Present, ", "), "none"))}
	if len(roles.Missing) > 0 {
		out = append(out, broken("roles", "nobody runs "+strings.Join(roles.Missing, ", ")))
	}
	return out
}

// maxRequestsShown bounds the requests that the doctor names.
const maxRequestsShown = 5

// checkRequests asks the gateway which requests wait, and what for.
func checkRequests(ctx context.Context, info site.EngineInfo, engineErr error) []finding {
	const check = "requests"
	if engineErr != nil {
		return nil
	}
	client, err := client.NewAPIClient(info, access.RightRead)
	if err != nil {
		return nil // said of the gateway already
	}
	var open status.OpenRequests
	var state wire.GUIHealth
	if err := errors.Join(look(ctx, client, "/api/requests", &open), look(ctx, client, "/api/gui_health",
		&state)); err != nil {
		return []finding{broken(check, term.Visible(err.Error()))}
	}
	var out []finding
	if state.DegradedReason != nil {
		out = append(out, broken("health", term.Visible(*state.DegradedReason)))
	}
	if len(open.Requests) == 0 {
		return append(out, ok(check, "none waits"))
	}
	said := []string{fmt.Sprintf("%d wait", len(open.Requests))}
	for _, r := range open.Requests[:min(len(open.Requests), maxRequestsShown)] {
		said = append(said, fmt.Sprintf("%s %s since %s for %s", r.Type, r.Subject, r.Since.UTC().Format(time.RFC3339),
			r.WaitsFor))
	}
	return append(out, note(check, term.Visible(strings.Join(said, "; "))))
}

// usersOfProviders says by provider which tiers and personas ask it.
func usersOfProviders(c config.Config) map[string]string {
	tiers, personas := map[string][]string{}, map[string][]string{}
	for n := 1; n <= 4; n++ {
		name := events.ProviderName(c.Tier(n).Provider)
		tiers[name] = append(tiers[name], fmt.Sprint(n))
	}
	for _, p := range c.Roster.Personas {
		for _, m := range p.Models {
			if name := events.ProviderName(m.Provider); !slices.Contains(personas[name], p.Name) {
				personas[name] = append(personas[name], p.Name)
			}
		}
	}
	out := map[string]string{}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(tiers)), slices.Collect(maps.Keys(personas))) {
		var who []string
		if len(tiers[name]) > 0 {
			who = append(who, "tier "+strings.Join(tiers[name], ", "))
		}
		if len(personas[name]) > 0 {
			who = append(who, "persona "+strings.Join(personas[name], ", "))
		}
		out[name] = strings.Join(who, "; ")
	}
	return out
}

// findProviders tells whether this program has the providers of tiers and personas.
func findProviders(p site.Place) []finding {
	const check = "providers"
	credentials, err := config.KeysOf(p.Config)
	if err != nil {
		return []finding{broken(check, err.Error())}
	}
	var out []finding
	if credentials.Exposed {
		out = append(out, note("credentials", "other users may read credentials.toml; chmod 600 it"))
	}
	for _, name := range slices.Sorted(maps.Keys(credentials.Keys)) {
		if !p.Config.KnownProvider(name) {
			out = append(out, note("credentials", "credentials.toml has a key for ["+term.Visible(name)+
				"], which this program does not have and no [providers] section names; it has no effect"))
		}
	}
	users := usersOfProviders(p.Config)
	for _, name := range slices.Sorted(maps.Keys(users)) {
		used := name + " (" + users[name] + ")"
		switch {
		case name == config.ScriptProvider:
			out = append(out, ok(check, used+" is the scripted model"))
		case events.RunsProgram(name):
			out = append(out, findProgram(p.Config, name, check, used))
		case slices.Contains(config.ProviderNames(p.Config), name):
			out = append(out, findKey(p.Config, credentials, name, check, used))
		default:
			out = append(out, note(check, used+" is not a provider; use one of "+strings.Join(config.ProviderNames(p.Config),
				", ")+", and the scripted model: give --script FILE"))
		}
	}
	return out
}

// findKey tells whether there is a key for a provider that is reached by its
// API. A server that the person names may need none.
func findKey(c config.Config, credentials config.Credentials, provider, check, used string) finding {
	switch {
	case credentials.APIKey(c, provider, os.Getenv) != "":
		return ok(check, used+" has a key")
	case c.Provider(provider).BaseURL != "":
		return ok(check, used+" is reached at "+term.Visible(c.Provider(provider).BaseURL)+" without a key")
	case config.IsKeyless(provider):
		return ok(check, used+" needs no key")
	}
	return note(check, used+" has no key; "+keyAdvice(c, provider))
}

// keyAdvice is how a provider gets a key that it does not have.
func keyAdvice(c config.Config, provider string) string {
	if variable := c.Provider(provider).APIKeyEnv; variable != "" {
		return "set " + variable + ", which its api_key_env names"
	}
	advice := "put api_key under [" + provider + "] into credentials.toml, or name a variable with [providers." +
		provider + "] api_key_env"
	if variable := config.KeyVariables()[provider]; variable != "" {
		advice = "set " + variable + ", or " + advice
	}
	return advice
}

// findProgram tells whether there is a program for a provider that runs one.
func findProgram(c config.Config, provider, check, used string) finding {
	own := map[string]string{events.ProviderGeminiCLI: geminicli.DefaultProgram,
		events.ProviderClaudeCLI: claudecli.DefaultProgram, events.ProviderCodexCLI: codexcli.DefaultProgram}
	program := cmp.Or(c.Provider(provider).Command, own[provider])
	if program == "" {
		return note(check, used+" has no program; name an agent with [providers."+provider+"] command")
	}
	path, err := runtime.FindProgram(program)
	if err != nil {
		return note(check, used+": "+err.Error())
	}
	return ok(check, used+" runs "+term.Visible(path))
}
