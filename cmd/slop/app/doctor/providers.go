package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/tiers/llm/claudecli"
	"manualslop/tiers/llm/codexcli"
	"manualslop/tiers/llm/geminicli"
	"manualslop/tiers/runtime"
)

// usersOfProviders returns, by provider, the tiers and personas that use it, and whether retrieval does.
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
	var vectors []string
	if c.Retrieval.Enabled && c.Retrieval.Source == events.RetrieveVectors {
		vectors = []string{events.ProviderName(c.Retrieval.Provider)}
	}
	out := map[string]string{}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(tiers)), slices.Collect(maps.Keys(personas)), vectors) {
		var who []string
		if len(tiers[name]) > 0 {
			who = append(who, "tier "+strings.Join(tiers[name], ", "))
		}
		if len(personas[name]) > 0 {
			who = append(who, "persona "+strings.Join(personas[name], ", "))
		}
		if slices.Contains(vectors, name) {
			who = append(who, "retrieval")
		}
		out[name] = strings.Join(who, "; ")
	}
	return out
}

// findProviders checks whether this program has the providers of tiers and personas.
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
				"], which is neither a built-in provider nor a [providers] section; it has no effect"))
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
				", ")+"; for the scripted model, pass --script FILE"))
		}
	}
	return out
}

// findKey checks that a provider with an API has a key. A server that the user configured may need none.
func findKey(c config.Config, credentials config.Credentials, provider, check, used string) finding {
	switch {
	case credentials.APIKey(c, provider, os.Getenv) != "":
		return ok(check, used+" has a key")
	case c.Provider(provider).BaseURL != "":
		return ok(check, used+" is reached at "+term.Visible(c.Provider(provider).BaseURL)+" without a key")
	case config.IsKeyless(provider):
		return ok(check, used+" needs no key")
	}
	return note(check, used+" has no key; "+c.KeyAdvice(provider))
}

// findProgram checks that the program of a provider is installed.
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
