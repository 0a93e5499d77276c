package runtime

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"manualslop/tiers/llm"
	"manualslop/tools/sandbox"
)

// RunProgram is the [llm.Runner] of this engine: the same machinery that runs
// tools, with an environment built from an allowlist.
func RunProgram(ctx context.Context, p llm.Program) (llm.Ended, error) {
	env := sandbox.Environment(sandbox.Environ{Allow: p.Inherit, Set: p.Set})
	path, err := findProgram(env, p.Path)
	if err != nil {
		return llm.Ended{}, err
	}
	o, err := sandbox.Run(ctx, sandbox.Command{Path: path, Args: p.Args, Dir: p.Dir, Env: env, Input: p.Input,
		Talk:    p.Talk,
		Timeout: p.Limit, MaxOutput: p.MaxOutput, Follow: p.Follow})
	return llm.Ended{Path: path, Stdout: o.Stdout, Stderr: o.Stderr, Exit: o.Exit, TimedOut: o.TimedOut,
		Duration: o.Duration}, err
}

// FindProgram is the absolute path of the program that [RunProgram] would run.
// The error is [llm.ErrNoProgram].
func FindProgram(name string) (string, error) {
	return findProgram(sandbox.Environment(sandbox.Environ{}), name)
}

func findProgram(env []string, name string) (string, error) {
	switch {
	case filepath.IsAbs(name):
		if sandbox.Executable(name) {
			return name, nil
		}
		return "", fmt.Errorf("%w: %s is not an executable file", llm.ErrNoProgram, name)
	case name == "" || strings.ContainsAny(name, `/\`):
		return "", fmt.Errorf("%w: %q must be an absolute path", llm.ErrNoProgram, name)
	}
	path, found := sandbox.FindProgram(env, name)
	if !found {
		return "", fmt.Errorf("%w: there is no %s in PATH", llm.ErrNoProgram, name)
	}
	return path, nil
}
