package projections

import (
	"encoding/json"
	"fmt"

	"manualslop/events"
)

// Fold describes one read model. S is its complete state, and can be marshalled to JSON and back
// without loss.
type Fold[S any] struct {
	// Name is the model's name, such as "asks". It never changes.
	Name string
	// Version counts changes of S or Apply, from 1; increasing it discards snapshots.
	Version int
	// New returns the state before the first event.
	New func() S
	// Apply folds one decoded event and returns the new state. It may modify the given state.
	Apply func(S, *events.Event) S
	// Takes selects the payloads that are passed to Apply; nil means all. Other payloads do not
	// change the model or its rendered views.
	Takes func(events.Payload) bool
	// View returns the state as clients see it; nil means the state itself.
	View func(S) any
	// Blank returns the value into which a stored state is decoded; nil means New.
	Blank func() S
	// Digested returns the value from which the digest is computed; nil means the state itself.
	Digested func(S) any
}

// Model is a fold that runs on one session, without its state's type.
type Model interface {
	// Name returns the fold's name.
	Name() string
	// Version returns the fold's version.
	Version() int
	// Takes reports whether the model folds events with this payload.
	Takes(p events.Payload) bool
	// Apply folds one decoded event.
	Apply(e *events.Event)
	// JSON returns the complete state; equal states give equal bytes.
	JSON() (json.RawMessage, error)
	// View returns the state as a client of the gateway sees it.
	View() (json.RawMessage, error)
	// Digest returns the SHA-256 of the state, in hexadecimal.
	Digest() (string, error)
	// Restore replaces the state by one decoded from JSON. On an error the state does not change.
	Restore(state json.RawMessage) error
}

// Model returns the fold's model for a new session.
func (f Fold[S]) Model() Model { return &model[S]{fold: f, state: f.New()} }

type model[S any] struct {
	fold  Fold[S]
	state S
}

func (m *model[S]) Name() string { return m.fold.Name }

func (m *model[S]) Version() int { return m.fold.Version }

func (m *model[S]) Takes(p events.Payload) bool { return m.fold.Takes == nil || m.fold.Takes(p) }

func (m *model[S]) Apply(e *events.Event) { m.state = m.fold.Apply(m.state, e) }

func (m *model[S]) JSON() (json.RawMessage, error) { return encode(m.fold.Name, m.state) }

func (m *model[S]) View() (json.RawMessage, error) {
	if m.fold.View == nil {
		return m.JSON()
	}
	return encode(m.fold.Name, m.fold.View(m.state))
}

func (m *model[S]) Digest() (string, error) {
	var of any = m.state
	if m.fold.Digested != nil {
		of = m.fold.Digested(m.state)
	}
	raw, err := encode(m.fold.Name, of)
	return events.Digest(raw), err
}

func (m *model[S]) Restore(raw json.RawMessage) error {
	blank := m.fold.Blank
	if blank == nil {
		blank = m.fold.New
	}
	s := blank()
	if !events.Quick(raw, &s) {
		s = blank()
		if err := json.Unmarshal(raw, &s); err != nil {
			return fmt.Errorf("restore %s: %w", m.fold.Name, err)
		}
	}
	m.state = s
	return nil
}

func encode(name string, v any) (json.RawMessage, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", name, err)
	}
	return b, nil
}

// Catalogue returns functions that start each read model for a new session, sorted by name.
func Catalogue() []func() Model {
	return []func() Model{
		asks.Model,
		changes.Model,
		endState.Model,
		contextViews.Model,
		cost.Model,
		diagnostics.Model,
		queue.Model,
		figures.Model,
		files.Model,
		gui.Model,
		mmaStatus.Model,
		openRequests.Model,
		project.Model,
		prompt.Model,
		discussion.Model,
		settings.Model,
		spans.Model,
		spending.Model,
		spawned.Model,
		summary.Model,
		ticketPasts.Model,
		tickets.Model,
		timeline.Model,
		toolCalls.Model,
		turns.Model,
		workers.Model,
	}
}

// Watched returns the models of [Catalogue] that views of a session at an earlier position use. It leaves out the
// discussions and the models that only programs read.
func Watched() []func() Model {
	return []func() Model{asks.Model, changes.Model, cost.Model, settings.Model, spans.Model, spending.Model,
		summary.Model, ticketPasts.Model, tickets.Model, workers.Model}
}

// Discussed returns the model of [Catalogue] with the discussions, including their complete text.
func Discussed() []func() Model { return []func() Model{discussion.Model} }

// ofTheWork selects all payloads except the gateway's own records, which are frequent while
// programs use the gateway.
func ofTheWork(p events.Payload) bool {
	switch p.(type) {
	case events.HookCalled, events.EventPushed, events.EventsDrained, events.GUITaskQueued, events.GUITaskFailed:
		return false
	}
	return true
}

// ofAsks selects the payloads of an inbox.
func ofAsks(p events.Payload) bool {
	switch p.(type) {
	case events.AskPosted, events.AskRaised, events.AskSettled, events.AnswerRefused:
		return true
	}
	return false
}

// ofRequests selects the payloads about model calls.
func ofRequests(p events.Payload) bool {
	switch p.(type) {
	case events.ModelRequested, events.ModelReplied, events.ModelFailed, events.ModelDenied:
		return true
	}
	return false
}

// ofProjects selects the payloads about a project and its files.
func ofProjects(p events.Payload) bool {
	switch p.(type) {
	case events.ProjectSwitchRequested, events.ProjectLoaded, events.ProjectSwitchFailed, events.ProjectEdited,
		events.ProjectSaved,
		events.FilesTracked, events.ContextPresetChanged, events.CurationRestored:
		return true
	}
	return false
}

// ofTheGUI selects the payloads of POST /api/gui.
func ofTheGUI(p events.Payload) bool {
	switch p.(type) {
	case events.GUITaskQueued, events.GUITaskFailed:
		return true
	}
	return false
}
