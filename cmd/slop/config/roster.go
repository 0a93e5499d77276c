package config

import (
	"maps"
	"slices"

	"manualslop/events"
)

// Names of the files for personas and presets. The user's are next to config.toml, the project's next to slop.toml.
const (
	PersonasName       = "personas.toml"
	ToolPresetsName    = "tool_presets.toml"
	presetsName        = "presets.toml"
	ProjectPresetsName = "project_presets.toml"
)

// personasFile is personas.toml.
type personasFile struct {
	Personas map[string]personaConfig `toml:"personas" keys:"NAME" items:"64" doc:"Personas, by name."`
}

type personaConfig struct {
	PreferredModels     []preferredModelConfig `toml:"preferred_models" items:"16" doc:"The first model is used first, the others for retries; they replace the ladder of the tier. Empty: the ladder of the tier."`
	SystemPrompt        string                 `toml:"system_prompt" prose:"yes" doc:"Additional text for the model's system prompt."`
	ToolPreset          string                 `toml:"tool_preset" doc:"Tool preset of the persona. The tier's preset applies too."`
	BiasProfile         string                 `toml:"bias_profile" doc:"Bias profile that replaces the tier's."`
	ContextPreset       string                 `toml:"context_preset" doc:"Saved selection of files (see the context presets of the Hook API) that its tickets also see; patterns in it are ignored."`
	AggregationStrategy string                 `toml:"aggregation_strategy" enum:"auto|summarize|full" zero:"none" doc:"How its tickets see needed files other than their target. full: the whole file; summarize: a summary; auto: the declarations."`
}

type preferredModelConfig struct {
	Provider        string   `toml:"provider" doc:"Name of the provider. A project may only name one from the user's configuration."`
	Model           string   `toml:"model" doc:"Name of the model."`
	Temperature     *float64 `toml:"temperature" min:"0" max:"2" doc:"Unset: the tier's temperature."`
	TopP            *float64 `toml:"top_p" min:"0" max:"1" doc:"Unset: the tier's top_p."`
	MaxOutputTokens int      `toml:"max_output_tokens" min:"0" max:"1000000" doc:"0: the tier's max_output_tokens. In a project it can only lower that."`
}

// toolPresetsFile is tool_presets.toml.
type toolPresetsFile struct {
	Presets      map[string]toolPresetConfig  `toml:"presets" keys:"NAME" items:"64" doc:"Sets of tools, by name."`
	BiasProfiles map[string]biasProfileConfig `toml:"bias_profiles" keys:"NAME" items:"64" doc:"Preferences between tools, by name."`
}

type toolPresetConfig struct {
	Categories map[string]toolCategoryConfig `toml:"categories" keys:"NAME" items:"64" doc:"Groups of tools; the names have no effect."`
}

type toolCategoryConfig struct {
	Tools []presetToolConfig `toml:"tools" items:"256" doc:"Tools of this category."`
}

type presetToolConfig struct {
	Name     string `toml:"name" doc:"Name of a tool, or a glob over tool names. Tools without an entry are neither offered nor run."`
	Approval string `toml:"approval" enum:"auto|ask" zero:"none" doc:"auto: calls run without asking, like an allow rule of the user, but only if the entry is the tool's exact name and the tool changes only workspace files that configure no program; external tools still ask. ask: every call asks. Unset: the rules decide. Deny rules and ask rules beat auto; ask beats auto."`
}

type biasProfileConfig struct {
	Tools map[string]toolBiasConfig `toml:"tools" keys:"NAME" items:"256" doc:"Settings by tool name."`
}

type toolBiasConfig struct {
	Weight        *int              `toml:"weight" min:"1" max:"5" doc:"5: its description begins with [HIGH PRIORITY], 4: with [PREFERRED], 2: with [LOW PRIORITY], 1: with [AVOID]; 3: no prefix."`
	ParameterBias map[string]string `toml:"parameter_bias" items:"64" doc:"Text put before the description of each parameter. A project may use at most two words of letters, digits, dashes and underscores."`
}

// presetsFile is presets.toml, and project_presets.toml of a project.
type presetsFile struct {
	Presets map[string]promptPresetConfig `toml:"presets" keys:"NAME" items:"64" doc:"Texts for system prompts, by name."`
}

type promptPresetConfig struct {
	SystemPrompt    string   `toml:"system_prompt" prose:"yes" doc:"Text for the model, placed after the persona's text."`
	Temperature     *float64 `toml:"temperature" min:"0" max:"2" doc:"Used if neither the tier nor the persona's model sets it."`
	TopP            *float64 `toml:"top_p" min:"0" max:"1" doc:"Used if neither the tier nor the persona's model sets it."`
	MaxOutputTokens int      `toml:"max_output_tokens" min:"0" max:"1000000" doc:"Caps the tier's max_output_tokens; 0 means no cap."`
}

// persona converts an entry of personas.toml to the form that sessions record.
func (c personaConfig) persona(name string, project bool) events.Persona {
	out := events.Persona{Name: name, SystemPrompt: c.SystemPrompt, ToolPreset: c.ToolPreset, BiasProfile: c.BiasProfile,
		ContextPreset: c.ContextPreset, AggregationStrategy: c.AggregationStrategy, Project: project}
	for _, m := range c.PreferredModels {
		out.Models = append(out.Models, events.PreferredModel{Provider: events.ProviderName(m.Provider), Model: m.Model,
			Temperature: m.Temperature, TopP: m.TopP, MaxOutputTokens: m.MaxOutputTokens})
	}
	return out
}

// preset converts an entry of tool_presets.toml to the form that sessions record, by category.
func (c toolPresetConfig) preset(name string) events.ToolPreset {
	out := events.ToolPreset{Name: name, Tools: []events.PresetTool{}}
	for _, category := range slices.Sorted(maps.Keys(c.Categories)) {
		for _, tool := range c.Categories[category].Tools {
			out.Tools = append(out.Tools, events.PresetTool{Tool: tool.Name, Approval: tool.Approval})
		}
	}
	return out
}

// profile converts an entry of tool_presets.toml to the form that sessions record.
func (c biasProfileConfig) profile(name string) events.BiasProfile {
	out := events.BiasProfile{Name: name, Tools: []events.ToolBias{}}
	for _, tool := range slices.Sorted(maps.Keys(c.Tools)) {
		bias := events.ToolBias{Tool: tool, Parameters: c.Tools[tool].ParameterBias}
		if w := c.Tools[tool].Weight; w != nil {
			bias.Weight = *w
		}
		out.Tools = append(out.Tools, bias)
	}
	return out
}

// preset converts an entry of presets.toml to the form that sessions record.
func (c promptPresetConfig) preset(name string, project bool) events.PromptPreset {
	return events.PromptPreset{Name: name, SystemPrompt: c.SystemPrompt, Temperature: c.Temperature, TopP: c.TopP,
		MaxOutputTokens: c.MaxOutputTokens, Project: project}
}
