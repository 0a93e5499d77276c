// Package config reads the configuration: its schema, the layers of files and how
// they merge, what a project may set, credentials, rosters and providers.
package config

import (
	"manualslop/events"
)

// Config is everything that can be configured, after all layers have been merged. The tags of its fields are the
// rules: they drive validation, merging and docs/config.md.
//
//   - toml: the key
//   - doc: its meaning, for the page
//   - min, max: bounds of a number, both inclusive, both mandatory
//   - enum: the values allowed, separated by |
//   - items: the most entries of a list
//   - keys: for tables with free names, which names are valid
//   - project: what a project's slop.toml may do with the key (see projectPolicy); mandatory,
//     so that a new key is never open to projects by mistake
//   - zero: "none" if 0 means no limit
type Config struct {
	Bus       BusSection          `toml:"bus" doc:"The event log and its server."`
	Hooks     Hooks               `toml:"hooks" doc:"The Hook API, which listens on loopback."`
	Ask       Ask                 `toml:"ask" doc:"Questions posted to /api/ask. Asks of gates never expire."`
	Shell     Shell               `toml:"shell" doc:"Scripts that models ask to run."`
	Net       Net                 `toml:"net" doc:"Hosts that tools may connect to."`
	MCP       MCP                 `toml:"mcp" doc:"External tools, and the files that tools must not touch."`
	MMA       MMA                 `toml:"mma" doc:"The team: how many workers run at once, and what needs your approval."`
	Tiers     map[string]Tier     `toml:"tiers" keys:"1|2|3|4|all" doc:"The model of each tier: 1 orchestrator, 2 tech lead, 3 contributor, 4 QA. [tiers.all] sets defaults for every tier; a tier's own table overrides them. A tier with its own provider or models inherits no model from it."`
	Providers map[string]Provider `toml:"providers" keys:"PROVIDER" items:"64" doc:"The address and the key of a provider's models, or the program that calls them. The built-in providers are in [providers.md](providers.md); script needs no section, and gemini_cli, claude_cli, codex_cli and acp (also written with dashes) run a program. A server under another name must set kind."`
	Models    map[string]Model    `toml:"models" keys:"MODEL" items:"256" doc:"Corrections to the figures of a model that \"slop models\" shows, under PROVIDER/MODEL in quotes, where * matches any characters: [models.\"anthropic/claude-opus-5*\"]. Recorded with a session when it begins and when an engine resumes it. Prices are US dollars per million tokens; prices count only if input and output are both given, and 0 means free."`
	Budget    Budget              `toml:"budget" doc:"Spending limits, in US dollars, for model calls; above them you are asked. Each call is checked before it is sent, assuming its worst case: the whole prompt at the highest price and the longest reply. At 80 % a warning is recorded. Beyond 100 % an ask of the gate budget waits: a plain yes doubles the limit, args {\"limit\": 7.5} set it, {\"action\": \"finish_ticket\"} lets the running ticket finish, and no stops the work. Every call of the session counts, including retries, QA and spawned workers. For a model with an unknown price you are asked once. --yes never answers these asks."`
	Retrieval Retrieval           `toml:"retrieval" doc:"Passages of project files that match a message of a discussion (slop chat, btn_gen_send). They are shown to the model before the message. With the source chroma, the contents of all files that tools may read are sent to the provider once, to compute their vectors. Recorded with a session when it begins; rag_enabled and similar fields change it in a running session. See [retrieval](providers.md#retrieval)."`
	User      User                `toml:"user" doc:"The person who answers asks."`
	Notify    Notify              `toml:"notify" doc:"How slop tells you that it is waiting for you."`
	Files     Files               `toml:"files" doc:"Files that tools may see. Relative paths start at the project."`
	Roster    events.Roster       `toml:"-"` // personas and presets, from their own files
	Rules     []Rule              `toml:"rules" items:"1000" project:"restrict" doc:"Rules that answer asks about tool calls for you. Deny beats ask beats allow; the order does not matter, and the rules of all files apply together. Each rule has exactly one of allow, deny and ask: true for every call of the tools, or a list of globs over the paths that a call names, relative to the project. For allow all paths must match; files in .git and settings of slop and other agents match only a glob that names the file literally. If a call names no path, or reaches beyond the paths it names ([tools.md](tools.md), wide), globs never allow it, and deny globs ask instead. The globs of a rule whose tool is exactly run_powershell are patterns over commands instead: see [rules over commands](#rules-over-commands)."`
}

// BusSection is the section [bus].
type BusSection struct {
	Durability string `toml:"durability" enum:"sync|relaxed" project:"only=sync" doc:"\"sync\": an acknowledged event survives a power cut. \"relaxed\": it survives a crash of the process; a power cut may lose the last seconds or minutes."`
	URL        string `toml:"url" project:"never" doc:"NATS servers to use instead of the embedded one, separated by commas. Pass credentials with --creds FILE."`
	Replicas   int    `toml:"replicas" min:"1" max:"5" project:"never" doc:"Copies of the log on a cluster."`
	Listen     string `toml:"listen" project:"never" doc:"HOST:PORT on which the embedded server accepts connections. Empty: it accepts none."`
	MaxBytes   int64  `toml:"max_bytes" min:"8388608" max:"70368744177664" project:"never" doc:"Disk budget of the log in bytes. A full log refuses new events and deletes none."`
}

// Hooks is the section [hooks].
type Hooks struct {
	Listen           string `toml:"listen" project:"never" doc:"Loopback HOST:PORT of the Hook API; port 0 picks a free port."`
	GenerateTimeoutS int    `toml:"generate_timeout_s" min:"1" max:"86400" project:"lower" doc:"Seconds after which POST /api/v1/generate answers 504; the worker continues."`
	Auth             string `toml:"auth" enum:"token|none" project:"only=token" doc:"\"none\" treats every local process as the configured person, so a shell tool could approve its own calls."`
}

// Ask is the section [ask].
type Ask struct {
	TimeoutS int `toml:"timeout_s" min:"1" max:"86400" project:"lower" doc:"Seconds after which an unanswered question is denied."`
}

// Shell is the section [shell].
type Shell struct {
	TimeoutS int `toml:"timeout_s" min:"1" max:"86400" project:"lower" doc:"Seconds after which a script and every process that it started are killed, unless its call sets timeout_s."`
	// A value below timeout_s counts as timeout_s.
	MaxTimeoutS int    `toml:"max_timeout_s" min:"1" max:"86400" project:"lower" doc:"Longest timeout_s that the call of a script may set. A call that sets more than the default needs approval, whatever the rules allow. If this is not above the default, no call gets more than the default."`
	Fallback    string `toml:"fallback" enum:"posix|none" project:"only=none" doc:"Shell that runs scripts if PowerShell is missing."`
	Sandbox     string `toml:"sandbox" enum:"off|workspace" project:"only=workspace" doc:"\"workspace\": scripts may write only to the base directories and an empty /tmp, see no home directory, and cannot touch protected files; it needs Linux and bubblewrap (bwrap), and scripts are refused if it cannot be enforced."`
	Network     bool   `toml:"network" project:"only=false" doc:"Whether scripts in the sandbox \"workspace\" reach the network. Without that sandbox the network cannot be blocked, so false is an error."`
	// A project cannot switch Checkpoints off, because they watch the project's own scripts.
	Checkpoints bool `toml:"checkpoints" project:"only=true" doc:"Whether slop detects the files that a script changes and keeps their old contents, so that slop undo can restore them. It copies the project's files (without what .gitignore names, up to 256 MiB) to the engine's folder."`
}

// Net is the section [net].
type Net struct {
	AllowHosts []string `toml:"allow_hosts" items:"1000" project:"subset" doc:"Hosts that tools may reach without asking, even after a conversation has read untrusted text, and the only private addresses they may reach: NAME, *.NAME or an address, each with an optional :PORT (default: ports 80 and 443). A name opens the loopback and private addresses it resolves to; link-local addresses, metadata services and other special addresses must be listed as addresses."`
	SearchURL  string   `toml:"search_url" project:"never" doc:"Form that web_search posts its query to, with the shape of DuckDuckGo's HTML page; empty: https://html.duckduckgo.com/html/. A host at a private address must be in allow_hosts too."`
}

// MCP is the section [mcp].
type MCP struct {
	Enabled       bool     `toml:"enabled" project:"only=false" doc:"Whether external MCP servers are used; you must still trust each one (slop mcp trust)."`
	Blacklist     []string `toml:"blacklist" items:"1000" project:"add" doc:"Additional names that tools must not touch, as globs over path elements. The built-in ones always apply; the lists of all files are combined."`
	Read          []string `toml:"read" items:"3" project:"never" doc:"Other programs' configuration files in the project from which MCP servers are also read: .mcp.json, .vscode/mcp.json, .cursor/mcp.json. You must still trust each server."`
	AllowSymlinks bool     `toml:"allow_symlinks" project:"only=false" doc:"Whether links that stay inside the base directories are followed."`
}

// MMA is the section [mma].
type MMA struct {
	MaxWorkers    int    `toml:"max_workers" min:"1" max:"64" project:"lower" doc:"Contributors that work at the same time."`
	StepMode      bool   `toml:"step_mode" project:"only=true" doc:"Whether every request of a contributor, and the calls of every reply, need approval."`
	SpawnApproval bool   `toml:"spawn_approval" project:"only=true" doc:"Whether the start of a contributor needs approval."`
	PlanReview    bool   `toml:"plan_review" project:"only=true" doc:"Whether the tickets of each track need approval (gate plan) before work on them begins. The answer may contain other tickets; no with a reason asks for another plan. It applies to goals of slop run and of the Hook API."`
	Isolation     string `toml:"isolation" enum:"shared|worktree" project:"only=worktree" doc:"How tickets that run at the same time are kept apart. \"shared\": they work in the project's folder, where a file that one ticket changes is locked for the others until its attempt ends, and a ticket waits for another one with the same target file. \"worktree\": each attempt gets its own git worktree and branch, and finished work is merged into the branch slop/SESSION; your own checkout stays as it is. See isolation.md."`
	MaxRetries    int    `toml:"max_retries" min:"0" max:"10" project:"lower" doc:"Number of retries of a ticket after its first attempt has failed."`
	ModelAttempts int    `toml:"max_model_attempts" min:"1" max:"100" project:"lower" doc:"Attempts at one model call, including the first, if the model is rate limited, overloaded or unreachable. The waits between them double from a quarter of a second up to a minute, so 10 attempts take two minutes; a server may ask for other waits, of at most a minute. A call whose reply breaks off is made at most three times."`
	Review        bool   `toml:"review" project:"only=true" doc:"Whether tier 2 reviews what a ticket changed before it is completed. It approves, or sends the ticket back with its reasons, which counts as a failed attempt."`
}

// Tier is a section [tiers.N].
type Tier struct {
	Provider        string   `toml:"provider" project:"named" doc:"Name of the provider; \"script\" is the scripted model."`
	Model           string   `toml:"model" project:"free" doc:"Name of the model."`
	Models          []string `toml:"models" items:"16" project:"free" doc:"Ladder of models: each further attempt at a ticket uses the next one. Empty: always model."`
	Temperature     *float64 `toml:"temperature" min:"0" max:"2" project:"free" doc:"Sampling temperature; unset: the provider's default."`
	TopP            *float64 `toml:"top_p" min:"0" max:"1" project:"free" doc:"Nucleus sampling; unset: the provider's default."`
	Effort          string   `toml:"effort" enum:"off|low|medium|high" zero:"none" project:"free" doc:"How much the models may think before they answer: off, low, medium or high; unset: the provider's default."`
	MaxOutputTokens int      `toml:"max_output_tokens" min:"0" max:"1000000" zero:"none" project:"lower" doc:"Longest reply in tokens, including thinking; 0: 32,000, raised up to the model's limit after a reply was cut off."`
	Persona         string   `toml:"persona" project:"free" doc:"Persona of this tier unless a track or ticket names another (personas.toml)."`
	ToolPreset      string   `toml:"tool_preset" project:"free" doc:"Tool preset of the tier (tool_presets.toml); it limits that of every persona. A project can only choose a stricter one. Only tier 3 uses tools."`
	BiasProfile     string   `toml:"bias_profile" project:"free" doc:"Bias profile of the tier (tool_presets.toml)."`
	PromptPreset    string   `toml:"prompt_preset" project:"free" doc:"Prompt preset of the tier (presets.toml, project_presets.toml)."`
	MaxRounds       int      `toml:"max_rounds" min:"1" max:"1000" project:"lower" doc:"Number of rounds (a reply and its tool calls) after which a task is given up."`
}

// Provider is a section [providers.NAME].
type Provider struct {
	Kind      string            `toml:"kind" enum:"openai" zero:"none" project:"never" doc:"API of a server that this program does not know by name: openai, for Chat Completions at base_url."`
	BaseURL   string            `toml:"base_url" project:"never" doc:"Address of the API; empty: the vendor's own. Plain http is only allowed without a key or on loopback."`
	APIKeyEnv string            `toml:"api_key_env" project:"never" doc:"Environment variable that holds the key; empty: credentials.toml, then the vendor's own variable (see providers.md). A program that the provider runs sees this variable, too."`
	Headers   map[string]string `toml:"headers" items:"32" project:"never" doc:"Additional HTTP headers. Their values are masked in every record."`
	Command   string            `toml:"command" project:"never" doc:"Program of a provider that runs as a subprocess: an absolute path, without arguments. Empty: the provider's own, found on PATH (gemini_cli: gemini, claude_cli: claude, codex_cli: codex; acp has none). ProviderChanged changes it in a running session."`
	Args      []string          `toml:"args" items:"32" project:"never" doc:"Arguments for the acp agent, such as [\"--acp\"]; recorded with each run, so they must not contain a key."`
	Tools     string            `toml:"tools" enum:"mcp|text" zero:"none" project:"never" doc:"How the model of gemini_cli calls tools: mcp, as functions of slop's MCP server, or text, for programs that do not support MCP servers. Empty: mcp."`
	SilenceS  int               `toml:"silence_s" min:"0" max:"3600" project:"never" doc:"Seconds without output after which a program or an answer is given up; 0: 90, and 600 for codex_cli, which prints nothing while its model works."`
}

// Model is a section [models."PROVIDER/MODEL"]. A field that is not set keeps the value of the program's own table.
type Model struct {
	ContextWindow   int      `toml:"context_window" min:"0" max:"100000000" zero:"none" project:"never" doc:"Tokens of prompt and reply together; 0: the built-in value."`
	MaxOutputTokens int      `toml:"max_output_tokens" min:"0" max:"100000000" zero:"none" project:"never" doc:"Longest reply in tokens; 0: the built-in value."`
	Input           *float64 `toml:"input" min:"0" max:"100000" project:"never" doc:"Price of prompt tokens."`
	Output          *float64 `toml:"output" min:"0" max:"100000" project:"never" doc:"Price of reply tokens, including thinking."`
	CacheRead       *float64 `toml:"cache_read" min:"0" max:"100000" project:"never" doc:"Price of tokens read from the provider's cache; without it they cost as much as other prompt tokens, so that a cost is an upper bound."`
	CacheWrite5m    *float64 `toml:"cache_write_5m" min:"0" max:"100000" project:"never" doc:"Price of tokens written to the cache for five minutes."`
	CacheWrite1h    *float64 `toml:"cache_write_1h" min:"0" max:"100000" project:"never" doc:"Price of tokens written to the cache for an hour."`
}

// Budget is the section [budget].
type Budget struct {
	Session float64 `toml:"session" min:"0" max:"1000000" zero:"none" project:"lower" doc:"What a session may spend before you are asked; 0: no limit."`
	Ticket  float64 `toml:"ticket" min:"0" max:"1000000" zero:"none" project:"lower" doc:"What a ticket may spend before you are asked; 0: no limit."`
}

// Retrieval is the section [retrieval].
type Retrieval struct {
	Enabled  bool   `toml:"enabled" project:"only=false" doc:"Whether the turns of a discussion retrieve passages."`
	Source   string `toml:"source" enum:"chroma|text" project:"only=text" doc:"\"chroma\": passages are found by meaning, with vectors from provider. \"text\": passages are ranked by the words of the message, and nothing leaves the machine."`
	Provider string `toml:"provider" project:"never" doc:"Provider of the vectors; it must support embeddings (see providers.md). If it fails, passages are ranked by words, and the turn says so."`
	Model    string `toml:"model" project:"never" doc:"Model that computes the vectors; empty: the provider's default."`
	TopK     int    `toml:"top_k" min:"1" max:"20" project:"lower" doc:"Maximum number of passages for a turn."`
}

// User is the section [user].
type User struct {
	Name string `toml:"name" project:"never" doc:"Name under which your answers are recorded; empty: your operating-system user."`
}

// Notify is the section [notify].
type Notify struct {
	Command []string `toml:"command" items:"32" project:"never" doc:"Program with its arguments that is started when an ask is waiting or a goal has ended, such as [\"notify-send\", \"--app-name\", \"slop\"]; a name on PATH or an absolute path. The message is its last argument: one line of at most 126 characters without control characters. It gets the environment variables of scripts, and those of the desktop. slop run, slop chat and slop serve start it; four run at once, and further notices are dropped."`
}

// Files is the section [files].
type Files struct {
	BaseDirs []string `toml:"base_dirs" items:"256" project:"inside" doc:"Folders that tools may read and, with approval, write. Relative paths of tools, and globs of rules, start at the first one, or at the project if the list is empty. If both this and tracked are empty: the project folder."`
	Tracked  []string `toml:"tracked" items:"4096" project:"inside" doc:"Files of interest; the folder of each is also a base directory."`
}

// Tier returns the settings of tier n, from 1 to 4. For any other n it returns the zero value.
func (c Config) Tier(n int) Tier {
	names := [...]string{"", "1", "2", "3", "4"}
	if n < 1 || n >= len(names) {
		return Tier{}
	}
	return c.Tiers[names[n]]
}
