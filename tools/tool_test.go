package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
	"manualslop/tools/builtin"
)

type everything struct {
	Path  string   `json:"path" doc:"a \"path\" <b>" min:"1" max:"5"`
	Mode  string   `json:"mode,omitzero" doc:"how" enum:"fast,slow"`
	Count int      `json:"count,omitzero" doc:"how many" min:"1" max:"9"`
	Share float64  `json:"share,omitzero" doc:"part" max:"0.5"`
	Force bool     `json:"force,omitzero" doc:"really"`
	Names []string `json:"names,omitzero" doc:"which" min:"1" max:"2"`
}

func spec(name string, effect tools.Effect) tools.Spec {
	return tools.Spec{Name: name, Summary: "Does it.", Effect: effect}
}

// echo answers with its arguments.
func echo() tools.Tool {
	return tools.Reader(spec("echo", tools.Reads), func(_ context.Context, _ tools.Env, in everything) (tools.Result,
		error) {
		return tools.Result{Data: in}, nil
	})
}

func registry(t testing.TB, list ...tools.Tool) *tools.Registry {
	t.Helper()
	r, err := tools.NewRegistry(list...)
	require.NoError(t, err)
	return r
}

func TestTheSchemaFollowsTheStruct(t *testing.T) {
	t.Parallel()
	want := `{"type":"object","properties":{` +
		`"path":{"type":"string","description":"a \"path\" <b>","minLength":1,"maxLength":5},` +
		`"mode":{"type":"string","description":"how","enum":["fast","slow"]},` +
		`"count":{"type":"integer","description":"how many","minimum":1,"maximum":9},` +
		`"share":{"type":"number","description":"part","maximum":0.5},` +
		`"force":{"type":"boolean","description":"really"},` +
		`"names":{"type":"array","items":{"type":"string"},"description":"which","minItems":1,"maxItems":2}},` +
		`"required":["path"],"additionalProperties":false}`
	require.Equal(t, want, string(echo().Schema()))
	require.True(t, json.Valid(echo().Schema()))
}

func TestArgumentsAreDecodedStrictly(t *testing.T) {
	t.Parallel()
	r := registry(t, echo())
	for raw, want := range map[string]string{
		``:                                "echo: argument path: is required",
		`null`:                            "one JSON object",
		`[]`:                              "one JSON object",
		`{"path":"a"} x`:                  "unexpected text after",
		`{"path":"a"`:                     "unexpected end of text",
		`{"path":"a","path":"b"}`:         "argument path: is given twice",
		`{"Path":"a"}`:                    "argument path: is required",
		`{"path":"a","PATH":"b"}`:         "argument PATH: is unknown; the known ones are path, mode, count, share, force, names",
		`{"path":null}`:                   "argument path: must be of type string",
		`{"path":1}`:                      "argument path: must be of type string",
		`{"path":""}`:                     "at least 1",
		`{"path":"äöüßéx"}`:               "at most 5",
		`{"path":"a","mode":"other"}`:     "argument mode: must be one of fast, slow",
		`{"path":"a","count":0}`:          "at least 1",
		`{"path":"a","count":10}`:         "at most 9",
		`{"path":"a","count":1.5}`:        "must be of type integer",
		`{"path":"a","count":"1"}`:        "must be of type integer",
		`{"path":"a","count":1e400}`:      "must be of type integer",
		`{"path":"a","share":0.6}`:        "at most 0.5",
		`{"path":"a","force":"yes"}`:      "must be of type boolean",
		`{"path":"a","names":[]}`:         "at least 1",
		`{"path":"a","names":["","",""]}`: "at most 2",
		`{"path":"a","names":[null]}`:     "must be an array of strings",
		"{\"path\":\"\xff\"}":             "not valid UTF-8",
		`{"path":` + strings.Repeat("[", 20_000) + `}`:                      "not valid JSON",
		`{"path":"` + strings.Repeat("a", tools.MaxArguments) + `"}`:        "more than the limit",
		`{"path":"a","` + strings.Repeat("x\\n", 1_000) + `":1}`:            "is unknown",
		`{"path":"a","mode":"` + strings.Repeat("long", 10_000) + `"}`:      "must be one of",
		`{"path":"a","extra":{"deep":[1,2,{"x":"y"}]},"another":"unknown"}`: "argument another: is unknown",
	} {
		_, err := r.Prepare(t.Context(), tools.Env{}, "echo", json.RawMessage(raw))
		require.ErrorIs(t, err, tools.ErrBadArguments, "%.60s", raw)
		require.Contains(t, err.Error(), want, "%.60s", raw)
		text := tools.Failure(err).Text
		require.True(t, strings.HasPrefix(text, "ERROR: echo: "), text)
		require.NotContains(t, text, "\n")
		require.Less(t, len(text), 600)
	}
}

func TestGoodArgumentsArrive(t *testing.T) {
	t.Parallel()
	r := registry(t, echo())
	for raw, want := range map[string]everything{
		`{"path":"a"}`: {Path: "a"},
		`{"path":"äöüßé","mode":"slow","count":3.0,"share":-1,"force":true,"names":["x","y"]}`: {
			Path: "äöüßé", Mode: "slow", Count: 3, Share: -1, Force: true, Names: []string{"x", "y"},
		},
		` { "path" : "\u0061" , "mode" : null , "count" : null } `: {Path: "a"},
	} {
		p, err := r.Prepare(t.Context(), tools.Env{}, "echo", json.RawMessage(raw))
		require.NoError(t, err)
		require.Equal(t, want, p.Run(t.Context(), nil).Data)
	}
}

func FuzzArgumentsNeverPanicAndNeverBreakTheSchema(f *testing.F) {
	for _, seed := range []string{`{"path":"a","count":3}`, `{}`, `{"path":"a","names":["x"]}`, `{"path":1e9}`, "\xff",
		`{"a":{"b":[]}}`} {
		f.Add([]byte(seed))
	}
	r := registry(f, echo())
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := r.Prepare(t.Context(), tools.Env{}, "echo", raw)
		if err != nil {
			require.ErrorIs(t, err, tools.ErrBadArguments)
			return
		}
		in, ok := p.Run(t.Context(), nil).Data.(everything)
		require.True(t, ok)
		require.NotEmpty(t, in.Path)
		require.True(t, in.Count >= 0 && in.Count <= 9 && in.Share <= 0.5 && len(in.Names) <= 2)
		require.Contains(t, []string{"", "fast", "slow"}, in.Mode)
	})
}

func TestBadSpecsPanic(t *testing.T) {
	t.Parallel()
	type good struct{}
	handler := func(context.Context, tools.Env, good) (tools.Result, error) { return tools.Result{}, nil }
	planner := func(context.Context, tools.Env, good) (tools.Plan, error) { return tools.Plan{}, nil }
	for name, make := range map[string]func(){
		"no name":    func() { tools.Reader(spec("", tools.Reads), handler) },
		"odd name":   func() { tools.Reader(spec("a b", tools.Reads), handler) },
		"long name":  func() { tools.Reader(spec(strings.Repeat("a", 129), tools.Reads), handler) },
		"no summary": func() { tools.Reader(tools.Spec{Name: "x", Effect: tools.Reads}, handler) },
		"long summary": func() {
			tools.Reader(tools.Spec{Name: "x", Effect: tools.Reads, Summary: strings.Repeat("a", 201)}, handler)
		},
		"no effect":           func() { tools.Reader(spec("x", 0), handler) },
		"unknown effect":      func() { tools.Reader(spec("x", 16), handler) },
		"reader that writes":  func() { tools.Reader(spec("x", tools.Reads|tools.Writes), handler) },
		"writer that reads":   func() { tools.Writer(spec("x", tools.Reads), planner) },
		"writer that runs":    func() { tools.Writer(spec("x", tools.Writes|tools.Executes), planner) },
		"executor that reads": func() { tools.Executor(spec("x", tools.Reads), handler) },
	} {
		require.Panics(t, make, name)
	}
}

func TestBadArgumentStructsPanic(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(){
		"unexported":   func() { reader[struct{ a string }]() },
		"not a struct": func() { reader[int]() },
		"no json name": func() { reader[struct{ A string }]() },
		"no doc": func() {
			reader[struct {
				A string `json:"a"`
			}]()
		},
		"omitempty": func() {
			reader[struct {
				A string `json:"a,omitempty" doc:"a"`
			}]()
		},
		"unsupported type": func() {
			reader[struct {
				A map[string]string `json:"a" doc:"a"`
			}]()
		},
		"named type": func() {
			reader[struct {
				A tools.Effect `json:"a" doc:"a"`
			}]()
		},
		"enum of numbers": func() {
			reader[struct {
				A int `json:"a" doc:"a" enum:"1"`
			}]()
		},
		"bad bound": func() {
			reader[struct {
				A int `json:"a" doc:"a" min:"x"`
			}]()
		},
		"bound of a switch": func() {
			reader[struct {
				A bool `json:"a" doc:"a" max:"1"`
			}]()
		},
	} {
		require.Panics(t, make, name)
	}
}

func reader[In any]() {
	tools.Reader(spec("x", tools.Reads), func(context.Context, tools.Env, In) (tools.Result, error) {
		return tools.Result{}, nil
	})
}

func TestForeignToolsPassTheirArgumentsThrough(t *testing.T) {
	t.Parallel()
	handler := func(_ context.Context, _ tools.Env, raw json.RawMessage) (tools.Result, error) {
		return tools.Result{Text: string(raw)}, nil
	}
	f, err := tools.Foreign(spec("mcp__srv__do-it", tools.Executes), json.RawMessage(`{"type":"object"}`), handler)
	require.NoError(t, err)
	r := registry(t, f)
	for raw, want := range map[string]string{`{"a":[1]}`: `{"a":[1]}`, ``: `{}`} {
		p, err := r.Prepare(t.Context(), tools.Env{}, "mcp__srv__do-it", json.RawMessage(raw))
		require.NoError(t, err)
		require.Equal(t, want, p.Run(t.Context(), nil).Text)
	}
	_, err = r.Prepare(t.Context(), tools.Env{}, "mcp__srv__do-it", json.RawMessage(`[]`))
	require.ErrorIs(t, err, tools.ErrBadArguments)
	_, err = tools.Foreign(spec("bad name", tools.Executes), json.RawMessage(`{}`), handler)
	require.Error(t, err)
	_, err = tools.Foreign(spec("x", tools.Executes), json.RawMessage(`null`), handler)
	require.Error(t, err)
}

func TestTheRegistryRefusesDoublesAndSorts(t *testing.T) {
	t.Parallel()
	_, err := tools.NewRegistry(echo(), echo())
	require.ErrorContains(t, err, "two tools named echo")
	_, err = tools.NewRegistry(nil)
	require.Error(t, err)
	var got []string
	for _, tool := range builtin.Tools().All() {
		got = append(got, tool.Spec().Name)
	}
	require.IsIncreasing(t, got)
	_, err = builtin.Tools().Prepare(t.Context(), tools.Env{}, "no\nsuch", nil)
	require.ErrorIs(t, err, tools.ErrUnknownTool)
	require.Equal(t, "ERROR: unknown tool: no⏎such", tools.Failure(err).Text)
}

func TestEffectsHaveAStableText(t *testing.T) {
	t.Parallel()
	for effect, text := range map[tools.Effect]string{
		tools.Reads: "reads", tools.Writes: "writes", tools.Executes: "executes", tools.Network: "network",
		tools.Reads | tools.Network:                                 "reads|network",
		tools.Reads | tools.Writes | tools.Executes | tools.Network: "reads|writes|executes|network",
	} {
		raw, err := json.Marshal(effect)
		require.NoError(t, err)
		require.Equal(t, `"`+text+`"`, string(raw))
		var back tools.Effect
		require.NoError(t, json.Unmarshal(raw, &back))
		require.Equal(t, effect, back)
	}
	for _, bad := range []tools.Effect{0, 16, 255} {
		_, err := json.Marshal(bad)
		require.Error(t, err)
		require.False(t, bad.Valid())
	}
	var e tools.Effect
	for _, bad := range []string{`""`, `"reads|"`, `"Reads"`, `1`} {
		require.Error(t, json.Unmarshal([]byte(bad), &e), bad)
	}
}
