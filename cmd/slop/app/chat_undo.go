package app

import (
	"context"
	"errors"
	"slices"

	"manualslop/events"
)

// undo undoes files or the context.
func (c *chat) undo(ctx context.Context, what string) error {
	switch what {
	case "":
		return c.undoTurn(ctx)
	case "context":
		return c.moveContext(ctx, false)
	}
	c.note("/undo restores files; /undo context undoes the newest change of the discussions, the context or the presets")
	return nil
}

func (c *chat) redo(ctx context.Context, _ string) error { return c.moveContext(ctx, true) }

// moveContext undoes or redoes the next change of people to the discussions, the context or the presets.
func (c *chat) moveContext(ctx context.Context, redo bool) error {
	p, step, known := c.set.Restoring(redo)
	verb, did := "undo", "undid: "
	if redo {
		verb, did = "redo", "redid: "
	}
	switch {
	case !known:
		c.note("nothing to %s", verb)
		return nil
	case len(p.Changes) > 0: // a gateway must find the tracked files again
		c.note("%s %s the project; use: slop%s hook %s_curation", step.By, step.What, c.g.Where(), verb)
		return nil
	}
	seq, id, err := c.writer.PublishAt(ctx, p, c.set.Seq())
	if errors.Is(err, events.ErrConflict) {
		c.note("nothing was changed, because something else was recorded at the same time; try again")
		return nil
	}
	c.wants, c.moving, c.moves = max(c.wants, seq), id, did+step.What
	return err
}

// moved reports the outcome of an undo or redo of the context.
func (c *chat) moved(id string) {
	if id != c.moving {
		return
	}
	c.moving = ""
	if reason := c.set.DiscussionRefusal(id) + c.set.ProjectRefusal(id); reason != "" {
		c.note("nothing was changed: %s", reason)
		return
	}
	c.note("%s", c.moves)
	if _, there := c.set.DiscussionEntries(c.discussion); !there {
		c.discussion = c.set.ActiveDiscussion()
		c.note("this continues in %s", c.discussion)
	}
}

// undoTurn restores the files that the newest turn of the discussion changed.
func (c *chat) undoTurn(ctx context.Context) error {
	for _, t := range slices.Backward(c.set.Turns()) {
		if t.Discussion == c.discussion && len(t.Changes) > 0 && !c.undone[t.Turn] {
			id, err := c.publish(ctx, events.UndoRequested{Ticket: t.Turn})
			c.undoing, c.undoes = id, t.Turn
			return err
		}
	}
	c.note("no turn of this discussion has changes left to undo")
	return nil
}

// undid reports the outcome of an undo.
func (c *chat) undid(request string, p events.ToolSettled) {
	if c.undoing == "" || request != c.undoing {
		return
	}
	c.undoing = ""
	if p.Outcome != events.ToolDone {
		c.note("nothing was undone: %s", p.Text)
		return
	}
	c.undone[c.undoes] = true
	for _, f := range p.Files {
		if f.Written {
			c.note("restored %s", f.Path)
		}
	}
}
