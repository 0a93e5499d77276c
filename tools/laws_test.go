package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
	"manualslop/tools/beads/beadstest"
	"manualslop/tools/builtin"
)

func TestMain(m *testing.M) {
	beadstest.Main()
	editAsOtherProcess()
	os.Exit(m.Run())
}

// project is a workspace with something for every tool, and more of it than the limits allow.
func project(t testing.TB) (tools.Env, string) {
	t.Helper()
	files := many(60)
	files["a.txt"] = numbered(3_000)
	files["wide.txt"] = strings.Repeat("é", 100_000)
	for name, content := range map[string]string{"HEAD": "ref: refs/heads/main\n", "objects/.keep": "", "refs/.keep": ""} {
		files[".git/"+name] = content // all that a repository without a commit needs
	}
	files["src/a.py"] = "\"\"\"Doc.\"\"\"\nimport os\n\nX = 1\n\n\ndef f():\n    return os.sep\n\n\nclass A:\n    def " +
		"m(self):\n        return X\n"
	files["src/a.cpp"] = "struct A {\n    int m() { return 1; }\n};\nint f() { return 1; }\n"
	env, dir := setup(t, files)
	online(t, &env)
	env.Shell.Inherit = []string{"PATH=" + beadstest.Install(t, dir, "one") + ":" + os.Getenv("PATH"),
		"HOME=" + t.TempDir()}
	return env, dir
}

// sample makes arguments that obey a schema, mostly sensible.
func sample(t testing.TB, tool tools.Tool) map[string]any {
	t.Helper()
	var schema struct {
		Properties map[string]struct {
			Type string   `json:"type"`
			Enum []string `json:"enum"`
			Min  *int     `json:"minimum"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	require.NoError(t, json.Unmarshal(tool.Schema(), &schema))
	known := map[string]any{
		"path": "a.txt", "pattern": "**/*", "script": "echo hi", "old_string": "line 7\n", "new_string": "x\n",
		"new_content": "x\n",
		"start_line":  1, "end_line": 2_500, "url": siteURL() + "/long", "query": "bees", "bead_id": "t-1",
		"status": "closed",
		"edits":  []any{map[string]any{"path": "a.txt", "old_string": "line 7\n", "new_string": "x\n"}},
	}
	if name := tool.Spec().Name; strings.HasPrefix(name, "list_") || strings.HasPrefix(name, "search_") ||
		name == "get_tree" {
		known["path"] = "."
	}
	if name := tool.Spec().Name; strings.HasPrefix(name, "py_") {
		known["path"], known["name"] = "src/a.py", "f"
		switch name {
		case "py_get_class_summary":
			known["name"] = "A"
		case "py_get_hierarchy":
			known["class_name"] = "A"
		case "py_get_var_declaration":
			known["name"] = "X"
		}
	}
	if tool.Spec().Name == "derive_code_path" {
		known["target"] = "A.m"
	}
	samplePythonEdit(tool.Spec().Name, known)
	if strings.HasPrefix(tool.Spec().Name, "ts_") {
		known["path"], known["name"], known["new_content"] = "src/a.cpp", "f", "int f() { return 2; }"
	}
	out := map[string]any{}
	for _, name := range schema.Required {
		property := schema.Properties[name]
		value, ok := known[name]
		switch {
		case ok:
		case len(property.Enum) > 0:
			value = property.Enum[0]
		case property.Type == "string":
			value = "a"
		case property.Type == "boolean":
			value = false
		case property.Type == "array":
			value = []string{"a"}
		case property.Min != nil:
			value = *property.Min
		default:
			value = 1
		}
		out[name] = value
	}
	return out
}

// samplePythonEdit gives the tools that edit Python by structure something they can do in src/a.py.
func samplePythonEdit(tool string, known map[string]any) {
	python := map[string]map[string]any{
		"py_add_def":             {"name": "g", "new_content": "def g(): pass"},
		"py_move_def":            {"src_path": "src/a.py", "dest_path": "src/b.py", "name": "f"},
		"py_region_wrap":         {"start_line": 1, "end_line": 8, "region_name": "all"},
		"py_remove_def":          {"name": "f"},
		"py_set_signature":       {"name": "f", "new_signature": "def f(a):"},
		"py_set_var_declaration": {"name": "X", "new_declaration": "X = 2"},
		"py_update_definition":   {"name": "f", "new_content": "def f(): pass"},
		"rename_symbol":          {"name": "f", "new_name": "g"},
	}
	if own, ok := python[tool]; ok {
		known["path"] = "src/a.py"
		maps.Copy(known, own)
	}
}

// takesAnyText tells whether the texts that a tool takes may be about anything, so that "../" in
// them is no garbage.
func takesAnyText(tool tools.Tool) bool {
	return tool.Spec().Effect.Has(tools.Executes) || slices.Contains([]string{"web_search", "bd_create", "bd_update"},
		tool.Spec().Name)
}

func everyTool(t *testing.T, check func(t *testing.T, tool tools.Tool)) {
	t.Helper()
	for _, tool := range builtin.Tools().All() {
		t.Run(tool.Spec().Name, func(t *testing.T) {
			t.Parallel()
			check(t, tool)
		})
	}
}

func TestLawEveryToolIsDescribed(t *testing.T) {
	t.Parallel()
	everyTool(t, func(t *testing.T, tool tools.Tool) {
		spec := tool.Spec()
		require.True(t, spec.Effect.Valid())
		require.NotEmpty(t, spec.Doc)
		require.True(t, strings.HasPrefix(spec.Text(), spec.Summary+"\n\n"))
		require.True(t, json.Valid(tool.Schema()))
		again, ok := builtin.Tools().Lookup(spec.Name)
		require.True(t, ok)
		require.Equal(t, string(tool.Schema()), string(again.Schema()), "the same bytes every time")
	})
}

func TestLawGarbageArgumentsFailPolitely(t *testing.T) {
	t.Parallel()
	env, dir := project(t)
	before := fingerprint(t, dir)
	everyTool(t, func(t *testing.T, tool tools.Tool) {
		name := tool.Spec().Name
		good, err := json.Marshal(sample(t, tool))
		require.NoError(t, err)
		for _, raw := range [][]byte{
			nil, []byte("null"), []byte("[]"), []byte("7"), []byte("{"), []byte("\xff"), []byte(`{"no_such":1}`),
			append(bytes.Clone(good), '!'),
			bytes.Replace(good, []byte("{"), []byte(`{"no_such":1,`), 1), bytes.ReplaceAll(good, []byte(`":"`),
				[]byte(`":"\u0000`)),
			bytes.ReplaceAll(good, []byte(`":"`), []byte(`":"../../`)), bytes.ReplaceAll(good, []byte(`":1`), []byte(`":-1`)),
		} {
			if bytes.Equal(raw, good) || takesAnyText(tool) && bytes.Contains(raw, []byte("../")) || raw == nil &&
				string(good) == "{}" {
				continue
			}
			p, err := builtin.Tools().Prepare(t.Context(), env, name, raw)
			if err != nil {
				require.ErrorIs(t, err, tools.ErrBadArguments)
				require.NotContains(t, err.Error(), "\n")
				continue
			}
			_, planErr := p.Plan(t.Context())
			result := p.Run(t.Context(), nil)
			require.True(t, result.Failed, "%s %s: %s", name, raw, result.Text)
			require.True(t, strings.HasPrefix(result.Text, "ERROR:") || strings.HasPrefix(result.Text, "ACCESS DENIED"),
				result.Text)
			require.NotContains(t, result.Text, dir)
			require.NotErrorIs(t, result.Err, tools.ErrPanic)
			require.NotErrorIs(t, planErr, tools.ErrPanic)
		}
	})
	t.Cleanup(func() { require.Equal(t, before, fingerprint(t, dir)) })
}

func TestLawOnlyWritersChangeTheWorkspace(t *testing.T) {
	t.Parallel()
	everyTool(t, func(t *testing.T, tool tools.Tool) {
		env, dir := project(t)
		before := fingerprint(t, dir)
		p := prepare(t, env, tool.Spec().Name, sample(t, tool))
		_, err := p.Plan(t.Context())
		require.NoError(t, err)
		require.Equal(t, before, fingerprint(t, dir), "a plan touches nothing")
		result := p.Run(t.Context(), nil)
		require.False(t, result.Failed, result.Text)
		if !tool.Spec().Effect.Has(tools.Writes) {
			require.Equal(t, before, fingerprint(t, dir))
			return
		}
		require.NotEqual(t, before, fingerprint(t, dir))
	})
}

func TestLawAnswersObeyTheLimitsAndHaveATwin(t *testing.T) {
	t.Parallel()
	everyTool(t, func(t *testing.T, tool tools.Tool) {
		for _, limits := range []tools.Limits{{}, {MaxChars: 1, MaxLines: 1}, {MaxChars: 1_000, MaxLines: 20}} {
			env, _ := project(t)
			env.Limits = limits
			for _, path := range []string{"", "wide.txt"} {
				in := sample(t, tool)
				if _, takes := in["path"]; takes && path != "" {
					in["path"] = path
				}
				result := call(t, env, tool.Spec().Name, in)
				chars, lines := max(limits.MaxChars, 500), max(limits.MaxLines, 5)
				if limits == (tools.Limits{}) {
					chars, lines = tools.DefaultMaxChars, tools.DefaultMaxLines
				}
				require.LessOrEqual(t, len([]rune(result.Text)), chars)
				require.LessOrEqual(t, strings.Count(strings.TrimSuffix(result.Text, "\n"), "\n")+1, lines)
				require.NotEmpty(t, result.Text)
				if !result.Failed {
					require.NotNil(t, result.Data)
				}
				_, err := json.Marshal(result)
				require.NoError(t, err)
			}
		}
	})
}

func TestLawACancelledCallReturnsAtOnceAndChangesNothing(t *testing.T) {
	t.Parallel()
	everyTool(t, func(t *testing.T, tool tools.Tool) {
		env, dir := project(t)
		before := fingerprint(t, dir)
		p := prepare(t, env, tool.Spec().Name, sample(t, tool))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		result := p.Run(ctx, func(context.Context, []tools.PlannedChange) error { t.Error("claimed"); return nil })
		require.True(t, result.Failed)
		require.ErrorIs(t, result.Err, context.Canceled)
		require.Equal(t, before, fingerprint(t, dir))
		_, err := builtin.Tools().Prepare(ctx, env, tool.Spec().Name, nil)
		require.ErrorIs(t, err, context.Canceled)
	})
}

func TestLawProtectedFilesAreOutOfReach(t *testing.T) {
	t.Parallel()
	everyTool(t, func(t *testing.T, tool tools.Tool) {
		env, dir := setup(t, map[string]string{".env": "TOKEN=hunter2\n", "sub/.slop/run.json": "hunter2",
			"x_history.toml": "hunter2"})
		if _, takes := sample(t, tool)["path"]; !takes {
			return
		}
		for _, path := range []string{".env", "sub/.slop", "sub/.slop/run.json", "X_History.TOML", "."} {
			in := sample(t, tool)
			in["path"] = path
			result := call(t, env, tool.Spec().Name, in)
			raw, err := json.Marshal(result)
			require.NoError(t, err)
			require.NotContains(t, string(raw), "hunter2")
			require.NotContains(t, string(raw), "run.json\"")
			require.NotContains(t, result.Text, dir)
			if path != "." {
				require.True(t, strings.HasPrefix(result.Text, "ACCESS DENIED"), result.Text)
			}
		}
	})
}

// fingerprint is every path below dir with mode and content.
func fingerprint(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		out[path] = info.Mode().String() + hash(string(content))
		return err
	}))
	return out
}
