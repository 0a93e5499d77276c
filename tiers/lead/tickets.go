package lead

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
	"manualslop/tiers/planning"
)

// Limits of a plan.
const (
	// MaxTickets limits the tickets of one track.
	MaxTickets = 256
	// MaxCheck limits the command that proves that a ticket is done, in bytes.
	MaxCheck = 1000
	// DefaultAssignee is the assignee of a ticket that names none.
	DefaultAssignee = "tier3-worker"
	// DefaultPriority is the priority of a ticket that names none.
	DefaultPriority = "medium"
)

// draft is a ticket as the model writes it. Unknown fields are ignored.
type draft struct {
	ID                  string   `json:"id"`
	Title               string   `json:"title"`
	Description         string   `json:"description"`
	AssignedTo          string   `json:"assigned_to"`
	TargetFile          string   `json:"target_file"`
	Check               string   `json:"check"`
	ContextRequirements []string `json:"context_requirements"`
	DependsOn           []string `json:"depends_on"`
	StepMode            bool     `json:"step_mode"`
	Priority            string   `json:"priority"`
	ModelOverride       string   `json:"model_override"`
	PersonaID           string   `json:"persona_id"`
}

// ticket converts a draft and fills in defaults. Lists are empty, never null.
func (d draft) ticket() events.Ticket {
	t := events.Ticket{
		ID: d.ID, Description: d.Description, Status: events.StatusTodo, AssignedTo: d.AssignedTo, TargetFile: d.TargetFile,
		Proof:               chars.Trim(d.Check),
		ContextRequirements: distinct(d.ContextRequirements), DependsOn: distinct(d.DependsOn), StepMode: d.StepMode,
		Priority: chars.Lower(d.Priority), ModelOverride: d.ModelOverride, PersonaID: d.PersonaID,
	}
	switch {
	case t.Description == "":
		t.Description = d.Title
	case d.Title != "":
		t.Description = d.Title + "\n\n" + t.Description
	}
	if t.AssignedTo == "" {
		t.AssignedTo = DefaultAssignee
	}
	if t.Priority == "" {
		t.Priority = DefaultPriority
	}
	return t
}

// distinct returns the list without duplicates and empty names, never nil.
func distinct(names []string) []string {
	out := make([]string, 0, len(names))
	seen := make(map[string]bool, len(names))
	for _, n := range names {
		if n != "" && !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// read parses the plan of a track in a reply.
func (s *State) read(reply string) ([]events.Ticket, error) {
	drafts, err := planning.Read(reply, "tickets", func(drafts []draft) error {
		if err := checkCount(len(drafts)); err != nil {
			return err
		}
		return s.check(ticketsOf(drafts))
	})
	if err != nil {
		return nil, err
	}
	return ticketsOf(drafts), nil
}

// planAnswered carries out a user's answer to a plan. Tickets that the user wrote are proposed again if they cannot
// be planned.
func (s *State) planAnswered(w *work, x events.PlanAnswered) {
	if x.Outcome != events.Yes {
		w.job.Refused(&s.desk, x)
		return
	}
	plan := w.plan
	if len(x.Tickets) > 0 {
		plan = completed(x.Tickets)
	}
	err := checkCount(len(plan))
	if err == nil {
		err = s.check(plan)
	}
	next := events.TicketsPlanned{Track: w.track.ID, Tickets: plan}
	if err == nil {
		err = planning.CheckSize(next, planning.MaxPlanBytes)
	}
	if err != nil {
		// our words: the functions that check plans write this text.
		w.job.Answered(events.PlanProposed{Goal: w.goal, Track: w.track.ID, Tickets: plan, Fault: tiers.Clip(err.Error(),
			planning.MaxErrorBytes)})
		return
	}
	w.job.Answered(next)
}

// completed fills in the defaults of tickets that a user wrote.
func completed(tickets []events.Ticket) []events.Ticket {
	out := make([]events.Ticket, len(tickets))
	for i, t := range tickets {
		out[i] = draft{ID: t.ID, Description: t.Description, AssignedTo: t.AssignedTo, TargetFile: t.TargetFile,
			Check: t.Proof, ContextRequirements: t.ContextRequirements, DependsOn: t.DependsOn, StepMode: t.StepMode,
			Priority: t.Priority, ModelOverride: t.ModelOverride, PersonaID: t.PersonaID}.ticket()
	}
	return out
}

func ticketsOf(drafts []draft) []events.Ticket {
	out := make([]events.Ticket, len(drafts))
	for i, d := range drafts {
		out[i] = d.ticket()
	}
	return out
}

func checkCount(n int) error {
	switch {
	case n == 0:
		return errors.New("the array holds no ticket")
	case n > MaxTickets:
		return fmt.Errorf("%d tickets, at most %d are allowed", n, MaxTickets)
	}
	return nil
}

// check rejects a plan that the session could not carry out.
func (s *State) check(tickets []events.Ticket) error {
	seen := make(map[string]bool, len(tickets))
	for i, t := range tickets {
		if err := s.checkTicket(t, seen); err != nil {
			return fmt.Errorf("ticket %d: %w", i+1, err)
		}
		seen[t.ID] = true
	}
	if cycle := findCycle(tickets); cycle != nil {
		return fmt.Errorf("the dependencies form a cycle: %s", strings.Join(cycle, " → "))
	}
	return nil
}

func (s *State) checkTicket(t events.Ticket, seen map[string]bool) error {
	if err := planning.CheckID(t.ID); err != nil {
		return err
	}
	switch {
	case seen[t.ID]:
		return fmt.Errorf("the id %s is used twice", t.ID)
	case s.taken[t.ID]:
		return fmt.Errorf("the id %s belongs to an earlier track", t.ID)
	case slices.Contains(t.DependsOn, t.ID):
		return fmt.Errorf("%s depends on itself", t.ID)
	case !slices.Contains(events.Priorities(), t.Priority):
		return fmt.Errorf("%s: priority %s is not high, medium or low", t.ID,
			chars.Quote(tiers.Clip(t.Priority, events.MaxToken)))
	}
	err := planning.CheckText(t.Description)
	if err == nil && (len(t.Proof) > MaxCheck || strings.Contains(t.Proof, "\n")) {
		err = fmt.Errorf("check must be one line of at most %d bytes", MaxCheck)
	}
	if err == nil {
		err = planning.CheckPersona(s.desk.Settings.Roster, t.PersonaID)
	}
	if err == nil {
		err = s.checkModel(t)
	}
	for _, d := range t.DependsOn {
		if err == nil && planning.CheckID(d) != nil {
			err = fmt.Errorf("depends_on: %w", planning.CheckID(d))
		}
	}
	if err == nil {
		err = planning.CheckSize(t, planning.MaxItemBytes)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.ID, err)
	}
	return nil
}

// workerTier is the tier that works on tickets.
const workerTier = 3

// checkModel rejects a model that the user did not configure for the persona or tier that works
// on the ticket, because text that tier 2 has read must not decide what is paid for.
func (s *State) checkModel(t events.Ticket) error {
	sitting := tiers.Seat{Tier: workerTier, Persona: t.PersonaID}.Take(s.desk.Settings)
	known := slices.Clone(sitting.Tier.Models)
	for _, m := range sitting.Persona.Models {
		known = append(known, m.Model)
	}
	if t.ModelOverride == "" || slices.Contains(known, t.ModelOverride) {
		return nil
	}
	return fmt.Errorf("model_override %s is none of %s; leave it out",
		chars.Quote(tiers.Clip(t.ModelOverride, events.MaxToken)), planning.List(known))
}
