package pytools

import (
	"context"
	_ "embed" // for the Python script
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"manualslop/tools"
	"manualslop/tools/python/grammar"
	"manualslop/tools/sandbox"
)

//go:embed pythonverdict.py
var verdictScript string

const (
	verdictTimeout   = 20 * time.Second
	verdictMaxOutput = 256 << 10
)

// verdict holds what a Python interpreter reports about a text.
type verdict struct {
	checker string // such as "CPython 3.11.7"
	version grammar.Version
	failed  *pythonError
	later   []pythonError // errors that only its compiler finds, and its warnings
}

// askPython has an interpreter on PATH parse the bytes of a file. No project code is run or imported. If version
// is set, only an interpreter of that version is used. The returned text says why there is no verdict. The error
// is the context's.
func askPython(ctx context.Context, env tools.Env, source []byte, version grammar.Version) (*verdict, string, error) {
	names := []string{"python3", "python3.exe"}
	if version > 0 {
		names = append([]string{"python" + version.String()}, names...)
	}
	why := "no python3 on PATH for an exact verdict"
	for _, name := range names {
		path, search, found := env.Program(name)
		if !found {
			continue
		}
		said, err := runVerdict(ctx, path, search, env, source)
		switch {
		case ctx.Err() != nil:
			return nil, "", ctx.Err()
		case err != nil:
			why = "the python3 on PATH gave no verdict"
		case version > 0 && said.version != version:
			why = fmt.Sprintf("no Python %s on PATH for an exact verdict", version)
		default:
			return said, "", nil
		}
	}
	return nil, why, nil
}

// runVerdict runs the script in isolated mode, without site packages and outside the workspace.
func runVerdict(ctx context.Context, path, search string, env tools.Env, source []byte) (*verdict, error) {
	root := "/"
	if runtime.GOOS == "windows" {
		root = filepath.VolumeName(path) + `\`
	}
	variables := sandbox.Environment(sandbox.Environ{Inherit: env.Shell.Inherit, Set: map[string]string{"PATH": search}})
	if source == nil {
		source = []byte{}
	}
	outcome, err := sandbox.Run(ctx, sandbox.Command{
		Path: path, Args: []string{"-I", "-S", "-B", "-X", "utf8", "-c", verdictScript}, Dir: root, Env: variables,
		Input:   source,
		Timeout: verdictTimeout, MaxOutput: verdictMaxOutput,
	})
	if err != nil {
		return nil, err
	}
	var said [5]json.RawMessage
	if err := json.Unmarshal([]byte(outcome.Stdout), &said); err != nil || outcome.Exit != 0 {
		return nil, fmt.Errorf("%s ended with %d: %s", path, outcome.Exit, tools.OneLine(outcome.Stderr, 500))
	}
	return readVerdict(said)
}

func readVerdict(said [5]json.RawMessage) (*verdict, error) {
	var name, number string
	var failed, later *saidError
	var notes []saidError
	for i, into := range []any{&name, &number, &failed, &later, &notes} {
		if err := json.Unmarshal(said[i], into); err != nil {
			return nil, err
		}
	}
	out := &verdict{checker: name + " " + number}
	out.version, _ = grammar.ParseVersion(number)
	if failed != nil {
		out.failed = &failed.pythonError
	}
	if later != nil {
		out.later = append(out.later, later.pythonError)
	}
	for _, note := range notes {
		out.later = append(out.later, note.pythonError)
	}
	return out, nil
}

// saidError decodes [kind, text, line, column, end line, end column], in which the numbers may be null.
type saidError struct{ pythonError }

// UnmarshalJSON decodes the list.
func (e *saidError) UnmarshalJSON(data []byte) error {
	var line, column, endLine, endColumn *int
	list := []any{&e.Kind, &e.Text, &line, &column, &endLine, &endColumn}
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	for i, number := range []*int{line, column, endLine, endColumn} {
		if number != nil {
			*[]*int{&e.Line, &e.Column, &e.EndLine, &e.EndColumn}[i] = max(*number, 0)
		}
	}
	return nil
}
