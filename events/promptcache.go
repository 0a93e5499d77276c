package events

import "time"

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
)

// PromptCacheDropped says that a kept beginning is used no more: it was
// deleted, or the provider forgot it.
type PromptCacheDropped struct {
	Name   string `json:"name"`
	Reason string `json:"reason"` // one of the Cache* constants
}

// EventType is the identity on the wire.
func (PromptCacheDropped) EventType() Type { return Type{"PromptCacheDropped", 1} }

func promptCacheDefs() []Def {
	return []Def{
		Define(Outcome, "models", "A provider keeps the beginning of a prompt for the requests that follow.", PromptCached{
			Provider: "gemini", Model: "gemini-2.5-pro", Name: "cachedContents/ab12", SHA256: "cd", Messages: 2,
			ExpiresAt: time.Date(2026, 1, 2, 4, 4, 5, 0, time.UTC)}),
		Define(Outcome, "models", "A kept beginning of a prompt is used no more.", PromptCacheDropped{"cachedContents/ab12", CacheSessionOver}),
	}
}
