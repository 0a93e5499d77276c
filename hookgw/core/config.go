package core

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/oklog/ulid/v2"

	"manualslop/events"
	"manualslop/hookgw/feed"
	"manualslop/hookgw/program"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
	"manualslop/projections"
	"manualslop/projections/search"
)

// Ways to authenticate callers.
const (
	// AuthToken demands a bearer token for everything but /status.
	AuthToken = "token"
	// AuthNone treats every caller as the configured user. All other checks still apply.
	AuthNone = "none"
)

// DefaultListen is the address that Manual Slop uses.
const DefaultListen = "127.0.0.1:8999"

// ErrConfig means that a Config is unusable.
var ErrConfig = errors.New("gateway configuration")

// ErrNoServer means that no external MCP server has the given name.
var ErrNoServer = errors.New("no such MCP server")

// Config is everything a gateway needs. Log, PersonLog, AgentLog, Models,
// Project, Person and, with tokens, Tokens are required.
type Config struct {
	// Listen is host:port; the host is 127.0.0.1, ::1 or localhost, and port 0
	// picks a free one. Empty: DefaultListen.
	Listen string
	// Auth is AuthToken (also when empty) or AuthNone.
	Auth string
	// Tokens is the folder of human.token, ask.token and read.token. It is created with mode 0700 if it is missing;
	// existing tokens are reused.
	Tokens string

	// Project and Person are subject tokens; Person is the actor of answers.
	Project, Person string
	// AgentLabel is part of the actor of requests with the ask token: "agent-" and this label. Empty: "hooks".
	AgentLabel string

	// Log has the rights of the actor "gateway" and may read everything.
	Log events.Log
	// PersonLog opens the connection that has the user's rights.
	PersonLog func(person string) events.Log
	// AgentLog opens the connection that has the rights of "agent-" and label.
	AgentLog func(label string) events.Log
	// Models are the read models.
	Models request.Models
	// Blobs holds the bodies that events name. Nil: GET /api/blobs finds none.
	Blobs events.Blobs

	// Signals passes on what is never stored: the text that models are writing. Nil: there is none.
	Signals feed.Signals
	// ProjectFiles is the project folder. Nil: projects and histories are neither loaded nor saved, and no files are
	// found by patterns.
	ProjectFiles ProjectFiles

	// Aggregate builds the context of a turn that was not sent, or of a recorded request; a *problem.Problem says why
	// there is none. Nil: GET /api/context/preview answers 503.
	Aggregate func(ctx context.Context, session string, want wire.ContextWanted) (wire.ContextPreview, error)

	// PreviewCall returns the diff of what a call would change, or why it would fail, and changes nothing. Nil: POST
	// /api/ask/preview answers 503.
	PreviewCall func(ctx context.Context, session string, call events.PreviewRequested) (diff string, err error)

	// Search finds words in the record. Nil: GET /api/search answers 503.
	Search Searcher

	// OpensSession means that this program opens or resumes a session when it starts. Until then GET /status answers
	// 503.
	OpensSession bool

	// Roles returns which actors are running and which roles are missing. Nil: unknown.
	Roles func() (present, missing []string)

	// Servers are the external MCP servers. Nil: there are none.
	Servers func() wire.MCPServerList

	// RestartServer stops and starts an external MCP server, including one that failed too often; it may return
	// [ErrNoServer]. Nil: there are none.
	RestartServer func(ctx context.Context, name string) error

	// Delays are the reasons for which processes gave requests back until later, by
	// sequence. Nil: they are not known.
	Delays func() map[uint64]string

	// Bus returns the connection to the bus for each request. Nil: one that is never lost.
	Bus request.Link

	// Upgrade returns the events of a user that switch a session to this program's prompts and decisions, in order;
	// none if it already has them. It returns events.ErrNewer if it has newer ones. Nil: there is never anything new.
	Upgrade func(ctx context.Context, session string, now projections.Settings) ([]events.Payload, error)

	// PlanReview is whether the plans of goals wait for a user.
	PlanReview bool
	// RuleOf returns the rule that a user makes of an open ask with patterns (none: proposed ones) for a scope. KeepRule
	// writes one without a scope into the user's configuration. Nil: answers make no rules.
	RuleOf   func(now projections.Settings, ask events.AskRaised, patterns []string, scope string) (events.Rule, error)
	KeepRule func(events.Rule) (events.Rule, error)

	// Providers are the providers that a tier can be set to. Nil: any name is valid.
	Providers []string
	// Embedders are the providers that can make vectors for retrieval. Nil: any name is valid.
	Embedders []string

	// ModelsAt returns the models of a tier that changes to another provider; nil if it keeps its
	// own. Nil: it always does.
	ModelsAt func(now events.TierSettings, provider string) []string

	// Host is the program that the gateway runs in. Nil: nothing is known of it.
	Host program.Host

	// AskTimeout is how long a question posted to /api/ask waits. Zero: one minute.
	AskTimeout time.Duration
	// Limits limit everything; zero fields have their defaults.
	Limits request.Limits

	// Clock stamps events. Nil: the machine's.
	Clock func() time.Time
	// NewID returns a new event id. Nil: a random ULID of the clock's time.
	NewID func() string
	// Masker hides known secrets in bytes that are about to be recorded. Nil: nothing is hidden.
	Masker func([]byte) []byte
	// Logger is for the operator. Nil: nothing is logged.
	Logger *slog.Logger
}

// WithDefaults validates c and sets the defaults of optional fields.
func (c Config) WithDefaults() (Config, error) {
	if err := c.check(); err != nil {
		return c, err
	}
	c.Listen = cmp.Or(c.Listen, DefaultListen)
	c.Auth = cmp.Or(c.Auth, AuthToken)
	c.AgentLabel = cmp.Or(c.AgentLabel, "hooks")
	c.AskTimeout = cmp.Or(c.AskTimeout, time.Minute)
	c.Limits = c.Limits.WithDefaults()
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Roles == nil {
		c.Roles = func() (present, missing []string) { return nil, nil }
	}
	if c.Upgrade == nil {
		c.Upgrade = func(context.Context, string, projections.Settings) ([]events.Payload, error) { return nil, nil }
	}
	if c.Servers == nil {
		c.Servers = func() wire.MCPServerList { return wire.MCPServerList{} }
	}
	if c.RestartServer == nil {
		c.RestartServer = func(context.Context, string) error { return ErrNoServer }
	}
	if c.Delays == nil {
		c.Delays = func() map[uint64]string { return nil }
	}
	if c.Bus == nil {
		c.Bus = steady{}
	}
	if c.Host == nil {
		c.Host = program.NewHostless()
	}
	if c.NewID == nil {
		clock := c.Clock
		c.NewID = func() string { return ulid.MustNew(ulid.Timestamp(clock()), rand.Reader).String() }
	}
	if c.Masker == nil {
		c.Masker = func(b []byte) []byte { return b }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

func (c Config) check() error {
	switch {
	case c.Auth != "" && c.Auth != AuthToken && c.Auth != AuthNone:
		return fmt.Errorf("%w: auth is %q, but must be %q or %q", ErrConfig, c.Auth, AuthToken, AuthNone)
	case c.Auth != AuthNone && c.Tokens == "":
		return fmt.Errorf("%w: Tokens must name a folder", ErrConfig)
	case !events.ValidToken(c.Project):
		return fmt.Errorf("%w: project %q is not a subject token", ErrConfig, c.Project)
	case !events.IsPerson(c.Person):
		return fmt.Errorf("%w: %q is not a valid user name", ErrConfig, c.Person)
	case !events.ValidToken(events.AgentPrefix + c.AgentLabel):
		return fmt.Errorf("%w: agent label %q is not a subject token", ErrConfig, c.AgentLabel)
	case c.Log == nil || c.PersonLog == nil || c.AgentLog == nil || c.Models == nil:
		return fmt.Errorf("%w: Log, PersonLog, AgentLog and Models are required", ErrConfig)
	case c.AskTimeout < 0:
		return fmt.Errorf("%w: ask timeout %s must not be negative", ErrConfig, c.AskTimeout)
	}
	if err := c.Limits.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return nil
}

// Settings returns the part of c that all requests share.
func (c Config) Settings() request.Settings {
	agent := events.AgentPrefix + c.AgentLabel
	return request.Settings{
		Project: c.Project, Log: c.Log, Models: c.Models, Bus: c.Bus, Limits: c.Limits, Clock: c.Clock, NewID: c.NewID,
		Masker: c.Masker, Logger: c.Logger,
		Own: request.Writer{Actor: events.ActorGateway, Log: c.Log}, Person: request.Writer{Actor: c.Person,
			Log: c.PersonLog(c.Person)}, Agent: request.Writer{Actor: agent, Log: c.AgentLog(c.AgentLabel)},
	}
}

// steady is a link that is never lost.
type steady struct{}

func (steady) Reachable() error { return nil }
func (steady) Room() error      { return nil }
func (steady) Links() uint64    { return 1 }

// Searcher finds words in the record; *search.Index is one.
type Searcher interface {
	// Find searches. Errors: *search.QueryError, search.ErrNotOpen,
	// search.ErrDamaged, or the context's.
	Find(ctx context.Context, q search.Query, page search.Page) (search.Answer, error)
}
