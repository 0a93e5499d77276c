package events

import "strings"

// Reserved actors. Every other valid token that is not a worker's or an
// agent's is a person.
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
	// ActorMCP is the MCP server. It requests calls and can answer no ask.
	ActorMCP = AgentPrefix + "mcp"
)

// Prefixes of actor tokens that belong to programs.
const (
	WorkerPrefix = "worker-"
	AgentPrefix  = "agent-"
)

// Deciders lists the actors that decide, in the order in which they are started.
func Deciders() []string {
	return []string{ActorConductor, ActorPlanner, ActorLead, ActorContributor, ActorQA, ActorApproval}
}

// IsDecider tells whether actor is one of [Deciders].
func IsDecider(actor string) bool {
	switch actor {
	case ActorConductor, ActorPlanner, ActorLead, ActorContributor, ActorQA, ActorApproval:
		return true
	}
	return false
}

// IsWorker tells whether actor is a worker's token.
func IsWorker(actor string) bool { return strings.HasPrefix(actor, WorkerPrefix) }

// IsPerson tells whether actor may speak for a person: a valid token that no
// role, worker or agent owns.
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

// IsAgent tells whether actor is the token of a program that may post asks.
func IsAgent(actor string) bool { return strings.HasPrefix(actor, AgentPrefix) }
