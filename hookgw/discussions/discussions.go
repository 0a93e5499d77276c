package discussions

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// discussionList is the answer of GET /api/discussions.
type discussionList struct {
	Active      string                       `json:"active"`
	Roles       []string                     `json:"roles"`
	Discussions []projections.DiscussionInfo `json:"discussions"`
}

// discussionAnswer reports that a write took effect, and on which discussion.
type discussionAnswer struct {
	Status string `json:"status"`
	Name   string `json:"name,omitempty"`
	Entry  string `json:"entry,omitempty"` // id of an entry that was added
}

type NameRequest struct {
	Name string `json:"name"`
}

type branchRequest struct {
	Name  string `json:"name,omitempty"`  // empty: the active one
	Entry string `json:"entry,omitempty"` // the last entry to copy; empty: all
}

type renameRequest struct {
	Name string `json:"name"`
	To   string `json:"to,omitempty"`
}

type rolesRequest struct {
	Roles []string `json:"roles"`
}

func getDiscussions() func(*core.Call) error {
	shown := request.View("discussions", func(s *projections.Set) (any, error) {
		return discussionList{s.ActiveDiscussion(), s.DiscussionRoles(), s.Discussions()}, nil
	}, "session")
	return func(c *core.Call) error { return c.ShowAt(c.Core.PastDiscussions, shown) }
}

// AboutDiscussion publishes a user's change to a discussion.
func AboutDiscussion(c *core.Call, session string, p events.Payload) (events.Event, error) {
	return c.PublishChecked(session, p, (*projections.Set).DiscussionRefusal)
}

// doneWith answers with the changed discussion.
func doneWith(c *core.Call, answer discussionAnswer, err error) error {
	if err != nil {
		return err
	}
	answer.Status = "ok"
	return c.Reply(http.StatusOK, answer)
}

// HasDiscussion returns an error if no discussion has this name.
func HasDiscussion(c *core.Call, session, name string) error {
	ok := false
	if err := c.Read(session, func(s *projections.Set) {
		ok = slices.ContainsFunc(s.Discussions(), func(d projections.DiscussionInfo) bool { return d.Name == name })
	}); err != nil || ok {
		return err
	}
	return problem.New(http.StatusNotFound, "no such discussion", "GET /api/discussions lists them.")
}

// namedDiscussion parses a body that names a discussion, which must exist.
func namedDiscussion(c *core.Call) (session, name string, err error) {
	var want NameRequest
	if err = c.Decode(&want, `{"name": "main"}`); err != nil {
		return "", "", err
	}
	if session, err = c.SomeSession(); err != nil {
		return "", "", err
	}
	return session, want.Name, HasDiscussion(c, session, want.Name)
}

func checkName(name string) error {
	if wrong := projections.CheckDiscussionName(name); wrong != "" {
		return problem.New(http.StatusBadRequest, wrong, "Choose another name.")
	}
	return nil
}

func postCreate(c *core.Call) error {
	var want NameRequest
	if err := c.Decode(&want, `{"name": "main"}`); err != nil {
		return err
	}
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	if err := checkName(want.Name); err != nil {
		return err
	}
	_, err = AboutDiscussion(c, session, events.DiscussionChanged{Operation: events.DiscussionCreate,
		Discussion: want.Name})
	return doneWith(c, discussionAnswer{Name: want.Name}, err)
}

// postBranch answers with the name of the new take.
func postBranch(c *core.Call) error {
	var want branchRequest
	if err := c.Decode(&want, `{"name": "main", "entry": "…"}`); err != nil {
		return err
	}
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	name := want.Name
	if err := c.Read(session, func(s *projections.Set) { name = cmp.Or(name, s.ActiveDiscussion()) }); err != nil {
		return err
	}
	if err := HasDiscussion(c, session, name); err != nil {
		return err
	}
	e, err := AboutDiscussion(c, session, events.DiscussionChanged{Operation: events.DiscussionFork, Discussion: name,
		Entry: want.Entry})
	if err != nil {
		return err
	}
	err = c.Read(session, func(s *projections.Set) {
		for _, d := range s.Discussions() {
			if d.By() == e.ID {
				name = d.Name
			}
		}
	})
	return doneWith(c, discussionAnswer{Name: name}, err)
}

func postSwitch(c *core.Call) error {
	session, name, err := namedDiscussion(c)
	if err != nil {
		return err
	}
	_, err = AboutDiscussion(c, session, events.DiscussionChanged{Operation: events.DiscussionSwitch, Discussion: name})
	return doneWith(c, discussionAnswer{Name: name}, err)
}

func postDelete(c *core.Call) error {
	session, name, err := namedDiscussion(c)
	if err != nil {
		return err
	}
	_, err = AboutDiscussion(c, session, events.DiscussionChanged{Operation: events.DiscussionDelete, Discussion: name})
	return doneWith(c, discussionAnswer{Name: name}, err)
}

// renaming parses a body that renames a discussion.
func renaming(c *core.Call) (session string, want renameRequest, err error) {
	if err = c.Decode(&want, `{"name": "main_take_1", "to": "second"}`); err != nil {
		return "", want, err
	}
	if session, err = c.SomeSession(); err != nil {
		return "", want, err
	}
	return session, want, HasDiscussion(c, session, want.Name)
}

func postRename(c *core.Call) error {
	session, want, err := renaming(c)
	if err != nil {
		return err
	}
	return rename(c, session, want)
}

func rename(c *core.Call, session string, want renameRequest) error {
	if err := checkName(want.To); err != nil {
		return err
	}
	_, err := AboutDiscussion(c, session, events.DiscussionChanged{Operation: events.DiscussionRename,
		Discussion: want.Name,
		To:         want.To})
	return doneWith(c, discussionAnswer{Name: want.To}, err)
}

// postPromote renames a take to a name at the top level: the given one, or the base's name with the first free number
// from 2.
func postPromote(c *core.Call) error {
	session, want, err := renaming(c)
	if err != nil {
		return err
	}
	base, take := projections.TakeBase(want.Name)
	if !take {
		return problem.New(http.StatusConflict, "this discussion is not a take",
			"Takes are named BASE_take_N; POST /api/discussions/branch creates one.")
	}
	if _, take := projections.TakeBase(want.To); take {
		return problem.New(http.StatusBadRequest, "the new name is reserved for takes",
			"Choose a name that does not end in _take_N.")
	}
	if want.To == "" {
		if err := c.Read(session, func(s *projections.Set) { want.To = freeName(s, base) }); err != nil {
			return err
		}
	}
	return rename(c, session, want)
}

func freeName(s *projections.Set, base string) string {
	taken := map[string]bool{}
	for _, d := range s.Discussions() {
		taken[d.Name] = true
	}
	for n := 2; ; n++ {
		if name := fmt.Sprintf("%s_%d", base, n); !taken[name] {
			return name
		}
	}
}

func postRoles(c *core.Call) error {
	var want rolesRequest
	if err := c.Decode(&want, `{"roles": ["User", "AI"]}`); err != nil {
		return err
	}
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	if wrong := projections.CheckRoles(want.Roles); wrong != "" {
		return problem.New(http.StatusBadRequest, wrong, "Send a list of names.")
	}
	_, err = AboutDiscussion(c, session, events.DiscussionChanged{Operation: events.DiscussionRoles, Roles: want.Roles})
	return doneWith(c, discussionAnswer{}, err)
}
