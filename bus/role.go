package bus

import (
	"fmt"
	"strings"

	"manualslop/events"
)

// Kind is what a connection is for. The zero value is invalid.
type Kind string

// Kinds of role.
const (
	// Decider decides; its name is one of events.Deciders.
	Decider Kind = "decider"
	// Models calls models.
	Models Kind = "models"
	// Timers fires timers and reports lost workers.
	Timers Kind = "timers"
	// Gateway serves the Hook API and records its own traffic.
	Gateway Kind = "gateway"
	// Person speaks for one person; its name is the person's token.
	Person Kind = "person"
	// Agent is a program outside that may raise asks; its name begins with "agent-".
	Agent Kind = "agent"
	// Worker runs tools; its name begins with "worker-".
	Worker Kind = "worker"
	// Reader reads the log and publishes nothing.
	Reader Kind = "reader"
	// Live sees new events as they come and may do nothing else.
	Live Kind = "live"
	// Admin creates streams and pools.
	Admin Kind = "admin"
)

// Role is whom a connection speaks for. Name is needed for the kinds Decider,
// Person, Agent and Worker, and ignored for the others. Project limits Worker,
// Models and Timers to the work of one project; empty means every project that
// the embedded server has pools for.
type Role struct {
	Kind    Kind   `json:"kind"`
	Name    string `json:"name,omitempty"`
	Project string `json:"project,omitempty"`
}

// Check says with ErrRole why a role is malformed.
func (r Role) Check() error {
	ok := true
	switch r.Kind {
	case Decider:
		ok = events.IsDecider(r.Name)
	case Person:
		ok = events.IsPerson(r.Name)
	case Agent:
		ok = events.ValidToken(r.Name) && strings.HasPrefix(r.Name, events.AgentPrefix)
	case Worker:
		ok = events.ValidToken(r.Name) && events.IsWorker(r.Name)
	case Models, Timers, Gateway, Reader, Live, Admin:
	default:
		return fmt.Errorf("%w: kind %q", ErrRole, r.Kind)
	}
	if !ok {
		return fmt.Errorf("%w: %q is no name for the kind %s", ErrRole, r.Name, r.Kind)
	}
	if r.Project != "" && !events.ValidToken(r.Project) {
		return fmt.Errorf("%w: project %.80q is no token", ErrRole, r.Project)
	}
	return nil
}

// Actor is the subject token under which the role writes; for kinds that write
// nothing it is the kind.
func (r Role) Actor() string {
	switch r.Kind {
	case Decider, Person, Agent, Worker:
		return r.Name
	}
	return string(r.Kind)
}

// consumer is the name of the one consumer of a worker over a project, which its
// rights name. Workers of two projects on one host have the same name.
func (r Role) consumer(project string) string { return "outcomes-" + project + "-" + r.Actor() }

// String names the role in logs: kind, and name where it has one.
func (r Role) String() string {
	if a := r.Actor(); a != string(r.Kind) {
		return string(r.Kind) + " " + a
	}
	return string(r.Kind)
}

// readsLog tells whether the role may read the whole log.
func (r Role) readsLog() bool {
	switch r.Kind {
	case Decider, Models, Timers, Gateway, Person, Reader, Admin:
		return true
	}
	return false
}

// inbox is the prefix under which the role receives answers. It holds the kind,
// so that a person named "reader" shares nothing with the role.
func (r Role) inbox() string { return "_INBOX_" + string(r.Kind) + "_" + r.Actor() }
