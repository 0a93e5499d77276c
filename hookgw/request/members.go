package request

import (
	"net/http"
	"slices"
	"strings"

	"manualslop/hookgw/problem"
)

// Only refuses members of the body that the path does not take: what would be
// left out silently could be what the client relies on.
func (c *Call) Only(names ...string) *problem.Problem {
	// order-independent: any one of them is named
	for name := range c.Fields {
		if !slices.Contains(names, name) {
			return problem.New(http.StatusBadRequest, "this path does not take "+Clip(strings.ToValidUTF8(name, "?"), 64),
				"It takes "+strings.Join(names, ", ")+".")
		}
	}
	return nil
}

// OneOf is the text that stands under one of several names; twice only where it
// is the same.
func OneOf(names string, values ...string) (string, *problem.Problem) {
	found := ""
	for _, v := range values {
		switch {
		case v == "" || v == found:
		case found == "":
			found = v
		default:
			return "", problem.New(http.StatusBadRequest, names+" do not agree",
				"They are aliases; send one of them.")
		}
	}
	return found, nil
}
