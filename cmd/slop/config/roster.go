package config

import (
	"maps"
	"slices"

	"manualslop/events"
)

// Names of the files about personas and presets. The person's stand beside
// config.toml, the project's beside slop.toml.
const (
	PersonasName       = "personas.toml"
	ToolPresetsName    = "tool_presets.toml"
	presetsName        = "presets.toml"
	ProjectPresetsName = "project_presets.toml"
)

// personasFile is personas.toml.
type personasFile struct {
	Personas map[string]personaConfig `toml:"personas" keys:"NAME" items:"64" doc:"Ways to work, by name."`
}

type personaConfig struct {
	PreferredModels     []preferredModelConfig `toml:"preferred_models" items:"16" doc:"The first answers first, the others are for retries; they replace the ladder of the tier. None: that ladder."`
	SystemPrompt        string                 `toml:"system_prompt" prose:"yes" doc:"Text for the model in addition to its role."`
	ToolPreset          string                 `toml:"tool_preset" doc:"Its tool preset. The tier's preset applies too."`
	BiasProfile         string                 `toml:"bias_profile" doc:"Its bias profile, in place of the tier's."`
	ContextPreset       string                 `toml:"context_preset" doc:"Saved selection of files (see the context presets of the Hook API) that its tickets see too; entries that are patterns are left out."`
	AggregationStrategy string                 `toml:"aggregation_strategy" enum:"auto|summarize|full" zero:"none" doc:"How its tickets see the files they need beside their target: full: whole; summarize: in short; auto: their declarations."`
}

type preferredModelConfig struct {
	Provider        string   `toml:"provider" doc:"Name of the provider. In a project: one that the user's configuration names."`
	Model           string   `toml:"model" doc:"Name of the model."`
	Temperature     *float64 `toml:"temperature" min:"0" max:"2" doc:"Unset: the tier's."`
	TopP            *float64 `toml:"top_p" min:"0" max:"1" doc:"Unset: the tier's."`
	MaxOutputTokens int      `toml:"max_output_tokens" min:"0" max:"1000000" doc:"0: the tier's. In a project it can only lower the tier's."`
}

// toolPresetsFile is tool_presets.toml.
type toolPresetsFile struct {
	Presets      map[string]toolPresetConfig  `toml:"presets" keys:"NAME" items:"64" doc:"Sets of tools, by name."`
	BiasProfiles map[string]biasProfileConfig `toml:"bias_profiles" keys:"NAME" items:"64" doc:"Nudges towards tools, by name."`
}

type toolPresetConfig struct {
	Categories map[string]toolCategoryConfig `toml:"categories" keys:"NAME" items:"64" doc:"Any grouping; the names mean nothing."`
}

type toolCategoryConfig struct {
	Tools []presetToolConfig `toml:"tools" items:"256" doc:"Its tools."`
}

type presetToolConfig struct {
	Name     string `toml:"name" doc:"A tool, or a glob over names of tools. Tools that no entry names are not offered, and not run."`
	Approval string `toml:"approval" enum:"auto|ask" zero:"none" doc:"auto: calls run without asking, as by an allow rule of the user, if the tool is named to the letter, changes only files of the workspace that steer no program, and is no external one; ask: every call asks. Unset: the rules decide. Deny rules and ask rules beat auto; ask beats auto."`
}

type biasProfileConfig struct {
	Tools map[string]toolBiasConfig `toml:"tools" keys:"NAME" items:"256" doc:"By the name of the tool."`
}

type toolBiasConfig struct {
	Weight        *int              `toml:"weight" min:"1" max:"5" doc:"5: [HIGH PRIORITY] stands before its description, 4: [PREFERRED], 3: nothing, 2: [LOW PRIORITY], 1: [AVOID]."`
	ParameterBias map[string]string `toml:"parameter_bias" items:"64" doc:"By parameter, a word or two before its description. A project may say no more than two words of letters, digits, dashes and underscores."`
}

// presetsFile is presets.toml, and project_presets.toml of a project.
type presetsFile struct {
	Presets map[string]promptPresetConfig `toml:"presets" keys:"NAME" items:"64" doc:"Texts for system prompts, by name."`
}

type promptPresetConfig struct {
	SystemPrompt    string   `toml:"system_prompt" prose:"yes" doc:"Text for the model after the persona's."`
	Temperature     *float64 `toml:"temperature" min:"0" max:"2" doc:"Where neither the tier nor the persona's model has one."`
	TopP            *float64 `toml:"top_p" min:"0" max:"1" doc:"Where neither the tier nor the persona's model has one."`
	MaxOutputTokens int      `toml:"max_output_tokens" min:"0" max:"1000000" doc:"Lowers the tier's; 0: does not."`
}

// persona is an entry of personas.toml as sessions record it.
func (c personaConfig) persona(name string, project bool) events.Persona {
	out := events.Persona{Name: name, SystemPrompt: c.SystemPrompt, ToolPreset: c.ToolPreset, BiasProfile: c.BiasProfile,
		ContextPreset: c.ContextPreset, AggregationStrategy: c.AggregationStrategy, Project: project}
	for _, m := range c.PreferredModels {
		out.Models = append(out.Models, events.PreferredModel{Provider: events.ProviderName(m.Provider), Model: m.Model,
			Temperature: m.Temperature, TopP: m.TopP, MaxOutputTokens: m.MaxOutputTokens})
	}
	return out
}

// preset is an entry of tool_presets.toml as sessions record it, by category.
func (c toolPresetConfig) preset(name string) events.ToolPreset {
	out := events.ToolPreset{Name: name, Tools: []events.PresetTool{}}
	for _, category := range slices.Sorted(maps.Keys(c.Categories)) {
		for _, tool := range c.Categories[category].Tools {
			out.Tools = append(out.Tools, events.PresetTool{Tool: tool.Name, Approval: tool.Approval})
		}
	}
	return out
}

// profile is an entry of tool_presets.toml as sessions record it.
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

// preset is an entry of presets.toml as sessions record it.
func (c promptPresetConfig) preset(name string, project bool) events.PromptPreset {
	return events.PromptPreset{Name: name, SystemPrompt: c.SystemPrompt, Temperature: c.Temperature, TopP: c.TopP,
		MaxOutputTokens: c.MaxOutputTokens, Project: project}
}
