package events

import "time"

// PromptCacheStarted says that a provider is going to be asked to keep the
// beginning of a prompt under a label. What it made is found by that label where
// no [PromptCached] says its name, because the process ended in between.
type PromptCacheStarted struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Label    string `json:"label"` // that nothing else of the provider's has
	// ExpiresAt is when the provider has forgotten by itself what it made.
	ExpiresAt time.Time `json:"expires_at"`
}

// EventType is the identity on the wire.
func (PromptCacheStarted) EventType() Type { return Type{"PromptCacheStarted", 1} }

// PromptCached says that a provider keeps the beginning of a prompt, at a price
// for the time, so that later requests name it instead of sending it.
type PromptCached struct {
	Provider string `json:"provider"`
	Model    string `json:"model"` // it serves requests to this model only
	Name     string `json:"name"`  // the provider's name for it
	// SHA256 is of what is kept: the provider's own form of system message,
	// tools and first messages.
	SHA256 string `json:"sha256"`
	// Messages counts the messages that it holds, the system message included.
	Messages int `json:"messages"`
	// Tokens is how many they are, as the provider counts; 0 if it did not say.
	Tokens int64 `json:"tokens,omitempty"`
	// ExpiresAt is when the provider forgets it by itself.
	ExpiresAt time.Time `json:"expires_at"`
	// Label is what it was started under, see [PromptCacheStarted].
	Label string `json:"label,omitempty"`
}

// EventType is the identity on the wire.
func (PromptCached) EventType() Type { return Type{"PromptCached", 1} }

// Reasons for which a kept beginning is used no more.
const (
	CacheExpired     = "expired"      // its time is over; the provider forgot it by itself
	CacheRenewed     = "renewed"      // another one of the same content takes its place
	CacheLost        = "lost"         // the provider says that it has none of that name
	CacheSessionOver = "session_over" // deleted, the session is over
	CacheEngineOver  = "engine_over"  // deleted, the program that made it ends
	CacheUnrecorded  = "unrecorded"   // deleted, the program that made it ended before it said so
	CacheNotMade     = "not_made"     // the provider keeps nothing under its label
)

// PromptCacheDropped says that a kept beginning is used no more: it was
// deleted, or the provider forgot it.
type PromptCacheDropped struct {
	Name   string `json:"name"`   // empty where a label is settled of which no name is known
	Reason string `json:"reason"` // one of the Cache* constants
	// Label is that of a [PromptCacheStarted] which is settled so: the provider
	// keeps nothing under it any more.
	Label string `json:"label,omitempty"`
}

// EventType is the identity on the wire.
func (PromptCacheDropped) EventType() Type { return Type{"PromptCacheDropped", 1} }

func promptCacheDefs() []Def {
	return []Def{
		Define(Outcome, "models", "A provider is going to be asked to keep the beginning of a prompt.", PromptCacheStarted{
			Provider: "gemini", Model: "gemini-2.5-pro", Label: "slop 01J", ExpiresAt: time.Date(2026, 1, 2, 4, 5, 5, 0, time.UTC)}),
		Define(Outcome, "models", "A provider keeps the beginning of a prompt for the requests that follow.", PromptCached{
			Provider: "gemini", Model: "gemini-2.5-pro", Name: "cachedContents/ab12", SHA256: "cd", Messages: 2,
			ExpiresAt: time.Date(2026, 1, 2, 4, 4, 5, 0, time.UTC)}),
		Define(Outcome, "models", "A kept beginning of a prompt is used no more.", PromptCacheDropped{Name: "cachedContents/ab12", Reason: CacheSessionOver}),
	}
}
