package events

import "encoding/json"

// SessionOpened opens a session and records every setting on which a decision may depend. It is
// the first event of its session.
type SessionOpened struct {
	Label     string `json:"label,omitempty"`
	Folder    string `json:"folder"` // name of the log folder, YYYYMMDD_HHMMSS[_Label]
	Workspace string `json:"workspace,omitempty"`
	// Basis is what decisions depend on besides settings; DecisionsUpgraded replaces it.
	Basis    Basis    `json:"basis,omitzero"`
	Settings Settings `json:"settings"`
}

// EventType returns the type name and version.
func (SessionOpened) EventType() Type { return Type{"SessionOpened", 2} }

// Settings are the parts of the configuration that decisions depend on.
//
// # Changes during a session
//
// StepModeSet, TierChanged, ProviderChanged and SettingsChanged change the settings that they
// name, from the next decision on; [Settings.Changed] applies them. Requests, slots of attempts
// and asks that were already decided keep their settings. A resumed session keeps the settings in
// its log, whatever the current configuration is; only its rules are taken from the current
// configuration.
//
// The other settings do not change during a session:
//   - AskTimeoutMS, GateTimeoutMS, ToolTimeoutMS and MaxToolTimeoutMS: a deadline that a person
//     was told, or under which a call was approved, must not move.
//   - Tracked and FollowLinks: which file a path refers to, and so what a yes
//     to that path allows, is the same from the first approval to the last.
//   - AllowHosts and SearchURL: where a conversation that has read untrusted
//     text may send something without an ask was decided when the session began.
//   - Isolation: a ticket works where the work of its dependencies is.
//   - Rules are not settings of this kind: see RuleAdded and RulesReplaced.
//   - The [Roster], the personas and presets of the tiers, and Shell, System and
//     Git: prompts begin with them, and a preset decides what runs without an ask.
//
// # Programs
//
// Providers name programs that this engine starts. So only a person can set them: in
// SessionOpened, from the person's own configuration and never from the project's file, and in
// ProviderChanged. A program is an absolute path without arguments.
type Settings struct {
	MaxWorkers    int  `json:"max_workers"`              // maximum number of tickets that run at once, at least 1
	StepMode      bool `json:"step_mode,omitempty"`      // each round of a ticket needs approval
	SpawnApproval bool `json:"spawn_approval,omitempty"` // each start of a ticket needs approval
	PlanReview    bool `json:"plan_review,omitempty"`    // tracks wait for TracksAccepted
	MaxRetries    int  `json:"max_retries"`              // automatic retries of a blocked ticket
	// ModelAttempts limits the attempts at one reply after temporary failures; 0
	// means the engine's own limit.
	ModelAttempts int  `json:"model_attempts,omitempty"`
	QADisabled    bool `json:"qa_disabled,omitempty"`
	// tier 2 reviews the changes of a ticket before it is completed
	Review        bool  `json:"review,omitempty"`
	AskTimeoutMS  int64 `json:"ask_timeout_ms"`            // for /api/ask
	GateTimeoutMS int64 `json:"gate_timeout_ms,omitempty"` // for gates; 0 waits forever
	ToolTimeoutMS int64 `json:"tool_timeout_ms"`
	// MaxToolTimeoutMS is the longest time limit that a call may ask for. A call that asks for more than ToolTimeoutMS
	// needs a person's approval. A smaller value counts as ToolTimeoutMS.
	MaxToolTimeoutMS int64              `json:"max_tool_timeout_ms,omitempty"`
	Tiers            []TierSettings     `json:"tiers"`
	Rules            []Rule             `json:"rules,omitempty"`
	Providers        []ProviderSettings `json:"providers,omitempty"` // at most one for each name
	Tracked          []string           `json:"tracked,omitempty"`   // files that every refresh reads again
	// tools follow symbolic links, so a path does not identify a file
	FollowLinks bool `json:"follow_links,omitempty"`
	// hosts that need no approval, from [net] allow_hosts
	AllowHosts []string `json:"allow_hosts,omitempty"`
	SearchURL  string   `json:"search_url,omitempty"` // the address for queries of web_search
	// the initial budget; BudgetRaised changes it
	Budget *BudgetSettings `json:"budget,omitempty"`
	// how parallel tickets are isolated; empty if they are not
	Isolation string `json:"isolation,omitempty"`
	// the shell for scripts: powershell, pwsh, bash, sh; empty if unknown or none
	Shell string `json:"shell,omitempty"`
	// operating system of the workers, such as linux; empty if unknown
	System string `json:"system,omitempty"`
	Git    bool   `json:"git,omitempty"`   // the project is a git repository
	Roster Roster `json:"roster,omitzero"` // personas and presets
	// project.system_prompt of the project document, at most MaxSystemPrompt
	ProjectPrompt string `json:"project_prompt,omitempty"`
	// Languages are the languages of the project's files, the most frequent first, and
	// [LanguageBeads]; they determine the initial tools of its tickets.
	Languages []string      `json:"languages,omitempty"`
	offered   ModelsOffered // the newest; recorded in an event of its own
}

// TierSettings are the models and limits of a tier.
type TierSettings struct {
	Tier            int      `json:"tier"`
	Provider        string   `json:"provider"`
	Models          []string `json:"models"` // in the order of retries; index min(retries, len-1)
	Temperature     *float64 `json:"temperature,omitempty"`
	TopP            *float64 `json:"top_p,omitempty"`
	MaxOutputTokens int      `json:"max_output_tokens,omitempty"`
	Effort          string   `json:"effort,omitempty"`     // how much its models may think; one of [Efforts]
	MaxRounds       int      `json:"max_rounds,omitempty"` // limit for one attempt at a ticket
	// Persona, ToolPreset, BiasProfile and PromptPreset are names in the [Roster].
	// ToolPreset limits the tools of a persona.
	Persona      string `json:"persona,omitempty"`
	ToolPreset   string `json:"tool_preset,omitempty"`
	BiasProfile  string `json:"bias_profile,omitempty"`
	PromptPreset string `json:"prompt_preset,omitempty"`
}

// ProviderSettings say how a provider is reached.
type ProviderSettings struct {
	Provider string `json:"provider"`
	Command  string `json:"command"` // the program, for a provider that runs as a subprocess
}

// Rule allows, denies or asks about tool calls. Deny beats ask beats allow.
type Rule struct {
	Tool   string `json:"tool"`   // glob for tool names
	Action string `json:"action"` // allow, deny, ask
	// patterns of commands for run_powershell, else globs, one of which must match a path argument;
	// empty matches any call
	Args   []string `json:"args,omitempty"`
	Scope  string   `json:"scope,omitempty"`  // "session" or "ticket T-001" for rules added at run time
	Source string   `json:"source,omitempty"` // file and line, or "--yes"
}

// Scopes of rules that are added at run time.
const (
	RuleForSession = "session"
	RuleForTicket  = "ticket " // the ticket's name follows
)

// RuleAdded records a rule that a person added.
type RuleAdded struct {
	Rule Rule `json:"rule"`
}

// EventType returns the type name and version.
func (RuleAdded) EventType() Type { return Type{"RuleAdded", 1} }

// RulesReplaced replaces all earlier rules with the person's current ones: an
// engine that resumes a session uses the current configuration.
type RulesReplaced struct {
	Rules []Rule `json:"rules"`
}

// EventType returns the type name and version.
func (RulesReplaced) EventType() Type { return Type{"RulesReplaced", 1} }

// ToolsOffered records the tools of the session and their schemas.
type ToolsOffered struct {
	Tools []ToolOffer `json:"tools"` // by name
}

// EventType returns the type name and version.
func (ToolsOffered) EventType() Type { return Type{"ToolsOffered", 1} }

// ToolOffer describes one tool to a model.
type ToolOffer struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Effect      string          `json:"effect"` // reads, writes, executes, network, joined by "|"
	Schema      json.RawMessage `json:"schema"`
}

// SessionClosed closes a session: all work in it ends, and everything that runs for it is stopped.
// If two people close a session at the same time, the first event in stream order counts.
type SessionClosed struct {
	Reason string `json:"reason"`
}

// EventType returns the type name and version.
func (SessionClosed) EventType() Type { return Type{"SessionClosed", 1} }

// Closes reports whether a stored event, decoded or not, closes its session. An
// unreadable event, or one whose actor may not write it, closes nothing.
func Closes(e Event) bool {
	Catalogue().Decode(&e)
	_, closes := e.Payload.(SessionClosed)
	return closes
}

// SessionStalled says that a decider cannot continue: it does not know an event, or the log
// contradicts its own decisions.
type SessionStalled struct {
	Decider string `json:"decider"`
	Reason  string `json:"reason"`
	At      string `json:"at"` // id of the event before which it stopped
}

// EventType returns the type name and version.
func (SessionStalled) EventType() Type { return Type{"SessionStalled", 1} }

// RequestReturned says that a request without an outcome was no longer in any pool and is
// redelivered. The position of this event in the session decides which of several processes does
// it.
type RequestReturned struct {
	Key     string `json:"key"`     // what the outcome refers to: a call, or the id of the request
	Request string `json:"request"` // id of the requesting event
	Seq     uint64 `json:"seq"`     // of the event from which the pool redelivers
	Pool    string `json:"pool"`    // kind of the pool
	Reason  string `json:"reason"`
}

// EventType returns the type name and version.
func (RequestReturned) EventType() Type { return Type{"RequestReturned", 1} }

// EventTopic returns the kind of the pool.
func (e RequestReturned) EventTopic() string { return Token(e.Pool) }

// WorkerLost reports that a worker stopped signalling its presence. It has no
// effect; the pool redelivers the worker's call.
type WorkerLost struct {
	Worker string `json:"worker"`
}

// EventType returns the type name and version.
func (WorkerLost) EventType() Type { return Type{"WorkerLost", 1} }

func sessionDefs() []Def {
	return []Def{
		Define(Command, "person", "A session begins, with every setting that decisions depend on.", SessionOpened{
			Label: "demo", Folder: "20260102_030405_demo", Workspace: "/w",
			Basis: Basis{Program: "v1.2.0", Decisions: map[string]int{ActorContributor: 1},
				Texts: []PromptText{{Name: "contributor", SHA256: "ab", Size: 2100, Tokens: 850}}},
			Settings: Settings{MaxWorkers: 4, MaxRetries: 2, AskTimeoutMS: 60000, ToolTimeoutMS: 60000,
				Tiers: []TierSettings{{Tier: 1, Provider: "script", Models: []string{"m1"}, MaxRounds: 40}},
				Rules: []Rule{{Tool: "edit_file", Action: "deny", Args: []string{"docs/**"}, Source: "config.toml:3"}}}}, optional),
		Define(Command, "person", "A rule about tool calls applies from here on.",
			RuleAdded{Rule{Tool: "*", Action: "allow", Scope: "session", Source: "--yes"}}),
		Define(Command, "person", "The current rules replace all earlier ones.",
			RulesReplaced{[]Rule{{Tool: "*", Action: "ask", Source: "config.toml:3"}}}),
		Define(Command, "person", "The tools of the session, with their schemas.", ToolsOffered{[]ToolOffer{{
			Name: "read_file", Description: "Read a file.", Effect: "reads", Schema: json.RawMessage(`{"type":"object"}`)}}}),
		Define(Command, "person", "The session is over.", SessionClosed{"done"}),
		Define(Notice, "any decider", "A decider cannot continue; it reports where and why.", SessionStalled{"conductor",
			"unknown type Foo v2", "01J"}),
		Define(Notice, "timers", "A request without an outcome was not in any pool and is redelivered.",
			RequestReturned{"call 01J-0", "01J-1", 7, PoolTools, "the pool was made anew"}),
		Define(Notice, "timers", "A worker stopped reporting its presence.", WorkerLost{"worker-host1-1"}),
	}
}

// Basis is what decisions depend on besides events and settings: the decision version of each
// decider, and the texts of prompts. A session keeps its initial basis, whichever program works on
// it, until a person replaces it with [DecisionsUpgraded].
type Basis struct {
	// Program is the version of the program that wrote the basis, for people.
	Program string `json:"program,omitempty"`
	// Decisions holds the decision version of each decider; a decider without an entry has version
	// 1.
	Decisions map[string]int `json:"decisions,omitempty"`
	// Texts are the texts that prompts contain verbatim, with their names. Their bytes are in the
	// blob store.
	Texts []PromptText `json:"texts,omitempty"`
}

// PromptText refers to a text that prompts contain.
type PromptText struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	Tokens int64  `json:"tokens"` // the maximum number, for budgets
}

// Decision returns the decision version of a decider.
func (b Basis) Decision(decider string) int { return max(b.Decisions[decider], 1) }

// Text returns a text by name; false if the session has none.
func (b Basis) Text(name string) (PromptText, bool) {
	for _, t := range b.Texts {
		if t.Name == name {
			return t, true
		}
	}
	return PromptText{}, false
}

// Changed returns the basis after an event with payload p, and whether the event replaced it.
// Every decider with a Basis uses it.
func (b Basis) Changed(p Payload) (Basis, bool) {
	switch x := p.(type) {
	case SessionOpened:
		return x.Basis, true
	case DecisionsUpgraded:
		return x.Basis, true
	}
	return b, false
}

// DecisionsUpgraded replaces the basis of a session: every later decision and every later request
// to a model uses it. Earlier decisions do not change.
type DecisionsUpgraded struct {
	Basis Basis `json:"basis"`
}

// EventType returns the type name and version.
func (DecisionsUpgraded) EventType() Type { return Type{"DecisionsUpgraded", 1} }

func basisDefs() []Def {
	return []Def{
		Define(Command, "person", "Decisions and prompts come from a newer program version from here "+
			"on.", DecisionsUpgraded{Basis{
			Program: "v1.3.0", Decisions: map[string]int{ActorContributor: 1, ActorQA: 1},
			Texts: []PromptText{{Name: "contributor", SHA256: "ab", Size: 2200, Tokens: 900}}}}),
		Define(Notice, "any decider", "A decider that had stopped continues.", SessionResumed{"conductor", "01J"}),
	}
}

// SessionResumed says that a decider continues with the event before which it had stopped, because
// the session is now read by a program that can decide on the event.
type SessionResumed struct {
	Decider string `json:"decider"`
	At      string `json:"at"` // id of the event before which it had stopped
}

// EventType returns the type name and version.
func (SessionResumed) EventType() Type { return Type{"SessionResumed", 1} }
