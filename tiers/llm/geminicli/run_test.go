//go:build linux

package geminicli_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/texttools"
)

func TestAnAttemptWithoutAResultFails(t *testing.T) {
	t.Parallel()
	result := func(rest string) string { return `{"type":"result","status":"error",` + rest + "}\n" }
	for name, c := range map[string]struct {
		run        llm.Runner
		kind, says string
	}{
		"no result":     {says(hello), failed, "without a result"},
		"nothing":       {named(program(t, "echo boom >&2; exit 1")), failed, "exit code 1 and without a result: boom"},
		"an error line": {says(`{"type":"error","severity":"error","message":"loop"}` + "\n"), failed, "loop"},
		"cut off": {says(`{"type":"message","role":"assistant","content":"cut` + "\n" + done), failed,
			"line 1 is not JSON"},
		"two in a line":     {says(strings.TrimSpace(hello) + hello + done), failed, "line 1 is not JSON"},
		"words in front":    {says("Loading… " + hello + done), failed, "line 1 has text before its JSON"},
		"a mark in front":   {says("\ufeff" + hello + done), failed, "line 1 has text before its JSON"},
		"a wrong shape":     {says(`{"type":"message","role":[]}` + "\n" + done), failed, "line 1 has an unexpected format"},
		"no authentication": {named(program(t, "exit 41")), events.ModelAuth, "exit code 41"},
		"bad input":         {named(program(t, "exit 42")), events.ModelInvalidRequest, "exit code 42"},
		"an error": {says(result(`"error":{"type":"MockError","message":"simulated"}`)), events.ModelInvalidRequest,
			"simulated"},
		"an error in words": {says(result(`"error":"429 quota exceeded"`)), events.ModelRateLimited, "quota"},
		"an error elsewhere": {says(result(`"message":"503 UNAVAILABLE: the model is overloaded"`)), events.ModelOverloaded,
			"overloaded"},
		"a wrong key": {says(result(`"error":{"type":"FatalAuthenticationError","message":"no"}`)), events.ModelAuth,
			"no"},
		"a long prompt": {says(result(`"error":"the input token count (9) exceeds the maximum"`)),
			events.ModelContextTooLong, "exceeds"},
		"a refusal":  {says(result(`"error":"stopped: SAFETY"`)), events.ModelRefused, "SAFETY"},
		"no network": {says(result(`"error":"TypeError: fetch failed"`)), events.ModelNetwork, "fetch"},
		"no reason":  {says(result(`"stats":{}`)), events.ModelInvalidRequest, "no reason"},
		"no status":  {says(`{"type":"result"}` + "\n"), events.ModelInvalidRequest, "no reason"},
		"no program": {named("/nowhere/gemini"), events.ModelInvalidRequest,
			"/nowhere/gemini is not an executable file"},
		"a relative program": {named("bin/gemini"), events.ModelInvalidRequest, "must be an absolute path"},
		"no executable":      {named(t.TempDir()), events.ModelInvalidRequest, "not an executable file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := fails(t, c.run)
			require.Equal(t, c.kind, e.Kind, e.Message)
			require.Contains(t, e.Message, c.says)
			require.True(t, llm.KnownKind(e.Kind))
		})
	}
}

func TestTheProgramSeesItsPromptAnEmptyFolderAndFewVariables(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", "key-for-the-program")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "not-for-the-program")
	t.Setenv("OPENAI_API_KEY", "not-for-the-program")
	seen := t.TempDir()
	command := program(t, `cat > '`+seen+`/prompt'; env > '`+seen+`/env'; pwd > '`+seen+`/folder'; find . -type f | sort > '`+seen+`/files'
cat .gemini/settings.json > '`+seen+`/settings'; echo '`+strings.TrimSpace(done)+`'`)
	_, err := ask(t, named(command))
	require.NoError(t, err)
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(seen, name))
		require.NoError(t, err)
		return string(b)
	}
	require.Contains(t, read("prompt"), "You are a contributor.\n\n")
	require.Contains(t, read("prompt"), "\n## read_file\n")
	require.True(t, strings.HasSuffix(read("prompt"), "\n\n## User "+texttools.Mark(request(""))+"\n\nMend it; $(touch "+
		"/tmp/never) `x`\n"), "no shell reads the prompt")
	require.Contains(t, read("env"), "GEMINI_API_KEY=key-for-the-program\n")
	require.Contains(t, read("env"), "GEMINI_SYSTEM_MD="+strings.TrimSpace(read("folder"))+"/.gemini/system.md\n")
	require.Contains(t, read("env"), "GEMINI_CLI_HOOK_CONTEXT=manual_slop\n")
	require.NotContains(t, read("env"), "not-for-the-program")
	require.Equal(t, "./.gemini/settings.json\n./.gemini/system.md\n./.geminiignore\n", read("files"))
	require.Contains(t, read("settings"), `"tools":{"core":["glob"]}`)
	require.NoDirExists(t, strings.TrimSpace(read("folder")), "it is gone afterwards")
}

func TestAConversationIsOnePrompt(t *testing.T) {
	t.Parallel()
	seen := filepath.Join(t.TempDir(), "prompt")
	r := request(program(t, `cat > '`+seen+`'; echo '`+strings.TrimSpace(done)+`'`))
	r.Tools = nil
	r.Messages = append(r.Messages,
		llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{llm.Opaque{Origin: "other"}, llm.Text("I look."),
			llm.Call{ID: "c1", Name: "read_file", Args: []byte(`{"path":"a"}`)}}},
		llm.Message{Role: llm.RoleTool, Blocks: []llm.Block{llm.Result{Call: "c1", Name: "read_file", Text: "x\n"},
			llm.Result{Call: "c2", Name: "edit_file", Text: "no", Failed: true}, llm.Text("[SYSTEM: FILES UPDATED]")}})
	_, err := llm.Collect(provider(t).Stream(t.Context(), r), nil)
	require.NoError(t, err)
	got, err := os.ReadFile(seen)
	require.NoError(t, err)
	mark := texttools.Mark(r)
	head, turns, found := strings.Cut(string(got), "\n\n# Conversation\n\n")
	require.True(t, found)
	require.Equal(t, "You are a contributor.", head)
	_, turns, _ = strings.Cut(turns, "\n\n")
	require.Equal(t, strings.ReplaceAll("## User <M>\n\nMend it; $(touch /tmp/never) `x`\n\n## Assistant <M>\n\nI "+
		"look.\n\n```tool_call <M>\n{\"tool\": \"read_file\", \"args\": {\"path\":\"a\"}}\n```\n\n"+
		"## Result of the tool read_file <M>\n\nx\n\n## Error of the tool edit_file <M>\n\nno\n\n[SYSTEM: FILES UPDATED]\n",
		"<M>", mark), turns)
}

func TestASilentProgramIsEnded(t *testing.T) {
	t.Parallel()
	p := provider(t)
	p.Silence = 50 * time.Millisecond
	_, err := llm.Collect(p.Stream(t.Context(), request(program(t, "exec sleep 1000"))), nil)
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, events.ModelNetwork, e.Kind)
	require.Contains(t, e.Message, "wrote nothing for 50ms")
	require.Nil(t, e.CLI.Exit)
}

func TestAModelsNameIsNoOption(t *testing.T) {
	t.Parallel()
	seen := filepath.Join(t.TempDir(), "arguments")
	r := request(program(t, `for a in "$@"; do echo "$a"; done > '`+seen+`'; echo '`+strings.TrimSpace(done)+`'`))
	r.Model = "--yolo"
	_, err := llm.Collect(provider(t).Stream(t.Context(), r), nil)
	require.NoError(t, err)
	got, err := os.ReadFile(seen)
	require.NoError(t, err)
	require.Equal(t, "--output-format\nstream-json\n--approval-mode\ndefault\n--extensions\nnone\n--model=--yolo\n",
		string(got))
}

func TestNoFolderIsAnError(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"", "relative", "/proc/none"} {
		p := provider(t)
		p.Folder = folder
		_, err := llm.Collect(p.Stream(t.Context(), request("/bin/true")), nil)
		require.ErrorContains(t, err, "folder", folder)
	}
}

// TestTheMockHasTheModesOfTheOriginal runs the script that stands in for the
// program elsewhere.
func TestTheMockHasTheModesOfTheOriginal(t *testing.T) {
	mock, err := filepath.Abs("../../../docs/examples/mock_gemini_cli.sh")
	require.NoError(t, err)
	p := provider(t)
	for mode, want := range map[string]string{
		"": "", "success": "", "malformed_json": "is not JSON", "error_result": "Mock simulated error",
		"timeout": "wrote nothing for 50ms",
	} {
		t.Setenv("MOCK_MODE", mode)
		if mode == "timeout" {
			p.Silence = 50 * time.Millisecond
		} else {
			p.Silence = time.Minute
		}
		reply, err := llm.Collect(p.Stream(t.Context(), request(mock)), nil)
		if want != "" {
			require.ErrorContains(t, err, want, mode)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "DONE: says the mock.", reply.Text)
	}
}

// TestNothingOfTheProgramOutlivesTheAttempt gives the program a child that
// leaves its process group and holds its output.
func TestNothingOfTheProgramOutlivesTheAttempt(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"cancelled", "given up"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pipe := filepath.Join(t.TempDir(), "alive")
			command := program(t, `: > '`+pipe+`'; (setsid sh -c 'exec 9<"`+pipe+`"; : >"`+pipe+`.open"; sleep 1000' &)
while [ ! -e '`+pipe+`.open' ]; do sleep 0.01; done; echo '`+strings.TrimSpace(hello)+`'; sleep 1000`)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			why := errors.New("killed by ada")
			var last error
			for chunk, err := range provider(t).Stream(ctx, request(command)) {
				if last = err; chunk != nil {
					require.NotEmpty(t, holders(t, pipe))
				}
				if chunk != nil && name == "given up" {
					break
				}
				cancel(why)
			}
			require.Empty(t, holders(t, pipe), "a process of the program lives on")
			if name == "cancelled" {
				var e *llm.Error
				require.ErrorAs(t, last, &e)
				require.Equal(t, events.ModelCancelled, e.Kind)
				require.Equal(t, why.Error(), e.Message)
			}
		})
	}
}

// holders are the processes that hold a file open.
func holders(t *testing.T, path string) []string {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/fd/*")
	require.NoError(t, err)
	var out []string
	for _, l := range links {
		if target, err := os.Readlink(l); err == nil && target == path {
			out = append(out, l)
		}
	}
	return out
}

func TestACommandMayHaveArguments(t *testing.T) {
	t.Parallel()
	file := program(t, "exit 0") // its name has a blank
	for command, want := range map[string][]string{
		file: {file},
		`/bin/sh "` + file + `" --mode=x  "two words"`: {"/bin/sh", file, "--mode=x", "two words"},
		`/bin/sh --a="b c"`:                            {"/bin/sh", "--a=b c"},
		"/bin/none --a":                                {"/bin/none --a"},
		"/bin/none":                                    {"/bin/none"},
	} {
		var got []string
		p := provider(t)
		p.Run = func(ctx context.Context, started llm.Program) (llm.Ended, error) {
			got = append([]string{started.Path}, started.Args...)
			return says(hello+done)(ctx, started)
		}
		for range p.Stream(t.Context(), request(command)) {
			continue
		}
		require.Equal(t, want, got[:len(want)], command)
		require.Equal(t, "--output-format", got[len(want)], command)
	}
}
