package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const shellSample = `
[path]
prepend = ["C:/custom/bin", "/opt/tools", "${HOME}/bin"]

[env]
MY_VAR = "some_value"
EXPANDED = "${HOME}/subdir"
SEARCH = "${PATH}"
PLAIN = "$HOME and $$"
`

func TestShellEnvironmentIsBuiltOnTheScrubbedOne(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the sample has paths of other systems")
	}
	e, err := ParseShellEnvironment("mcp_env.toml", []byte(shellSample))
	require.NoError(t, err)
	scrubbed := map[string]string{"HOME": "/home/ann", "PATH": "/usr/bin"}
	got, err := e.Expand(scrubbed)
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"HOME":     "/home/ann",
		"PATH":     "/opt/tools:/home/ann/bin:/usr/bin",
		"MY_VAR":   "some_value",
		"EXPANDED": "/home/ann/subdir",
		"SEARCH":   "/opt/tools:/home/ann/bin:/usr/bin",
		"PLAIN":    "$HOME and $$",
	}, got)
	require.Equal(t, "/usr/bin", scrubbed["PATH"], "the given environment is not changed")
}

func TestShellEnvironmentExpandsOnlyScrubbedNames(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"env.A = \"${SECRET_KEY}\"", "env.A = \"${}\"", "path.prepend = [\"${SECRET_KEY}\"]",
		"[env]\nA = \"x\"\nB = \"${A}\"",
	} {
		e, err := ParseShellEnvironment("mcp_env.toml", []byte(text))
		require.NoError(t, err, text)
		_, err = e.Expand(map[string]string{"HOME": "/h"})
		require.ErrorIs(t, err, ErrUnknownVariable, text)
	}
}

func TestShellEnvironmentWithoutAnythingIsTheScrubbedOne(t *testing.T) {
	t.Parallel()
	e, _, err := LoadShellEnvironment(filepath.Join(t.TempDir(), "mcp_env.toml"))
	require.NoError(t, err)
	got, err := e.Expand(map[string]string{"A": "1"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"A": "1"}, got)
	got, err = e.Expand(nil)
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestLaterShellEnvironmentComesFirst(t *testing.T) {
	t.Parallel()
	person := ShellEnvironment{Path: ShellPath{Prepend: []string{"/a"}}, Env: map[string]string{"X": "1", "Y": "1"}}
	project := ShellEnvironment{Path: ShellPath{Prepend: []string{"/b"}}, Env: map[string]string{"Y": "2"}}
	require.Equal(t, ShellEnvironment{
		Path: ShellPath{Prepend: []string{"/b", "/a"}}, Env: map[string]string{"X": "1", "Y": "2"},
	}, person.With(project))
	require.Equal(t, map[string]string{"X": "1", "Y": "1"}, person.Env)
	require.Equal(t, project.Env, ShellEnvironment{}.With(project).Env)
}

func TestShellEnvironmentMistakesAreReportedWithTheirLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[path]\nprepent = []":              "mcp_env.toml:2: unknown key `path.prepent`; did you mean `prepend`?",
		"[path]\nprepend = [\"bin\"]":       "mcp_env.toml:2: `path.prepend` must contain absolute paths: \"bin\"",
		"[path]\nprepend = [\"/a:/b\"]":     "mcp_env.toml:2: `path.prepend` must contain one folder per entry: \"/a:/b\"",
		"[env]\nA = 1":                      "mcp_env.toml:2: `env.A` must be a string, not a whole number",
		"[env]\nA = \"x\"\n\"B-C\" = \"x\"": "mcp_env.toml:3: `env.B-C` is not a valid variable name",
	} {
		_, err := ParseShellEnvironment("mcp_env.toml", []byte(text))
		require.EqualError(t, err, want)
	}
}

func TestShellEnvironmentIsBounded(t *testing.T) {
	t.Parallel()
	parse := func(variables, folders int) error {
		text := "path.prepend = [" + strings.Repeat("\"/a\",", folders) + "]\n[env]\n"
		for _, name := range texts(variables) {
			text += name + " = \"v\"\n"
		}
		_, err := ParseShellEnvironment("mcp_env.toml", []byte(text))
		return err
	}
	require.NoError(t, parse(256, 64))
	require.Error(t, parse(257, 0))
	require.Error(t, parse(0, 65))

	e := ShellEnvironment{Env: map[string]string{"A": "${BIG}"}}
	_, err := e.Expand(map[string]string{"BIG": strings.Repeat("x", maxVariable)})
	require.NoError(t, err)
	_, err = e.Expand(map[string]string{"BIG": strings.Repeat("x", maxVariable+1)})
	require.ErrorIs(t, err, errLongVariable)
}

func TestShellEnvironmentIsReadFromItsFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mcp_env.toml")
	require.NoError(t, os.WriteFile(path, []byte("[env]\nA = \"1\"\n"), 0o600))
	e, _, err := LoadShellEnvironment(path)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"A": "1"}, e.Env)
	_, _, err = LoadShellEnvironment(filepath.Dir(path))
	var wrong *Error
	require.ErrorAs(t, err, &wrong)
}

func TestAProjectCannotTakeOverPrograms(t *testing.T) {
	t.Parallel()
	open := []string{"/work/project", "/work/lib"}
	for _, name := range []string{"PATH", "Path", "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "BASH_ENV",
		"ENV", "IFS", "HOME", "SLOP_TOKEN", "BASH_FUNC_ls", "XDG_CONFIG_HOME", "GIT_SSH_COMMAND", "NODE_OPTIONS", "EDITOR"} {
		err := ShellEnvironment{Env: map[string]string{name: "x"}}.CheckProject(open)
		require.ErrorContains(t, err, "env."+name+" must not be set by a project")
	}
	free := map[string]string{"MY_PATH": "x", "LD": "ld", "CGO_ENABLED": "0"}
	require.NoError(t, ShellEnvironment{Env: free}.CheckProject(open))
	dir := t.TempDir()
	require.NoError(t, os.Symlink("/work/project", filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	for folder, allowed := range map[string]bool{
		filepath.Join(dir, "link/bin"): false, filepath.Join(dir, "loop/bin"): false, filepath.Join(dir, "bin"): true,
		"/proc/self/cwd/bin": false, "/dev/fd/3": false,
		"/work/project": false, "/work/project/bin": false, "/work/lib/../project/bin": false, "/work/lib/x": false,
		"/work/projects/bin": true, "/opt/bin": true, "/work": true,
	} {
		err := ShellEnvironment{Path: ShellPath{Prepend: []string{folder}}}.CheckProject(open)
		require.Equal(t, allowed, err == nil, folder)
	}
}
