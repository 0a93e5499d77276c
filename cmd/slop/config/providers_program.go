package config

import (
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/acp"
	"manualslop/tiers/llm/claudecli"
	"manualslop/tiers/llm/codexcli"
	"manualslop/tiers/llm/geminicli"
	"manualslop/tiers/runtime"
)

// programProviders returns the providers that run a program.
func programProviders(c Config) []llm.Provider {
	return []llm.Provider{
		geminicli.Provider{Run: runtime.RunProgram, Folder: runsFolder(geminicli.Name),
			Text:    c.Provider(geminicli.Name).Tools == "text",
			Inherit: c.keyVariables(geminicli.Name), Silence: silence(c, geminicli.Name)},
		claudecli.Provider{Run: runtime.RunProgram, Folder: runsFolder(claudecli.Name),
			Inherit: c.keyVariables(claudecli.Name), Silence: silence(c, claudecli.Name)},
		codexcli.Provider{Run: runtime.RunProgram, Folder: runsFolder(codexcli.Name),
			BaseURL:     c.Provider(codexcli.Name).BaseURL,
			KeyVariable: c.Provider(codexcli.Name).APIKeyEnv, Silence: silence(c, codexcli.Name)},
		acp.Provider{Run: runtime.RunProgram, Folder: runsFolder(acp.Name), Args: c.Provider(acp.Name).Args,
			Inherit: c.keyVariables(acp.Name), Silence: silence(c, acp.Name)},
	}
}

// keyVariables returns the additional variables that the user lets a provider's program see.
func (c Config) keyVariables(provider string) []string {
	if name := c.Provider(provider).APIKeyEnv; name != "" {
		return []string{name}
	}
	return nil
}
