package request

import (
	"net/http"
	"slices"
	"strings"

	"manualslop/hookgw/problem"
)

// Only refuses members of the body that the path does not take: the client may rely on one that would be ignored
// silently.
func (c *Call) Only(names ...string) *problem.Problem {
	// order-independent: the error names any one of them
	for name := range c.Fields {
		if !slices.Contains(names, name) {
			return problem.New(http.StatusBadRequest, "this path does not take "+Clip(strings.ToValidUTF8(name, "?"), 64),
				"It takes "+strings.Join(names, ", ")+".")
		}
	}
	return nil
}

// OneOf returns the text given under one of several names; more than one only if they are equal.
func OneOf(names string, values ...string) (string, *problem.Problem) {
	found := ""
	for _, v := range values {
		switch {
		case v == "" || v == found:
		case found == "":
			found = v
		default:
			return "", problem.New(http.StatusBadRequest, names+" have different values",
				"They are aliases; send only one of them.")
		}
	}
	return found, nil
}
