package clitest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Kinds of programs, named after their providers.
const (
	Gemini = "gemini_cli"
	Claude = "claude_cli"
	Codex  = "codex_cli"
	ACP    = "acp"
)

// Faults of a fake.
const (
	// NoEnd ends the program with code 0 after half of its text.
	NoEnd = "no end"
	// Crash ends it with code 1 after half of its text.
	Crash = "crash"
	// HalfLine ends it inside a line.
	HalfLine = "half line"
	// Stall writes half of its text and then nothing.
	Stall = "stall"
	// OwnTool runs one of the program's own tools, or asks permission to do so.
	OwnTool = "own tool"
	// Unconnected starts no MCP server.
	Unconnected = "unconnected"
	// Old says that it is an old version.
	Old = "old"
	// SecondTurn goes on after its turn, whatever the settings say.
	SecondTurn = "second turn"
	// Unheard says that calls of MCP tools were carried out without making them.
	Unheard = "unheard"
	// Invented makes a call of an MCP tool that its model did not make.
	Invented = "invented"
	// Noise writes lines that are not messages, and messages of unknown types.
	Noise = "noise"
)

const (
	kindVariable   = "SLOP_FAKE_CLI"
	scriptVariable = "SLOP_FAKE_SCRIPT"
	faultVariable  = "SLOP_FAKE_FAULT"
)

// Install writes a program of the given kind to path. It plays the script file with a fault, which
// may be empty. It keeps track of the used lines next to the script.
func Install(path, kind, script, fault string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	text := "#!/bin/sh\n"
	for _, v := range [][2]string{{kindVariable, kind}, {scriptVariable, script}, {faultVariable, fault}} {
		text += v[0] + "=" + quoted(v[1]) + " "
	}
	text += "exec " + quoted(self) + " \"$@\"\n"
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	// A child that is forked while the file is open for writing would keep it open, and the file
	// could not be run.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, []byte(text), 0o755)
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Play acts as the program that this process was started as and then exits. It returns if the
// process was started as none.
func Play() {
	kind := os.Getenv(kindVariable)
	if kind == "" {
		return
	}
	f := &fake{args: os.Args[1:], in: os.Stdin, fault: os.Getenv(faultVariable), script: os.Getenv(scriptVariable)}
	play, known := map[string]func(*fake) error{Gemini: gemini, Claude: claude, Codex: codex, ACP: acp}[kind]
	if !known {
		fmt.Fprintf(os.Stderr, "clitest: there is no program %q\n", kind)
		end(70)
	}
	if err := play(f); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code := 1
		if e, ok := err.(exit); ok {
			code = e.code
		}
		end(code)
	}
	end(0)
}

// fake is a program that is being played.
type fake struct {
	args   []string
	in     io.Reader
	fault  string
	script string
}

// exit ends a program with an exit code and an error message.
type exit struct {
	code int
	says string
}

func (e exit) Error() string { return e.says }

func rejects(code int, format string, args ...any) error {
	return exit{code, fmt.Sprintf(format, args...)}
}

// line writes one line of output immediately.
func line(format string, args ...any) {
	fmt.Fprintf(os.Stdout, format+"\n", args...)
}
