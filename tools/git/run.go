package git

import (
	"context"
	"fmt"
	"strings"
	"time"

	"manualslop/tools/sandbox"
)

// maxOutput limits the output that is read from one command, in bytes.
const maxOutput = 24 << 20

// Program is a git executable.
type Program struct {
	// Path is the absolute path of the program.
	Path string
	// Search is the PATH on which git finds its own parts.
	Search string
	// Timeout limits one command; zero means DefaultTimeout.
	Timeout time.Duration
}

// DefaultTimeout limits one command; a diff takes three to five commands.
const DefaultTimeout = 30 * time.Second

// Problem is a failure that a model can understand. Its one-line text says what to do next.
type Problem struct{ Text string }

// Error returns the text.
func (p *Problem) Error() string { return p.Text }

func problem(format string, args ...any) error {
	return &Problem{Text: fmt.Sprintf(format, args...)}
}

// run runs git with its own environment and returns its output. If git exits with an error, failed is its error
// message.
func (p Program) run(ctx context.Context, dir string, env []string, args ...string) (out string, failed string,
	err error) {
	o, failed, err := p.outcome(ctx, dir, env, false, args)
	return o.Stdout, failed, err
}

// runExact is like run for output with file names, which are arbitrary bytes, so the output is not converted to text.
func (p Program) runExact(ctx context.Context, dir string, env []string, args ...string) (out string, failed string,
	err error) {
	o, failed, err := p.outcome(ctx, dir, env, true, args)
	if err == nil && !o.StdoutWhole.All {
		err = problem("the file names take more than %d MiB, which is not supported here", sandbox.MaxWhole>>20)
	}
	return string(o.StdoutWhole.Data), failed, err
}

func (p Program) outcome(ctx context.Context, dir string, env []string, whole bool, args []string) (o sandbox.Outcome,
	failed string, err error) {
	if p.Timeout <= 0 {
		p.Timeout = DefaultTimeout
	}
	o, err = sandbox.Run(ctx, sandbox.Command{
		Path: p.Path, Args: append(guards(), args...), Dir: dir, Timeout: p.Timeout, MaxOutput: 2 * maxOutput,
		KeepWhole: whole,
		Env: append([]string{
			"PATH=" + p.Search, "HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent", "LC_ALL=C", "TZ=UTC",
			"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1",
			"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=true", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
			"GIT_ALLOW_PROTOCOL=none",
			"GIT_NO_REPLACE_OBJECTS=1", "GIT_PAGER=cat", "GIT_EDITOR=true", "GIT_DISCOVERY_ACROSS_FILESYSTEM=0",
			"GIT_AUTHOR_NAME=slop", "GIT_AUTHOR_EMAIL=slop@localhost", "GIT_COMMITTER_NAME=slop",
			"GIT_COMMITTER_EMAIL=slop@localhost",
		}, env...),
	})
	switch {
	case err != nil:
		return o, "", err
	case o.TimedOut:
		return o, "", problem("git did not finish within its time limit; narrow the path")
	case o.StdoutDropped > 0:
		return o, "", problem("the diff is longer than %d MiB; narrow the path, or give stat_only", maxOutput>>20)
	case o.Exit != 0:
		why, _, _ := strings.Cut(strings.TrimSpace(o.Stderr), "\n")
		return o, firstOf(why, fmt.Sprintf("git ended with exit code %d", o.Exit)), nil
	}
	return o, "", nil
}

// guards returns the options before each command. They matter for commands that read a repository's configuration.
func guards() []string {
	var out []string
	for _, setting := range []string{
		"core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.attributesFile=/dev/null",
		"core.excludesFile=/dev/null",
		"core.sshCommand=false", "core.askPass=true", "core.alternateRefsCommand=false", "core.quotePath=false",
		"core.untrackedCache=false", "core.splitIndex=false",
		"core.fsync=all", "core.fsyncMethod=fsync", // the objects of a ref are durable before the ref; see flush
		"protocol.allow=never", "diff.autoRefreshIndex=false", "credential.helper=", "gpg.program=false",
		"advice.detachedHead=false",
	} {
		out = append(out, "-c", setting)
	}
	return append(out, "--no-pager", "--literal-pathspecs")
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
