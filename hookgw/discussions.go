package hookgw

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"manualslop/events"
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

// discussionAnswer says that a write took effect, and on which discussion.
type discussionAnswer struct {
	Status string `json:"status"`
	Name   string `json:"name,omitempty"`
	Entry  string `json:"entry,omitempty"` // id of an entry that was added
}

type nameRequest struct {
	Name string `json:"name"`
}

type branchRequest struct {
	Name  string `json:"name,omitempty"`  // empty: the active one
	Entry string `json:"entry,omitempty"` // the last one taken over; empty: all
}

type renameRequest struct {
	Name string `json:"name"`
	To   string `json:"to,omitempty"`
}

type rolesRequest struct {
	Roles []string `json:"roles"`
}

func getDiscussions() func(*call) error {
	shown := request.View("discussions", func(s *projections.Set) (any, error) {
		return discussionList{s.ActiveDiscussion(), s.DiscussionRoles(), s.Discussions()}, nil
	}, "session")
	return func(c *call) error { return c.Show(shown) }
}

// aboutDiscussion publishes what a person says about discussions.
func (c *call) aboutDiscussion(session string, p events.Payload) (events.Event, error) {
	return c.Word(session, p, (*projections.Set).DiscussionRefusal)
}

// doneWith answers with the discussion that a write was about.
func (c *call) doneWith(answer discussionAnswer, err error) error {
	if err != nil {
		return err
	}
	answer.Status = "ok"
	return c.Reply(http.StatusOK, answer)
}

// hasDiscussion is an error where there is no discussion of that name.
func (c *call) hasDiscussion(session, name string) error {
	ok := false
	if err := c.Read(session, func(s *projections.Set) {
		ok = slices.ContainsFunc(s.Discussions(), func(d projections.DiscussionInfo) bool { return d.Name == name })
	}); err != nil || ok {
		return err
	}
	return problem.Refuse(http.StatusNotFound, "there is no such discussion", "GET /api/discussions lists them.")
}

// named reads a body that names a discussion, which must be there.
func (c *call) named() (session, name string, err error) {
	var want nameRequest
	if err = c.Decode(&want, `{"name": "main"}`); err != nil {
		return "", "", err
	}
	if session, err = c.SomeSession(); err != nil {
		return "", "", err
	}
	return session, want.Name, c.hasDiscussion(session, want.Name)
}

func checkName(name string) error {
	if wrong := projections.CheckDiscussionName(name); wrong != "" {
		return problem.Refuse(http.StatusBadRequest, wrong, "Choose another name.")
	}
	return nil
}

func postCreate(c *call) error {
	var want nameRequest
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
	_, err = c.aboutDiscussion(session, events.DiscussionCreated{Name: want.Name})
	return c.doneWith(discussionAnswer{Name: want.Name}, err)
}

// postBranch answers with the name that the take got.
func postBranch(c *call) error {
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
	if err := c.hasDiscussion(session, name); err != nil {
		return err
	}
	e, err := c.aboutDiscussion(session, events.DiscussionForked{From: name, Through: want.Entry})
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
	return c.doneWith(discussionAnswer{Name: name}, err)
}

func postSwitch(c *call) error {
	session, name, err := c.named()
	if err != nil {
		return err
	}
	_, err = c.aboutDiscussion(session, events.DiscussionSwitched{Name: name})
	return c.doneWith(discussionAnswer{Name: name}, err)
}

func postDelete(c *call) error {
	session, name, err := c.named()
	if err != nil {
		return err
	}
	_, err = c.aboutDiscussion(session, events.DiscussionDeleted{Name: name})
	return c.doneWith(discussionAnswer{Name: name}, err)
}

// renaming reads a body that gives a discussion another name.
func (c *call) renaming() (session string, want renameRequest, err error) {
	if err = c.Decode(&want, `{"name": "main_take_1", "to": "second"}`); err != nil {
		return "", want, err
	}
	if session, err = c.SomeSession(); err != nil {
		return "", want, err
	}
	return session, want, c.hasDiscussion(session, want.Name)
}

func postRename(c *call) error {
	session, want, err := c.renaming()
	if err != nil {
		return err
	}
	return c.rename(session, want)
}

func (c *call) rename(session string, want renameRequest) error {
	if err := checkName(want.To); err != nil {
		return err
	}
	_, err := c.aboutDiscussion(session, events.DiscussionRenamed{From: want.Name, To: want.To})
	return c.doneWith(discussionAnswer{Name: want.To}, err)
}

// postPromote renames a take to a name at the top level: the given one, or the
// base's with the first free number from 2.
func postPromote(c *call) error {
	session, want, err := c.renaming()
	if err != nil {
		return err
	}
	base, take := projections.TakeBase(want.Name)
	if !take {
		return problem.Refuse(http.StatusConflict, "this discussion is no take", "Takes are named BASE_take_N; /api/discussions/branch makes one.")
	}
	if _, take := projections.TakeBase(want.To); take {
		return problem.Refuse(http.StatusBadRequest, "that is the name of a take", "Choose a name that does not end in _take_N.")
	}
	if want.To == "" {
		if err := c.Read(session, func(s *projections.Set) { want.To = freeName(s, base) }); err != nil {
			return err
		}
	}
	return c.rename(session, want)
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

func postRoles(c *call) error {
	var want rolesRequest
	if err := c.Decode(&want, `{"roles": ["User", "AI"]}`); err != nil {
		return err
	}
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	if wrong := projections.CheckRoles(want.Roles); wrong != "" {
		return problem.Refuse(http.StatusBadRequest, wrong, "Send a list of names.")
	}
	_, err = c.aboutDiscussion(session, events.DiscussionRolesSet{Roles: want.Roles})
	return c.doneWith(discussionAnswer{}, err)
}
