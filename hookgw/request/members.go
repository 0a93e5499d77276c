package request

import (
	"net/http"
	"slices"
	"strings"

	"manualslop/hookgw/problem"
)

// Only rejects members of the body that the path does not take, because the client may rely on a member that would be
// silently ignored.
func (c *Call) Only(names ...string) *problem.Problem {
	// order-independent: the error names any one of them
	for name := range c.Fields {
		if !slices.Contains(names, name) {
			return problem.New(http.StatusBadRequest, "this path does not accept "+Clip(strings.ToValidUTF8(name, "?"), 64),
				"It accepts "+strings.Join(names, ", ")+".")
		}
	}
	return nil
}

// OneOf returns the value that is given under one of several names. More than one name is allowed only if the values
// are equal.
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
