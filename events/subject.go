package events

import (
	"errors"
	"fmt"
	"strings"

	"manualslop/events/chars"
)

// Roots of the subject space.
const (
	// RootEvents is the root of stored facts.
	RootEvents = "slop.ev"
	// RootLive is where the server republishes each stored fact, for observers that need no
	// consumer; the rest of the subject is the same.
	RootLive = "slop.live"
	// RootSignals is for core NATS messages that are never stored or folded: text deltas,
	// presence, performance samples.
	RootSignals = "slop.sig"
	// RootHere is for core NATS requests: one to slop.here.<project>.<actor>.<process> fails at
	// once if that connection of the actor is gone. It is never answered.
	RootHere = "slop.here"
)

// MaxToken limits the length of a subject token in bytes; [Token] cuts longer names.
const MaxToken = 64

// ErrSubject means that a string is not a subject of the event space.
var ErrSubject = errors.New("not an event subject")

// Tokens are the tokens of an event's subject.
type Tokens struct{ Project, Session, Actor, Type, Topic string }

// Subject returns slop.ev.<project>.<session>.<actor>.<Type>.<topic>. An empty token becomes "-".
func Subject(project, session, actor, typ, topic string) string {
	n := len(RootEvents) + 5 + len(project) + len(session) + len(actor) + len(typ) + len(topic) + 1
	var b strings.Builder
	b.Grow(n)
	b.WriteString(RootEvents)
	for _, t := range [...]string{project, session, actor, typ, topic} {
		b.WriteByte('.')
		if t == "" {
			t = "-"
		}
		b.WriteString(t)
	}
	return b.String()
}

// ParseSubject splits a subject made by [Subject]. It returns ErrSubject for wildcards, other
// roots, missing or extra tokens, and characters outside [A-Za-z0-9_-].
func ParseSubject(s string) (Tokens, error) {
	rest, ok := strings.CutPrefix(s, RootEvents+".")
	if !ok {
		return Tokens{}, fmt.Errorf("%w: %s does not begin with %s", ErrSubject, chars.Quote(clip(s)), RootEvents)
	}
	var part [5]string
	for i := range part {
		tok, tail, more := strings.Cut(rest, ".")
		if more != (i < 4) || !ValidToken(tok) {
			return Tokens{}, fmt.Errorf("%w: %s needs five tokens of [A-Za-z0-9_-]", ErrSubject, chars.Quote(clip(s)))
		}
		part[i], rest = tok, tail
	}
	return Tokens{part[0], part[1], part[2], part[3], part[4]}, nil
}

// ValidToken reports whether s is valid as a subject token.
func ValidToken(s string) bool {
	if s == "" || len(s) > MaxToken {
		return false
	}
	for i := range len(s) {
		if !tokenByte(s[i]) {
			return false
		}
	}
	return true
}

// Token converts any text to a subject token: foreign characters become "_", the empty text
// becomes "-", and the result is cut at MaxToken bytes.
func Token(s string) string {
	if s == "" {
		return "-"
	}
	b := []byte(s)
	if len(b) > MaxToken {
		b = b[:MaxToken]
	}
	for i, c := range b {
		if !tokenByte(c) {
			b[i] = '_'
		}
	}
	return string(b)
}

func tokenByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}

// Filter selects events by subject; an empty field matches anything.
type Filter struct{ Project, Session, Actor, Type, Topic string }

// Subject returns the filter as a NATS subject with wildcards.
func (f Filter) Subject() string {
	parts := [5]string{f.Project, f.Session, f.Actor, f.Type, f.Topic}
	last := len(parts)
	for last > 0 && parts[last-1] == "" {
		last--
	}
	var b strings.Builder
	b.WriteString(RootEvents)
	for _, p := range parts[:last] {
		b.WriteByte('.')
		if p == "" {
			p = "*"
		}
		b.WriteString(p)
	}
	if last < len(parts) {
		b.WriteString(".>")
	}
	return b.String()
}

// Match reports whether the filter matches e.
func (f Filter) Match(e *Event) bool {
	topic := e.Topic
	if topic == "" {
		topic = "-"
	}
	return (f.Project == "" || f.Project == e.Project) && (f.Session == "" || f.Session == e.Session) &&
		(f.Actor == "" || f.Actor == e.Actor) && (f.Type == "" || f.Type == e.Type) && (f.Topic == "" || f.Topic == topic)
}

// Reserved actors. Every other valid token that is not a worker's or an agent's belongs to a
// person.
const (
	ActorConductor   = "conductor"
	ActorPlanner     = "planner"
	ActorLead        = "lead"
	ActorContributor = "contributor"
	ActorQA          = "qa"
	ActorApproval    = "approval"
	ActorModels      = "models"
	ActorTimers      = "timers"
	ActorGateway     = "gateway"
	ActorAdmin       = "admin"
	// ActorMCP is the MCP server. It requests calls but cannot answer asks.
	ActorMCP = AgentPrefix + "mcp"
)

// Prefixes of the actor names of programs.
const (
	WorkerPrefix = "worker-"
	AgentPrefix  = "agent-"
)

// Deciders returns the actors that decide, in the order in which they are started.
func Deciders() []string {
	return []string{ActorConductor, ActorPlanner, ActorLead, ActorContributor, ActorQA, ActorApproval}
}

// IsDecider reports whether actor is one of [Deciders].
func IsDecider(actor string) bool {
	switch actor {
	case ActorConductor, ActorPlanner, ActorLead, ActorContributor, ActorQA, ActorApproval:
		return true
	}
	return false
}

// IsWorker reports whether actor is a worker.
func IsWorker(actor string) bool { return strings.HasPrefix(actor, WorkerPrefix) }

// IsPerson reports whether actor may act as a person: a valid token that is not reserved and not a
// worker's or an agent's.
func IsPerson(actor string) bool {
	switch {
	case !ValidToken(actor), actor == "-", IsDecider(actor), IsWorker(actor), IsAgent(actor):
		return false
	}
	switch actor {
	case ActorModels, ActorTimers, ActorGateway, ActorAdmin:
		return false
	}
	return true
}

// IsAgent reports whether actor is a program that may post asks.
func IsAgent(actor string) bool { return strings.HasPrefix(actor, AgentPrefix) }
