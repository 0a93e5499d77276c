package events

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"manualslop/events/chars"
)

// ManifestDigest returns the SHA-256 of the manifest's canonical JSON: two prompts are identical
// exactly if their digests are.
func ManifestDigest(parts []Part) (string, error) {
	if b, ok := canonicalManifest(parts); ok {
		return Digest(b), nil
	}
	raw, err := json.Marshal(parts)
	if err != nil {
		return "", fmt.Errorf("manifest: %w", err)
	}
	return CanonicalDigest(raw)
}

// ManifestSum is the state of a manifest's digest after its first parts, so that only the new
// parts of a continuing manifest are hashed. The zero value is the state before any parts.
type ManifestSum struct {
	hash  hash.Cloner // nil: no parts yet
	parts int
}

// Of returns the [ManifestDigest] of parts, the first keep of which are those of the manifest from
// which s was made, and the state for the manifest that continues it.
func (s ManifestSum) Of(parts []Part, keep int) (string, ManifestSum, error) {
	if s.parts > min(keep, len(parts)) {
		s = ManifestSum{}
	}
	if digest, next, ok := s.After(parts[s.parts:]); ok {
		return digest, next, nil
	}
	digest, err := ManifestDigest(parts)
	return digest, ManifestSum{}, err
}

// Parts returns the number of parts that s covers.
func (s ManifestSum) Parts() int { return s.parts }

// After returns the digest of the parts that s covers followed by more, and the state for the
// manifest that continues it, which covers all of them except a block of changed files. It returns
// false if the digest must be computed from the whole manifest; see [ManifestDigest].
func (s ManifestSum) After(more []Part) (digest string, next ManifestSum, ok bool) {
	stay := len(more)
	if stay > 0 && more[stay-1].Kind == PartRefresh {
		stay--
	}
	if s.parts+len(more) == 0 {
		return "", ManifestSum{}, false
	}
	if next, ok = s.behind(more[:stay]); !ok {
		return "", ManifestSum{}, false
	}
	whole, ok := next.behind(more[stay:])
	if !ok {
		return "", ManifestSum{}, false
	}
	whole.hash.Write([]byte("]"))
	return hex.EncodeToString(whole.hash.Sum(nil)), next, true
}

// behind returns the state after more parts; s is not changed.
func (s ManifestSum) behind(more []Part) (ManifestSum, bool) {
	if s.hash == nil {
		s.hash = sha256.New().(hash.Cloner)
	}
	var err error
	if s.hash, err = s.hash.Clone(); err != nil {
		return ManifestSum{}, false
	}
	var b []byte
	for i := range more {
		if more[i].inexact() {
			return ManifestSum{}, false
		}
		if b = append(b[:0], ','); s.parts == 0 {
			b[0] = '['
		}
		b = appendPart(b, &more[i])
		s.hash.Write(b)
		s.parts++
	}
	return s, true
}

// maxExact is the largest whole number that canonical JSON, whose numbers are doubles, always
// writes exactly.
const maxExact = 1 << 53

// inexact reports whether a part has numbers that the canonical form would change.
func (p *Part) inexact() bool {
	return p.Head < -maxExact || p.Head > maxExact || p.Size < -maxExact || p.Size > maxExact || p.Index < -maxExact ||
		p.Index > maxExact
}

// canonicalManifest returns the same as [Canonical] for the parts' JSON, without encoding JSON
// first. It returns false if a part is [Part.inexact].
func canonicalManifest(parts []Part) ([]byte, bool) {
	if parts == nil {
		return []byte("null"), true
	}
	size := 2
	for i := range parts {
		p := &parts[i]
		if p.inexact() {
			return nil, false
		}
		size += 256 + len(p.Text) + len(p.Prefix) + len(p.Suffix)
	}
	b := append(make([]byte, 0, size), '[')
	for i := range parts {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendPart(b, &parts[i])
	}
	return append(b, ']'), true
}

// appendPart appends one part, with its members in the order of their names.
func appendPart(b []byte, p *Part) []byte {
	text := func(head, s string) {
		if s != "" {
			b = appendString(append(b, head...), s)
			b = append(b, ',')
		}
	}
	number := func(head string, n int64) {
		if n != 0 {
			b = strconv.AppendInt(append(b, head...), n, 10)
			b = append(b, ',')
		}
	}
	b = append(b, '{')
	text(`"call":`, p.Call)
	if p.Failed {
		b = append(b, `"failed":true,`...)
	}
	text(`"fence":`, p.Fence)
	text(`"from":`, p.From)
	number(`"head":`, int64(p.Head))
	number(`"index":`, int64(p.Index))
	text(`"kind":`, p.Kind)
	text(`"origin":`, p.Origin)
	text(`"prefix":`, p.Prefix)
	b = appendString(append(b, `"role":`...), p.Role)
	b = append(b, ',')
	text(`"sha256":`, p.SHA256)
	number(`"size":`, p.Size)
	text(`"suffix":`, p.Suffix)
	text(`"text":`, p.Text)
	b[len(b)-1] = '}'
	return b
}

// AppendText appends a string in the form of canonical JSON; see [Canonical].
func AppendText(b []byte, s string) []byte { return appendString(b, s) }

// appendString appends a string as RFC 8785 requires: with the two-character escapes, other
// control characters in hexadecimal, and everything else unchanged. Bytes that are not UTF-8
// become U+FFFD, as in encoding/json.
func appendString(b []byte, s string) []byte {
	const hexadecimal = "0123456789abcdef"
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	b = append(b, '"')
	for left := unsafe.Slice(unsafe.StringData(s), len(s)); ; {
		n := plainRun(left)
		b = append(b, left[:n]...)
		if n == len(left) {
			return append(b, '"')
		}
		switch c := left[n]; c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, `\b`...)
		case '\t':
			b = append(b, `\t`...)
		case '\n':
			b = append(b, `\n`...)
		case '\f':
			b = append(b, `\f`...)
		case '\r':
			b = append(b, `\r`...)
		default:
			b = append(b, '\\', 'u', '0', '0', hexadecimal[c>>4], hexadecimal[c&15])
		}
		left = left[n+1:]
	}
}

// MaxManifest limits the parts of a complete manifest. One event cannot hold that many, so only a
// request that continues others can exceed it.
const MaxManifest = 1 << 16

// Prompts holds the complete manifests of a session's model requests, by request; each part is
// stored as the result of a function (see Take). It is a fold over [ModelRequested], and the only
// code that knows how a request continues another:
//
//   - A request continues an earlier one of its session, and each is continued
//     at most once. So a conversation is one line of requests, of which only the
//     newest is kept, and a request only records what is new in it.
//   - Keep is at least 1 and at most the number of parts of the continued request.
//   - A request that continues none holds the complete manifest.
//
// A caller that needs the parts themselves compares their [ManifestDigest] with
// the request's digest.
type Prompts[T any] map[string]Prompt[T]

// Prompt is the complete manifest of a request that is not continued yet.
type Prompt[T any] struct {
	Of    Conversation `json:"of"`
	Parts []T          `json:"parts"`
}

// Same returns a part unchanged, for callers that need all of it.
func Same(p *Part) Part { return *p }

// Conversation identifies the subject of a request.
type Conversation struct {
	Tier    int    `json:"tier"`
	Goal    string `json:"goal,omitempty"`
	Track   string `json:"track,omitempty"`
	Ticket  string `json:"ticket,omitempty"`
	Attempt int    `json:"attempt,omitempty"` // number of the attempt at the ticket
}

// Take folds the request with this id and returns the results of the function of for every part.
// They are valid until the request is continued. An error changes nothing.
func (all Prompts[T]) Take(id string, p *ModelRequested, of func(*Part) T) ([]T, error) {
	if known, again := all[id]; again {
		return known.Parts, nil
	}
	kept, err := all.kept(p)
	if err != nil {
		return nil, err
	}
	parts := kept
	for i := range p.Manifest {
		parts = append(parts, of(&p.Manifest[i]))
	}
	delete(all, p.Continues)
	all[id] = Prompt[T]{Conversation{p.Tier, p.Goal, p.Track, p.Ticket, p.TicketAttempt}, parts}
	return parts, nil
}

// kept returns the parts that precede the request's own.
func (all Prompts[T]) kept(p *ModelRequested) ([]T, error) {
	if p.Continues == "" {
		if p.Keep != 0 {
			return nil, fmt.Errorf("it keeps %d parts but does not continue a request", p.Keep)
		}
		return make([]T, 0, len(p.Manifest)), nil
	}
	before, known := all[p.Continues]
	switch {
	case !known:
		return nil, fmt.Errorf("it continues request %s, which is not an earlier request, is over, or was already continued",
			chars.Quote(p.Continues))
	case p.Keep < 1 || p.Keep > len(before.Parts):
		return nil, fmt.Errorf("it keeps %d parts of request %s, which has %d; it must keep at least 1", p.Keep,
			chars.Quote(p.Continues), len(before.Parts))
	case p.Keep+len(p.Manifest) > MaxManifest:
		return nil, fmt.Errorf("its manifest has %d parts; at most %d are allowed", p.Keep+len(p.Manifest), MaxManifest)
	}
	return before.Parts[:p.Keep], nil
}

// Continue reduces a request with a complete Manifest to what is new compared with the request
// with this id, whose complete manifest was before. If the id is empty or they have nothing in
// common, the request is not changed.
func (m *ModelRequested) Continue(id string, before []Part) {
	keep := 0
	for keep < len(before) && keep < len(m.Manifest) && before[keep] == m.Manifest[keep] {
		keep++
	}
	if id != "" && keep > 0 {
		m.Continues, m.Keep, m.Manifest = id, keep, m.Manifest[keep:]
	}
}

// Forget drops the conversations that an event ends. Later requests in them, from a decider that
// had not seen the end yet, are then unknown.
func (all Prompts[T]) Forget(e *Event) {
	if p, replied := e.Payload.(ModelReplied); replied && all[p.Request].Of.Tier == 4 {
		delete(all, p.Request) // the conversation has only one request
	}
	over := ended(e.Payload)
	if over == nil {
		return
	}
	// order-independent: each is checked on its own
	for id, p := range all {
		if over(p.Of) {
			delete(all, id)
		}
	}
}

// EndsPrompts reports whether [Prompts.Forget] uses events with this payload.
func EndsPrompts(p Payload) bool {
	_, replied := p.(ModelReplied)
	return replied || ended(p) != nil
}

// ended returns a function that selects the conversations that an event ends; nil if it ends none.
func ended(p Payload) func(Conversation) bool {
	switch p := p.(type) {
	case TracksProposed:
		return func(c Conversation) bool { return c.Tier == 1 && c.Goal == p.Goal }
	case PlanSkipped:
		return func(c Conversation) bool { return c.Tier == 1 && c.Goal == p.Goal }
	case TicketsPlanned:
		return func(c Conversation) bool { return c.Tier == 2 && c.Track == p.Track && c.Ticket == "" }
	case PlanningFailed:
		return func(c Conversation) bool {
			return c.Tier == p.Tier && c.Goal == p.Goal && c.Track == p.Track && c.Ticket == ""
		}
	case TicketReviewed:
		return func(c Conversation) bool { return c.Tier == 2 && c.Ticket == p.Ticket && c.Attempt <= p.Attempt }
	case TicketResolved:
		return func(c Conversation) bool { // including those of tier 4 without a hint: the attempt waited for each
			return c.Tier > 2 && c.Ticket != "" && c.Ticket == p.Ticket && c.Attempt <= p.Attempt
		}
	case TurnEnded:
		return func(c Conversation) bool { return c.Ticket == p.Turn }
	case TicketKilled:
		return func(c Conversation) bool {
			return c.Tier > 1 && c.Ticket != "" && c.Ticket == p.Ticket && c.Attempt <= p.Attempt
		}
	}
	return nil
}
