package record

import (
	"encoding/json"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
)

// starRequest is the body of POST /api/logs/star.
type starRequest struct {
	On *bool `json:"on"`
}

// postStar records whether the user wants to keep a session's log files.
func postStar(c *core.Call) error {
	var want starRequest
	if json.Unmarshal(c.Body, &want) != nil || want.On == nil {
		return problem.New(http.StatusBadRequest, "on is missing",
			`Send {"on": true} or {"on": false}.`)
	}
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	_, err = c.PublishAsPerson(session, events.SessionStarred{On: *want.On})
	return c.Done(err)
}

// postRestore restores pruned log files.
func postRestore(c *core.Call) error {
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	if view, ok := c.Gw.Cfg.Models.Session(session); !ok || !view.Summary().Pruned {
		return problem.New(http.StatusConflict, "the session's logs were not pruned",
			"They are in the folder shown by GET /api/sessions.")
	}
	_, err = c.PublishAsPerson(session, events.LogsRestored{})
	return c.Done(err)
}
