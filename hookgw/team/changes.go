package team

import (
	"cmp"
	"encoding/json"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// acceptBody is the body of POST /api/changes/accept.
type acceptBody struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // of the content that the user saw; empty if the file is gone
}

// postAccept records that a user accepts the current content of a file.
func postAccept(c *core.Call) error {
	session, err := c.SomeSession() // also a closed one
	if err != nil {
		return err
	}
	var want acceptBody
	if json.Unmarshal(c.Body, &want) != nil || want.Path == "" {
		return problem.New(http.StatusBadRequest, "path must be the path of a changed file",
			`Send {"path": "a.go", "sha256": "…"}; GET /api/changes lists both.`)
	}
	var changed, same bool
	var unknown string
	err = c.Read(session, func(s *projections.Set) {
		for _, f := range s.Changes().Files {
			if f.Path == want.Path {
				changed = true
				same = same || f.Unknown == "" && f.After == want.SHA256
				unknown = cmp.Or(unknown, f.Unknown)
			}
		}
	})
	switch {
	case err != nil:
		return err
	case !changed:
		return problem.New(http.StatusNotFound, "no call of the session changed this file", "GET /api/changes lists them.")
	case !same && unknown != "":
		return problem.New(http.StatusConflict, "the file cannot be accepted: "+unknown,
			"GET /api/changes lists what each call changed.")
	case !same:
		return problem.New(http.StatusConflict, "the file has changed since", "GET /api/changes shows its digest.")
	}
	_, err = c.PublishAsPerson(session, events.ChangeAccepted(want))
	return c.Done(err)
}
