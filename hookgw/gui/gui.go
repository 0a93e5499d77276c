package gui

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// queuedAnswer is the answer of POST /api/gui for every task.
type queuedAnswer struct {
	Status string `json:"status"`
}

// postGUI records a task and carries it out. As in Manual Slop, every object is queued; a task that fails leaves a
// GUITaskFailed.
func postGUI(c *core.Call) error {
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	masked := c.Gw.Mask(c.Body)
	queued, err := c.PublishAsPerson(session, events.GUITaskQueued{Task: masked})
	if err != nil {
		return err
	}
	run := &guiRun{c: c, queued: queued, masked: !bytes.Equal(masked, c.Body)}
	c.Stamps = run.stamp
	if err := run.perform(masked); err != nil {
		return err
	}
	return c.ReplyFixed(request.FixedQueued)
}

// guiRun is a running task. Its events have the task as the cause and ids that derive from it.
type guiRun struct {
	c      *core.Call
	queued events.Event
	task   projections.GUITask
	masked bool // a secret was taken out of the task
	said   int  // events that followed
}

// perform carries out the task. It returns an error only if the gateway fails; a failure of the task itself is
// recorded.
func (r *guiRun) perform(raw json.RawMessage) error {
	var err error
	if r.task, err = projections.ReadGUITask(raw); err == nil {
		err = r.act()
	}
	if err == nil {
		return nil
	}
	failed, ok := failureOf(err)
	if !ok {
		return err
	}
	failed.Queued, failed.Task, failed.Action, failed.Item = r.queued.ID, r.c.Gw.RecordedBody(raw), r.task.Action,
		r.task.Item
	return r.fail(failed)
}

// failureOf returns what is wrong with a task: whatever another request would be rejected for. It returns false if
// the gateway or the log failed.
func failureOf(err error) (events.GUITaskFailed, bool) {
	var p *problem.Problem
	var unknown *unknownName
	switch {
	case errors.As(err, &unknown):
		return events.GUITaskFailed{Error: unknown.Error(), Nearest: unknown.nearest}, true
	case errors.Is(err, projections.ErrGUITask), errors.Is(err, projections.ErrGUIValue):
		return events.GUITaskFailed{Error: err.Error()}, true
	case errors.As(err, &p):
		return events.GUITaskFailed{Error: p.Message + ". " + p.Hint}, true
	}
	return events.GUITaskFailed{}, false
}

// act carries out a parsed task.
func (r *guiRun) act() error {
	switch r.task.Action {
	case projections.GUISetValue:
		return r.setValue()
	case projections.GUIClick:
		return r.click(r.task.Item)
	case projections.GUICallback:
		return r.callback()
	case projections.GUISelectTab, projections.GUISelectItem:
		return r.selected()
	case projections.GUIPushEvent:
		_, err := r.say(events.EventPushed{Kind: r.task.Item, Payload: r.task.Value})
		return err
	}
	return nil // only recorded
}

// say publishes an event of the task as the user, and returns it once it can be read.
func (r *guiRun) say(p events.Payload) (events.Event, error) {
	return r.c.PublishAsPerson(r.queued.Session, p)
}

// stamp creates an event of the task. In the task's session it names the task as its cause.
func (r *guiRun) stamp(w request.Writer, session string, p events.Payload) (events.Event, error) {
	if session != r.queued.Session {
		return r.c.Gw.Event(w, session, p)
	}
	return r.event(w, p)
}

// event stamps an event of the task.
func (r *guiRun) event(w request.Writer, p events.Payload) (events.Event, error) {
	g := r.c.Gw
	e, err := events.New(events.Origin{
		ID: events.DecidedID(w.Actor, r.queued, r.said), Time: g.Cfg.Clock(), Project: g.Cfg.Project,
		Session: r.queued.Session, Actor: w.Actor, Cause: r.queued.ID,
	}, p)
	r.said++
	return e, err
}

// fail records that the task failed.
func (r *guiRun) fail(p events.GUITaskFailed) error {
	e, err := r.event(r.c.Gw.Own, p)
	if err != nil {
		return err
	}
	return r.c.Publish(r.c.Gw.Own, e)
}

// unknownName means that a task names something that does not exist.
type unknownName struct {
	what    string
	nearest []string
}

func unknown(what, name string, known []string) *unknownName {
	return &unknownName{what, core.Nearest(name, known)}
}

// Error suggests similar names.
func (u *unknownName) Error() string {
	out := "no such " + u.what + "; GET /api/gui lists them"
	if len(u.nearest) > 0 {
		out = "no such " + u.what + "; similar names: " + strings.Join(u.nearest, ", ")
	}
	return out
}
