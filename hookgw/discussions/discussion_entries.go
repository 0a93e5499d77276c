package discussions

import (
	"cmp"
	"fmt"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// maxEntryContent limits the content of an entry that a user writes, in bytes.
const maxEntryContent = 256 << 10

// entryList is the answer of GET /api/discussions/entries.
type entryList struct {
	Name    string                        `json:"name"`
	Entries []projections.DiscussionEntry `json:"entries"`
}

type entryRequest struct {
	Discussion string `json:"discussion,omitempty"` // empty: the active one
	Role       string `json:"role,omitempty"`       // empty: User
	Content    string `json:"content"`
	Collapsed  bool   `json:"collapsed,omitempty"`
}

type entryEdit struct {
	Discussion string  `json:"discussion,omitempty"`
	Entry      string  `json:"entry"`
	Role       *string `json:"role,omitempty"`
	Content    *string `json:"content,omitempty"`
	Collapsed  *bool   `json:"collapsed,omitempty"`
}

type entryName struct {
	Discussion string `json:"discussion,omitempty"`
	Entry      string `json:"entry"`
}

func getEntries(c *core.Call) error {
	out := entryList{Name: c.Query().Get("name")}
	found := false
	if err := c.ReadAt(c.Core.PastDiscussions, func(s *projections.Set) error {
		out.Name = cmp.Or(out.Name, s.ActiveDiscussion())
		out.Entries, found = s.DiscussionEntries(out.Name)
		return nil
	}); err != nil {
		return err
	}
	if !found {
		return problem.New(http.StatusNotFound, "no such discussion", "GET /api/discussions lists them.")
	}
	return c.Reply(http.StatusOK, out)
}

func checkContent(content string) error {
	if len(content) > maxEntryContent {
		return problem.New(http.StatusRequestEntityTooLarge, "the entry is too long",
			fmt.Sprintf("Use at most %d bytes, or inject a file with /api/context/inject.", maxEntryContent))
	}
	return nil
}

// discussionOf returns the session and, for a named discussion, checks that it exists.
func discussionOf(c *core.Call, name string) (session string, err error) {
	if session, err = c.SomeSession(); err != nil || name == "" {
		return session, err
	}
	return session, HasDiscussion(c, session, name)
}

func postEntryAdd(c *core.Call) error {
	want := entryRequest{Role: projections.RoleUser}
	if err := c.Decode(&want, `{"role": "User", "content": "…"}`); err != nil {
		return err
	}
	session, err := discussionOf(c, want.Discussion)
	if err != nil {
		return err
	}
	if err := checkContent(want.Content); err != nil {
		return err
	}
	e, err := AboutDiscussion(c, session, events.DiscussionChanged{Operation: events.EntryAdd, Discussion: want.Discussion,
		Role: &want.Role, Content: &want.Content, Collapsed: &want.Collapsed})
	return doneWith(c, discussionAnswer{Name: want.Discussion, Entry: e.ID}, err)
}

func postEntryEdit(c *core.Call) error {
	var want entryEdit
	if err := c.Decode(&want, `{"entry": "…", "collapsed": true}`); err != nil {
		return err
	}
	session, err := entry(c, want.Discussion, want.Entry)
	if err != nil {
		return err
	}
	if want.Content != nil {
		if err := checkContent(*want.Content); err != nil {
			return err
		}
	}
	if want.Role == nil && want.Content == nil && want.Collapsed == nil {
		return problem.New(http.StatusBadRequest, "the body changes nothing", "Send role, content or collapsed.")
	}
	_, err = AboutDiscussion(c, session, events.DiscussionChanged{Operation: events.EntryEdit, Discussion: want.Discussion,
		Entry: want.Entry, Role: want.Role, Content: want.Content, Collapsed: want.Collapsed})
	return doneWith(c, discussionAnswer{Name: want.Discussion, Entry: want.Entry}, err)
}

func postEntryDelete(c *core.Call) error {
	var want entryName
	if err := c.Decode(&want, `{"entry": "…"}`); err != nil {
		return err
	}
	session, err := entry(c, want.Discussion, want.Entry)
	if err != nil {
		return err
	}
	_, err = AboutDiscussion(c, session, events.DiscussionChanged{Operation: events.EntryDelete,
		Discussion: want.Discussion,
		Entry:      want.Entry})
	return doneWith(c, discussionAnswer{Name: want.Discussion, Entry: want.Entry}, err)
}

// entry returns the session of an entry that must exist.
func entry(c *core.Call, discussion, id string) (session string, err error) {
	if session, err = discussionOf(c, discussion); err != nil {
		return "", err
	}
	found := false
	err = c.Read(session, func(s *projections.Set) {
		entries, _ := s.DiscussionEntries(discussion)
		for _, n := range entries {
			found = found || n.ID == id
		}
	})
	if err == nil && !found {
		err = problem.New(http.StatusNotFound, "no such entry",
			"GET /api/discussions/entries lists them with their ids.")
	}
	return session, err
}
