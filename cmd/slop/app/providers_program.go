package app

import (
	"cmp"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/acp"
	"manualslop/tiers/llm/claudecli"
	"manualslop/tiers/llm/codexcli"
	"manualslop/tiers/llm/geminicli"
	"manualslop/tiers/runtime"
)

// programProviders are the providers that run a program.
func programProviders(c Config) []llm.Provider {
	return []llm.Provider{
		geminicli.Provider{Run: runtime.RunProgram, Folder: runsFolder(geminicli.Name), Inherit: c.keyVariables(geminicli.Name), Silence: silence(c, geminicli.Name)},
		claudecli.Provider{Run: runtime.RunProgram, Folder: runsFolder(claudecli.Name), Inherit: c.keyVariables(claudecli.Name), Silence: silence(c, claudecli.Name)},
		codexcli.Provider{Run: runtime.RunProgram, Folder: runsFolder(codexcli.Name), BaseURL: c.provider(codexcli.Name).BaseURL,
			KeyVariable: c.provider(codexcli.Name).APIKeyEnv, Silence: silence(c, codexcli.Name)},
		acp.Provider{Run: runtime.RunProgram, Folder: runsFolder(acp.Name), Args: c.provider(acp.Name).Args, Inherit: c.keyVariables(acp.Name), Silence: silence(c, acp.Name)},
	}
}

// keyVariables are the variables that the person lets a provider's program see
// beside those that it knows by itself.
func (c Config) keyVariables(provider string) []string {
	if name := c.provider(provider).APIKeyEnv; name != "" {
		return []string{name}
	}
	return nil
}

// findProgram tells whether there is a program for a provider that runs one.
func findProgram(c Config, provider, check, used string) finding {
	own := map[string]string{events.ProviderGeminiCLI: geminicli.DefaultProgram, events.ProviderClaudeCLI: claudecli.DefaultProgram, events.ProviderCodexCLI: codexcli.DefaultProgram}
	program := cmp.Or(c.provider(provider).Command, own[provider])
	if program == "" {
		return note(check, used+" has no program; name an agent with [providers."+provider+"] command")
	}
	path, err := runtime.FindProgram(program)
	if err != nil {
		return note(check, used+": "+err.Error())
	}
	return ok(check, used+" runs "+visible(path))
}
