package openapi_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/hookgw/openapi"
)

type part struct {
	Name string `json:"name"`
	Next *part  `json:"next"`
}

type whole struct {
	part
	At      time.Time          `json:"at"`
	Raw     json.RawMessage    `json:"raw"`
	Figures map[string]float64 `json:"figures,omitempty"`
	Maybe   *int               `json:"maybe,omitempty"`
	Many    []part             `json:"many"`
	hidden  int
}

func TestSchemasFollowEncodingJSON(t *testing.T) {
	t.Parallel()
	require.Zero(t, whole{}.hidden)
	doc := openapi.Document(openapi.Info{Title: "t", Version: "1", Problem: part{}}, []openapi.Operation{
		{Method: "GET", Path: "/a_b/{id}", Group: "g", Doc: "Shows.", Gives: whole{}},
	})
	raw, err := json.Marshal(doc)
	require.NoError(t, err)
	var out struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]any
				Required   []string
			}
		}
		Paths map[string]map[string]map[string]any
	}
	require.NoError(t, json.Unmarshal(raw, &out))
	ref := map[string]any{"$ref": "#/components/schemas/Part"}
	require.Equal(t, map[string]any{
		"name": map[string]any{"type": "string"}, "next": map[string]any{"type": "object", "nullable": true,
			"allOf": []any{ref}},
		"at": map[string]any{"type": "string", "format": "date-time"}, "raw": map[string]any{"nullable": true},
		"figures": map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "number",
			"format": "double"}},
		"maybe": map[string]any{"type": "integer", "format": "int64"}, "many": map[string]any{"type": "array", "items": ref},
	}, out.Components.Schemas["Whole"].Properties)
	require.Equal(t, []string{"name", "next", "at", "raw", "many"}, out.Components.Schemas["Whole"].Required)
	require.Equal(t, "getABById", out.Paths["/a_b/{id}"]["get"]["operationId"])
	require.Equal(t, []any{}, out.Paths["/a_b/{id}"]["get"]["security"], "no token")
}

func TestYAMLTakesNoTextForSomethingElse(t *testing.T) {
	t.Parallel()
	o := openapi.Object{}.With("on", "no").With("4XX", "1.0").With("a",
		[]any{openapi.Object{}.With("b", "x: y\n<z>").With("c", []any{"d"})}).With("e", openapi.Object{}).With("f", []any{})
	require.Equal(t, "\"on\": \"no\"\n\"4XX\": \"1.0\"\na:\n  -\n    b: \"x: y\\n<z>\"\n    c:\n      - \"d\"\ne: "+
		"{}\nf: []\n", o.YAML())
}
