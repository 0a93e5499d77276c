package hookclient

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// GetMMAWorkers reads what every worker is doing.
func (c *Client) GetMMAWorkers(ctx context.Context) (projections.Workers, error) {
	return read[projections.Workers](ctx, c, "/api/mma/workers", nil)
}

// PostGoal submits a goal and returns its id.
func (c *Client) PostGoal(ctx context.Context, goal string) (string, error) {
	var out struct {
		Goal string `json:"goal"`
	}
	err := c.post(ctx, "/api/goal", map[string]string{"goal": goal}, &out)
	return out.Goal, err
}

// WorkerSpec describes the work of a new worker.
type WorkerSpec struct {
	// RequestID identifies the request: however often it is sent, it adds only one worker. Empty: SpawnMMAWorker and
	// Generate create an id.
	RequestID string `json:"request_id,omitempty"`
	// Prompt is the task.
	Prompt string `json:"prompt"`
	// Context names files that the worker is shown.
	Context []string `json:"context,omitempty"`
	// TargetFile is the file that it is to change.
	TargetFile string `json:"target_file,omitempty"`
	// Model is the model; empty: that of tier 3.
	Model string `json:"model,omitempty"`
	// Persona is the worker's persona; empty: that of tier 3.
	Persona string `json:"persona,omitempty"`
}

// Spawned names a worker that was added.
type Spawned = wire.SpawnAnswer

// SpawnMMAWorker adds a worker with its own ticket. Every gate applies to it.
func (c *Client) SpawnMMAWorker(ctx context.Context, w WorkerSpec) (Spawned, error) {
	return repeated[Spawned](ctx, c, "/api/mma/workers/spawn", w.known(), headTimeout)
}

// known returns the spec with a request id.
func (w WorkerSpec) known() WorkerSpec {
	if w.RequestID == "" {
		w.RequestID = newRequestID()
	}
	return w
}

// repeated posts a body with a request_id, so that it can safely be sent again.
func repeated[T any](ctx context.Context, c *Client, path string, body any, patience time.Duration) (T, error) {
	var out T
	raw, err := json.Marshal(body)
	if err != nil {
		return out, err
	}
	answer, err := c.send(ctx, request{method: http.MethodPost, path: path, body: raw, patience: patience})
	if err != nil {
		return out, err
	}
	err = decode(answer, &out)
	return out, err
}

// KillMMAWorker ends the running attempt of a worker. Its ticket becomes blocked.
func (c *Client) KillMMAWorker(ctx context.Context, workerID string) error {
	return c.post(ctx, "/api/mma/workers/kill", map[string]string{"worker_id": workerID}, nil)
}

// NoteMMATicket sends a note to the model that works on a ticket: its next request and every later attempt carry the
// note.
func (c *Client) NoteMMATicket(ctx context.Context, ticket, note string) error {
	return c.post(ctx, "/api/control", map[string]string{"action": "note", "ticket": ticket, "note": note}, nil)
}

// PauseMMAPipeline pauses the start of new work; running work finishes.
func (c *Client) PauseMMAPipeline(ctx context.Context) error {
	return c.post(ctx, "/api/mma/pipeline/pause", struct{}{}, nil)
}

// ResumeMMAPipeline ends a pause.
func (c *Client) ResumeMMAPipeline(ctx context.Context) error {
	return c.post(ctx, "/api/mma/pipeline/resume", struct{}{}, nil)
}

// Mutated is the outcome of a change to the graph.
type Mutated = wire.MutateAnswer

// MutateMMADAG changes the ticket graph, all or nothing. Each operation is
// an object such as {"op": "add_dependency", "ticket": "T-2", "depends_on": "T-1"}.
func (c *Client) MutateMMADAG(ctx context.Context, ops ...map[string]any) (Mutated, error) {
	var out Mutated
	err := c.post(ctx, "/api/mma/dag/mutate", map[string]any{"ops": ops}, &out)
	return out, err
}

// Generated is the result of a worker.
type Generated = wire.Generated

// Generate adds a worker and waits until its ticket ends. Status 504 means that the work takes longer than the
// gateway waits; the same RequestID joins it again.
func (c *Client) Generate(ctx context.Context, w WorkerSpec) (Generated, error) {
	return repeated[Generated](ctx, c, "/api/v1/generate", w.known(), 0)
}

// PendingAction is a script or a call that waits for approval.
type PendingAction struct {
	ActionID string          `json:"action_id"`
	Tool     string          `json:"tool"`
	Script   *string         `json:"script"`
	BaseDir  string          `json:"base_dir"`
	Args     json.RawMessage `json:"args"`
	Effect   string          `json:"effect"`
	Ticket   string          `json:"ticket"`
	Title    string          `json:"title"`
	Diff     string          `json:"diff"`
	RaisedAt time.Time       `json:"raised_at"`
}

// GetPendingActions lists the pending actions, oldest first.
func (c *Client) GetPendingActions(ctx context.Context) ([]PendingAction, error) {
	var out struct {
		Actions []PendingAction `json:"pending_actions"`
	}
	err := c.get(ctx, "/api/v1/pending_actions", nil, &out)
	return out.Actions, err
}

// ConfirmAction approves or rejects a pending action.
func (c *Client) ConfirmAction(ctx context.Context, actionID string, approved bool, reason string) error {
	return c.post(ctx, "/api/v1/confirm/"+url.PathEscape(actionID), map[string]any{"approved": approved, "reason": reason},
		nil)
}
