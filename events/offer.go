package events

import (
	"strings"
	"time"

	"manualslop/events/chars"
)

// MaxModelOffers limits the rows of ModelsOffered.
const MaxModelOffers = 512

// ModelsOffered records the known limits and prices of models. The newest one applies from its
// position in the stream on. Decisions and read models use it, never a table of the program, so
// that the cost of a session never changes.
type ModelsOffered struct {
	Models []ModelOffer `json:"models"` // the first row that matches a model counts
}

// EventType returns the type name and version.
func (ModelsOffered) EventType() Type { return Type{"ModelsOffered", 1} }

// ModelOffer describes the models that match a pattern.
type ModelOffer struct {
	Provider        string `json:"provider"`                    // see [ProviderName]
	Model           string `json:"model"`                       // * matches any characters; case is ignored
	ContextWindow   int64  `json:"context_window,omitempty"`    // tokens of prompt and reply together; 0 if not known
	MaxOutputTokens int64  `json:"max_output_tokens,omitempty"` // for one reply; 0 if not known
	// "marked" (by marks in the request) or "automatic"; empty if not known
	Caching string       `json:"caching,omitempty"`
	Prices  []ModelPrice `json:"prices,omitempty"` // empty means unknown, not free
	Source  string       `json:"source,omitempty"` // source of the limits
	AsOf    string       `json:"as_of,omitempty"`  // day on which Source was read
}

// ModelPrice is the price of tokens, in micro-dollars per million tokens.
type ModelPrice struct {
	ID           string `json:"id"`
	ValidFrom    string `json:"valid_from,omitempty"`  // first day, in UTC; empty means always
	PromptOver   int64  `json:"prompt_over,omitempty"` // applies to prompts with more tokens than this
	Input        int64  `json:"input_micro_dollars_per_mtok"`
	Output       int64  `json:"output_micro_dollars_per_mtok"`
	CacheRead    *int64 `json:"cache_read_micro_dollars_per_mtok"`     // null if not known
	CacheWrite5m *int64 `json:"cache_write_5m_micro_dollars_per_mtok"` // null if not known
	CacheWrite1h *int64 `json:"cache_write_1h_micro_dollars_per_mtok"` // null if not known
	Source       string `json:"source"`
	AsOf         string `json:"as_of"` // day on which Source was read
}

// Find returns the first row that matches a model; false if the model is unknown. For a program
// that calls a vendor itself, the vendor's prices apply.
func (m ModelsOffered) Find(provider, model string) (ModelOffer, bool) {
	provider, model = vendor(provider), strings.TrimPrefix(chars.Lower(model), "models/")
	for _, o := range m.Models {
		if vendor(o.Provider) == provider && fitsModel(chars.Lower(o.Model), model) {
			return o, true
		}
	}
	return ModelOffer{}, false
}

// Price returns the price of a request to a model at a time with a prompt of
// the given number of tokens; false if unknown.
func (m ModelsOffered) Price(provider, model string, at time.Time, prompt int64) (ModelPrice, bool) {
	o, ok := m.Find(provider, model)
	if !ok {
		return ModelPrice{}, false
	}
	return o.Price(at, prompt)
}

// Price returns the newest price that applied at a time to a prompt of the
// given number of tokens.
func (o ModelOffer) Price(at time.Time, prompt int64) (ModelPrice, bool) {
	day := at.UTC().Format(time.DateOnly)
	var best ModelPrice
	found := false
	for _, p := range o.Prices {
		switch {
		case p.ValidFrom > day || p.PromptOver > 0 && prompt <= p.PromptOver:
		case !found || p.ValidFrom > best.ValidFrom || p.ValidFrom == best.ValidFrom && p.PromptOver > best.PromptOver:
			best, found = p, true
		}
	}
	return best, found
}

// Cost returns the cost of usage, and whether it is complete: cached tokens without a known price
// are left out.
func (p ModelPrice) Cost(u Usage) (cost Pico, whole bool) {
	cost, whole = Pay(u.Input, p.Input).Plus(Pay(u.Output, p.Output)), true
	hour := min(max(u.CacheWriteHour, 0), max(u.CacheWrite, 0))
	for _, part := range []struct {
		tokens int64
		price  *int64
	}{{u.CacheRead, p.CacheRead}, {u.CacheWrite - hour, p.CacheWrite5m}, {hour, p.CacheWrite1h}} {
		switch {
		case part.tokens <= 0:
		case part.price == nil:
			whole = false
		default:
			cost = cost.Plus(Pay(part.tokens, *part.price))
		}
	}
	return cost, whole
}

// Dearest returns the maximum cost of a prompt and a reply with these numbers of tokens: each
// token of the prompt counts as read, or as written to a cache, at the highest known price.
func (p ModelPrice) Dearest(prompt, reply int64) Pico {
	price := p.Input
	for _, x := range []*int64{p.CacheRead, p.CacheWrite5m, p.CacheWrite1h} {
		if x != nil {
			price = max(price, *x)
		}
	}
	return Pay(prompt, price).Plus(Pay(reply, p.Output))
}

// DearestUsage returns u with its prompt tokens counted as [ModelPrice.Dearest] does: as read or
// as written to a cache, whichever costs most.
func (p ModelPrice) DearestUsage(u Usage) Usage {
	prompt, price := u.Prompt(), p.Input
	u.Input, u.CacheRead, u.CacheWrite, u.CacheWriteHour = prompt, 0, 0, 0
	if p.CacheRead != nil && *p.CacheRead > price {
		price, u.Input, u.CacheRead = *p.CacheRead, 0, prompt
	}
	if p.CacheWrite5m != nil && *p.CacheWrite5m > price {
		price, u.Input, u.CacheRead, u.CacheWrite = *p.CacheWrite5m, 0, 0, prompt
	}
	if p.CacheWrite1h != nil && *p.CacheWrite1h > price {
		u.Input, u.CacheRead, u.CacheWrite, u.CacheWriteHour = 0, 0, prompt, prompt
	}
	return u
}

// vendor returns the provider whose models and prices a provider uses.
func vendor(provider string) string {
	switch name := ProviderName(provider); name {
	case ProviderGeminiCLI:
		return "gemini"
	case ProviderClaudeCLI:
		return "anthropic"
	case ProviderCodexCLI:
		return "openai"
	default:
		return name
	}
}

// fitsModel reports whether a name matches a pattern in which * matches any characters.
func fitsModel(glob, name string) bool {
	head, rest, star := strings.Cut(glob, "*")
	if !star {
		return glob == name
	}
	if !strings.HasPrefix(name, head) {
		return false
	}
	name = name[len(head):]
	for {
		piece, more, again := strings.Cut(rest, "*")
		if !again {
			return strings.HasSuffix(name, piece)
		}
		at := strings.Index(name, piece)
		if at < 0 {
			return false
		}
		name, rest = name[at+len(piece):], more
	}
}
