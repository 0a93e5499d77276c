package events

import (
	"slices"
	"strings"

	"manualslop/events/chars"
)

// Providers that run a program.
const (
	ProviderGeminiCLI = "gemini_cli"
	ProviderClaudeCLI = "claude_cli"
	ProviderCodexCLI  = "codex_cli"
	ProviderACP       = "acp" // any agent that speaks the Agent Client Protocol
)

// ProviderName is the one spelling of a provider's name: small letters, and _
// where others write - or a dot. So MiniMax is minimax, gemini-cli is
// gemini_cli, llama.cpp is llama_cpp. Ollama has the name of the original, llama.
func ProviderName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '-' || r == '.' {
			return '_'
		}
		return r
	}, chars.Lower(name))
	if name == "ollama" {
		return "llama"
	}
	return name
}

// RunsProgram tells whether a provider, in whatever spelling, runs as a
// subprocess, so that a program may be named for it.
func RunsProgram(provider string) bool {
	return slices.Contains(subprocesses(), ProviderName(provider))
}

// RunsLocally tells whether a provider, in whatever spelling, is a server on the
// person's own machine. Such a server takes the room that its window leaves as the
// limit of a reply for which none is given, and refuses one over that room.
func RunsLocally(provider string) bool {
	return slices.Contains([]string{"llama", "llama_cpp", "vllm"}, ProviderName(provider))
}

// subprocesses are the providers that run a program.
func subprocesses() []string {
	return []string{ProviderGeminiCLI, ProviderClaudeCLI, ProviderCodexCLI, ProviderACP}
}

// Tier finds the settings of a tier; the zero value where none are recorded.
func (s Settings) Tier(n int) TierSettings {
	for _, t := range s.Tiers {
		if t.Tier == n {
			return t
		}
	}
	return TierSettings{Tier: n}
}

// Offered is what is known of models, by the newest ModelsOffered.
func (s Settings) Offered() ModelsOffered { return s.offered }

// Command is the program set for a provider; empty: the provider's own.
func (s Settings) Command(provider string) string {
	for _, p := range s.Providers {
		if ProviderName(p.Provider) == ProviderName(provider) {
			return p.Command
		}
	}
	return ""
}

// Model is the ladder's model for the given number of retries.
func (t TierSettings) Model(retries int) string {
	if len(t.Models) == 0 {
		return ""
	}
	return t.Models[min(max(retries, 0), len(t.Models)-1)]
}

// Changed is s after the event with payload p, and whether that event counts
// as a change of settings. It is the only place that applies one: every decider
// and fold that keeps Settings calls it. A change that its Check refuses counts
// for nothing. The value that it is called on, and what it shares with others,
// stays as it is.
func (s Settings) Changed(p Payload) (Settings, bool) {
	switch x := p.(type) {
	case ModelsOffered:
		s.offered = x
	case StepModeSet:
		s.StepMode = x.On
	case TierChanged:
		if x.Check() != nil || x.CheckNames(s.Roster) != nil {
			return s, false
		}
		s.Tiers = x.apply(s.Tiers)
	case ProviderChanged:
		if x.Check() != nil {
			return s, false
		}
		s.Providers = x.apply(s.Providers)
	case SettingsChanged:
		if x.Check() != nil {
			return s, false
		}
		set(&s.MaxWorkers, x.MaxWorkers)
		set(&s.MaxRetries, x.MaxRetries)
		set(&s.SpawnApproval, x.SpawnApproval)
		set(&s.PlanReview, x.PlanReview)
		set(&s.QADisabled, x.QADisabled)
		set(&s.Review, x.Review)
	case FilesTracked:
		if x.Check() != nil {
			return s, false
		}
		s.Tracked = x.Paths
	case ProjectLoaded:
		s.ProjectPrompt = projectPrompt("", x.Document)
	case ProjectEdited:
		s.ProjectPrompt = projectPrompt(s.ProjectPrompt, x.Changes)
	default:
		return s, false
	}
	return s, true
}

// apply gives a copy of the tiers with the change in it; a tier that was not
// recorded is added.
func (e TierChanged) apply(tiers []TierSettings) []TierSettings {
	out := slices.Clone(tiers)
	for n := 1; n <= 4; n++ {
		if e.Tier != 0 && e.Tier != n {
			continue
		}
		i := slices.IndexFunc(out, func(t TierSettings) bool { return t.Tier == n })
		if i < 0 {
			i, out = len(out), append(out, TierSettings{Tier: n})
		}
		t := &out[i]
		if e.Provider != "" {
			t.Provider = ProviderName(e.Provider)
		}
		if len(e.Models) > 0 {
			t.Models = e.Models
		}
		if e.Temperature != nil {
			t.Temperature = e.Temperature
		}
		if e.TopP != nil {
			t.TopP = e.TopP
		}
		set(&t.Effort, e.Effort)
		set(&t.MaxOutputTokens, e.MaxOutputTokens)
		set(&t.MaxRounds, e.MaxRounds)
		set(&t.Persona, e.Persona)
		set(&t.ToolPreset, e.ToolPreset)
		set(&t.BiasProfile, e.BiasProfile)
		set(&t.PromptPreset, e.PromptPreset)
	}
	return out
}

// apply gives a copy of the providers with the program of one of them set; an
// empty command takes it out.
func (e ProviderChanged) apply(providers []ProviderSettings) []ProviderSettings {
	name := ProviderName(e.Provider)
	out := slices.DeleteFunc(slices.Clone(providers), func(p ProviderSettings) bool {
		return ProviderName(p.Provider) == name
	})
	if e.Command != "" {
		out = append(out, ProviderSettings{name, e.Command})
	}
	return out
}

func set[T any](to, value *T) {
	if value != nil {
		*to = *value
	}
}
