package tools_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
)

type listed struct {
	Rows []row `json:"rows" doc:"the rows" min:"1" max:"2"`
}

type row struct {
	Key   string   `json:"key" doc:"the key" min:"1"`
	Count int      `json:"count,omitzero" doc:"how many" max:"9"`
	Names []string `json:"names,omitzero" doc:"which"`
}

func listing() tools.Tool {
	return tools.Reader(spec("listed", tools.Reads), func(_ context.Context, _ tools.Env, in listed) (tools.Result,
		error) {
		return tools.Result{Data: in}, nil
	})
}

func TestTheSchemaOfAListOfObjects(t *testing.T) {
	t.Parallel()
	want := `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{` +
		`"key":{"type":"string","description":"the key","minLength":1},` +
		`"count":{"type":"integer","description":"how many","maximum":9},` +
		`"names":{"type":"array","items":{"type":"string"},"description":"which"}},` +
		`"required":["key"],"additionalProperties":false},"description":"the rows","minItems":1,"maxItems":2}},` +
		`"required":["rows"],"additionalProperties":false}`
	require.Equal(t, want, string(listing().Schema()))
}

func TestAListOfObjectsIsDecodedStrictly(t *testing.T) {
	t.Parallel()
	r := registry(t, listing())
	for raw, want := range map[string]string{
		`{}`:                                    "listed: argument rows: is required",
		`{"rows":null}`:                         "argument rows: must be of type array",
		`{"rows":{}}`:                           "argument rows: must be of type array",
		`{"rows":"[]"}`:                         "argument rows: must be of type array",
		`{"rows":[]}`:                           "argument rows: must have at least 1 item",
		`{"rows":[{"key":"a"},{},{}]}`:          "at most 2",
		`{"rows":[{"key":"a"},{}]}`:             "argument rows number 2, key: is required",
		`{"rows":[{"key":"a"},7]}`:              "argument rows number 2: must be one JSON object",
		`{"rows":[null]}`:                       "argument rows number 1: must be one JSON object",
		`{"rows":[[{"key":"a"}]]}`:              "argument rows number 1: must be one JSON object",
		`{"rows":[{"key":""}]}`:                 "argument rows number 1, key: must have at least 1 character",
		`{"rows":[{"key":"a","key":"b"}]}`:      "argument rows number 1, key: is given twice",
		`{"rows":[{"key":"a","no":1}]}`:         "argument rows number 1, no: is unknown; the known ones are key, count, names",
		`{"rows":[{"key":"a","count":"1"}]}`:    "argument rows number 1, count: must be of type integer",
		`{"rows":[{"key":"a","names":[null]}]}`: "argument rows number 1, names: must be an array of strings",
	} {
		_, err := r.Prepare(t.Context(), tools.Env{}, "listed", json.RawMessage(raw))
		require.ErrorIs(t, err, tools.ErrBadArguments, raw)
		require.Contains(t, err.Error(), want, raw)
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestAListOfObjectsArrives(t *testing.T) {
	t.Parallel()
	r := registry(t, listing())
	p, err := r.Prepare(t.Context(), tools.Env{}, "listed",
		json.RawMessage(`{"rows":[{"key":"a","count":null},{"names":["x"],"key":"b","count":3}]}`))
	require.NoError(t, err)
	require.Equal(t, listed{Rows: []row{{Key: "a"}, {Key: "b", Count: 3, Names: []string{"x"}}}},
		p.Run(t.Context(), nil).Data)
}

func TestListsOfObjectsAreOneLevelDeep(t *testing.T) {
	t.Parallel()
	type deep struct {
		Rows []listed `json:"rows" doc:"x"`
	}
	type empty struct {
		Rows []struct{} `json:"rows" doc:"x"`
	}
	type pointers struct {
		Rows []*row `json:"rows" doc:"x"`
	}
	require.Panics(t, func() { declare[deep]() })
	require.Panics(t, func() { declare[empty]() })
	require.Panics(t, func() { declare[pointers]() })
}

func declare[In any]() {
	tools.Reader(spec("bad", tools.Reads), func(context.Context, tools.Env, In) (tools.Result, error) {
		return tools.Result{}, nil
	})
}
