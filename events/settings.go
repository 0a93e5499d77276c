package events

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"manualslop/events/chars"
)

// Providers that run a program.
const (
	ProviderGeminiCLI = "gemini_cli"
	ProviderClaudeCLI = "claude_cli"
	ProviderCodexCLI  = "codex_cli"
	ProviderACP       = "acp" // any agent that supports the Agent Client Protocol
)

// ProviderName returns the canonical spelling of a provider's name: in lower case, with _ instead
// of - or a dot. So MiniMax becomes minimax, gemini-cli gemini_cli, and llama.cpp llama_cpp.
// Ollama has its name in the original system, llama.
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

// RunsProgram reports whether a provider, in any spelling, runs as a subprocess, so that a program
// can be configured for it.
func RunsProgram(provider string) bool {
	return slices.Contains(subprocesses(), ProviderName(provider))
}

// RunsLocally reports whether a provider, in any spelling, is a server on the person's own
// machine. If no limit is given, such a server limits a reply to the space left in its window; it
// rejects a larger limit.
func RunsLocally(provider string) bool {
	return slices.Contains([]string{"llama", "llama_cpp", "vllm"}, ProviderName(provider))
}

// subprocesses returns the providers that run a program.
func subprocesses() []string {
	return []string{ProviderGeminiCLI, ProviderClaudeCLI, ProviderCodexCLI, ProviderACP}
}

// Tier returns the settings of a tier; the zero value if there are none.
func (s Settings) Tier(n int) TierSettings {
	for _, t := range s.Tiers {
		if t.Tier == n {
			return t
		}
	}
	return TierSettings{Tier: n}
}

// Offered returns the known models, from the newest ModelsOffered.
func (s Settings) Offered() ModelsOffered { return s.offered }

// Command returns the program set for a provider; empty means the provider's default.
func (s Settings) Command(provider string) string {
	for _, p := range s.Providers {
		if ProviderName(p.Provider) == ProviderName(provider) {
			return p.Command
		}
	}
	return ""
}

// Model returns the model for the given number of retries.
func (t TierSettings) Model(retries int) string {
	if len(t.Models) == 0 {
		return ""
	}
	return t.Models[min(max(retries, 0), len(t.Models)-1)]
}

// Changed returns the settings after an event with payload p, and whether that event changes
// settings. It is the only code that applies such a change: every decider and fold that keeps
// Settings calls it. A change that its Check rejects has no effect. The receiver, and data that it
// shares with others, are not modified.
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
		if x.After != nil { // for files only
			return s, false
		}
		s.ProjectPrompt = projectPrompt(s.ProjectPrompt, x.Changes)
	case CurationRestored:
		if len(x.Changes) == 0 {
			return s, false
		}
		s.ProjectPrompt = projectPrompt(s.ProjectPrompt, x.Changes)
	default:
		return s, false
	}
	return s, true
}

// apply returns a copy of the tiers with the change applied; it adds a tier that was not recorded.
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

// apply returns a copy of the providers with the program of one of them changed; an empty command
// removes it.
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

// TierChanged changes the models and limits of a tier. Unset members do not change. It applies to
// all later model requests; recorded requests keep their settings.
type TierChanged struct {
	Tier            int      `json:"tier"`                        // 1 to 4; 0 means all four
	Provider        string   `json:"provider,omitempty"`          // see [ProviderName]
	Models          []string `json:"models,omitempty"`            // the complete list of models
	Temperature     *float64 `json:"temperature,omitempty"`       // 0 to 2
	TopP            *float64 `json:"top_p,omitempty"`             // 0 to 1
	Effort          *string  `json:"effort,omitempty"`            // one of [Efforts]; empty: the provider's default
	MaxOutputTokens *int     `json:"max_output_tokens,omitempty"` // 0 to MaxOutputTokens; 0 means the model's limit
	MaxRounds       *int     `json:"max_rounds,omitempty"`        // 1 to MaxRounds
	// Persona, ToolPreset, BiasProfile and PromptPreset are names in the session's [Roster], or
	// empty for none. Their texts appear in the prompts of conversations that begin afterwards.
	Persona      *string `json:"persona,omitempty"`
	ToolPreset   *string `json:"tool_preset,omitempty"`
	BiasProfile  *string `json:"bias_profile,omitempty"`
	PromptPreset *string `json:"prompt_preset,omitempty"`
}

// EventType returns the type name and version.
func (TierChanged) EventType() Type { return Type{"TierChanged", 1} }

// EventTopic returns the tier; "-" for all four.
func (e TierChanged) EventTopic() string { return tierTopic(e.Tier) }

// ProviderChanged sets the program of a provider that runs as a subprocess. Only a person's
// decision may set a program; see the contract of [Settings].
type ProviderChanged struct {
	Provider string `json:"provider"`
	// Command is the absolute path of an executable, without arguments. Empty resets it to the
	// provider's default program in PATH.
	Command string `json:"command,omitempty"`
}

// EventType returns the type name and version.
func (ProviderChanged) EventType() Type { return Type{"ProviderChanged", 1} }

// SettingsChanged changes settings of the whole session. Unset members do not change.
type SettingsChanged struct {
	MaxWorkers    *int  `json:"max_workers,omitempty"` // 1 to MaxWorkers
	MaxRetries    *int  `json:"max_retries,omitempty"` // 0 to MaxRetries
	SpawnApproval *bool `json:"spawn_approval,omitempty"`
	PlanReview    *bool `json:"plan_review,omitempty"`
	QADisabled    *bool `json:"qa_disabled,omitempty"`
	Review        *bool `json:"review,omitempty"`
}

// EventType returns the type name and version.
func (SettingsChanged) EventType() Type { return Type{"SettingsChanged", 1} }

// Limits of settings, the same as in the configuration. Check rejects a change that exceeds them,
// and it then has no effect.
const (
	MaxWorkers      = 64
	MaxRetries      = 10
	MaxTemperature  = 2.0
	MaxTopP         = 1.0
	MaxOutputTokens = 1_000_000
	MaxRounds       = 1000
	// MaxModels limits the length of a list of models.
	MaxModels = 16
	// MaxModelName and MaxProviderName limit a name in bytes.
	MaxModelName    = 256
	MaxProviderName = MaxToken
	// MaxCommand limits the path of a program in bytes.
	MaxCommand = 4096
)

// ErrSetting means that a change of settings is invalid. The text names the invalid field and the
// reason.
var ErrSetting = errors.New("invalid change of settings")

func wrongSetting(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrSetting}, args...)...)
}

// Check returns ErrSetting if the change is invalid.
func (e TierChanged) Check() error {
	switch {
	case e.Tier < 0 || e.Tier > 4:
		return wrongSetting("tier must be 1 to 4, or 0 for all four, got %d", e.Tier)
	case e.changesNothing():
		return wrongSetting("the request changes nothing")
	case e.Provider != "" && !ValidToken(e.Provider):
		return wrongSetting("provider must be 1 to %d characters of A-Z a-z 0-9 _ -", MaxProviderName)
	case e.Effort != nil && *e.Effort != "" && !slices.Contains(Efforts(), *e.Effort):
		return wrongSetting("effort must be one of %s", strings.Join(Efforts(), ", "))
	case len(e.Models) > MaxModels:
		return wrongSetting("models has %d entries, at most %d are allowed", len(e.Models), MaxModels)
	}
	for _, m := range e.Models {
		if err := checkName("models", m, MaxModelName); err != nil {
			return err
		}
	}
	return errors.Join(
		checkRange("temperature", e.Temperature, 0, MaxTemperature), checkRange("top_p", e.TopP, 0, MaxTopP),
		checkRange("max_output_tokens", e.MaxOutputTokens, 0, MaxOutputTokens), checkRange("max_rounds", e.MaxRounds, 1,
			MaxRounds))
}

func (e TierChanged) changesNothing() bool {
	return e.Provider == "" && len(e.Models) == 0 && e.Temperature == nil && e.TopP == nil && e.Effort == nil &&
		e.MaxOutputTokens == nil && e.MaxRounds == nil &&
		e.Persona == nil && e.ToolPreset == nil && e.BiasProfile == nil && e.PromptPreset == nil
}

// CheckNames returns ErrSetting, with the available names, unless every name is empty or in the
// roster.
func (e TierChanged) CheckNames(r Roster) error {
	return errors.Join(
		checkEntry("persona", e.Persona, r.PersonaNames()),
		checkEntry("tool preset", e.ToolPreset, r.ToolPresetNames()),
		checkEntry("bias profile", e.BiasProfile, r.BiasProfileNames()),
		checkEntry("prompt preset", e.PromptPreset, r.PromptPresetNames()))
}

func checkEntry(what string, name *string, known []string) error {
	switch {
	case name == nil || *name == "" || slices.Contains(known, *name):
		return nil
	case len(known) == 0:
		return wrongSetting("this session has no %s; they come from the files beside config.toml when a session begins", what)
	}
	return wrongSetting("this session has no %s of that name; it has %s", what, strings.Join(known, ", "))
}

// Check returns ErrSetting if the change is invalid.
func (e ProviderChanged) Check() error {
	if !RunsProgram(e.Provider) {
		return wrongSetting("provider must be one that runs a program: %s", strings.Join(subprocesses(), ", "))
	}
	return CheckCommand(e.Command)
}

// Check returns ErrSetting if the change is invalid.
func (e SettingsChanged) Check() error {
	if e == (SettingsChanged{}) {
		return wrongSetting("the request changes nothing")
	}
	return errors.Join(checkRange("max_workers", e.MaxWorkers, 1, MaxWorkers), checkRange("max_retries", e.MaxRetries, 0,
		MaxRetries))
}

// CheckCommand returns ErrSetting unless command can be the program of a provider: empty, or an
// absolute POSIX path or Windows drive path, on any system. The provider gemini_cli splits it into words if it
// names no file.
func CheckCommand(command string) error {
	if command == "" {
		return nil
	}
	drive := len(command) > 3 && isLetter(command[0]) && command[1] == ':' && (command[2] == '\\' || command[2] == '/')
	if command[0] != '/' && !drive {
		return wrongSetting("command must be the absolute path of a program")
	}
	return checkName("command", command, MaxCommand)
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func checkName(field, name string, limit int) error {
	switch {
	case name == "":
		return wrongSetting("%s has an empty name", field)
	case len(name) > limit:
		return wrongSetting("%s has a name of %d bytes, at most %d are allowed", field, len(name), limit)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return wrongSetting("%s has a control character in a name", field)
	}
	return nil
}

// checkRange returns ErrSetting unless the value is missing or in the range; NaN is rejected.
func checkRange[N int | float64](field string, value *N, least, most N) error {
	if value == nil || *value >= least && *value <= most {
		return nil
	}
	return wrongSetting("%s must be from %v to %v, got %v", field, least, most, *value)
}

func changeDefs() []Def {
	temperature, workers := 0.2, 2
	return []Def{
		Define(Command, "person", "Sets the model of a tier and its limits, from the next request on.",
			TierChanged{Tier: 3, Provider: "gemini_cli", Models: []string{"m1", "m2"}, Temperature: &temperature}),
		Define(Command, "person", "Sets the program of a provider that runs as a subprocess, from the next request on.",
			ProviderChanged{"gemini_cli", "/usr/bin/gemini"}),
		Define(Command, "person", "Changes settings of the whole session, from here "+
			"on.", SettingsChanged{MaxWorkers: &workers}),
	}
}

// Values of [Settings.Languages] other than python, c and cpp.
const (
	// LanguageOther is every other language.
	LanguageOther = "other"
	// LanguageBeads means that the project has a Beads database.
	LanguageBeads = "beads"
)

// LanguageOf returns the language of a source file by its name; empty if it is not a source file.
func LanguageOf(file string) string {
	switch chars.Lower(path.Ext(file)) {
	case ".py", ".pyi":
		return "python"
	case ".c", ".h":
		return "c"
	case ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".ipp":
		return "cpp"
	case ".go", ".rs", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".java", ".kt", ".cs", ".rb", ".php", ".swift", ".scala",
		".ex", ".exs",
		".lua", ".ml", ".elm", ".groovy", ".sql", ".proto", ".sh", ".svelte", ".vue":
		return LanguageOther
	}
	return ""
}
