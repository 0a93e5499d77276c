package beads

import (
	"context"
	"fmt"
	"strings"
)

// Bead is one ticket.
type Bead struct {
	ID string `json:"id"`
	// Status is open, in_progress, blocked, deferred, closed, pinned, hooked, or one of the project's own.
	Status      string `json:"status"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Priority    int    `json:"priority"` // 0 is the most urgent
	Type        string `json:"issue_type"`
}

// Row formats a ticket as the line that tools show.
func (b Bead) Row() string {
	return fmt.Sprintf("ID: %s, Status: %s, Title: %s", b.ID, b.Status, strings.Join(strings.Fields(b.Title), " "))
}

// Tracker is a database of tickets.
type Tracker interface {
	// List returns all tickets, including closed ones, in bd's order.
	List(ctx context.Context) ([]Bead, error)
	// Ready returns the open tickets that are not blocked, in bd's order.
	Ready(ctx context.Context) ([]Bead, error)
	// Create creates an open ticket.
	Create(ctx context.Context, title, description string) (Bead, error)
	// Update changes the status of a ticket.
	Update(ctx context.Context, id, status string) (Bead, error)
}

// Problem is a failure that a model can understand. Its one-line text says what to do next.
type Problem struct{ Text string }

// Error returns the text.
func (p *Problem) Error() string { return p.Text }

func problem(format string, args ...any) error {
	return &Problem{Text: fmt.Sprintf(format, args...)}
}
