package clitest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Kinds of program, by the names of their providers.
const (
	Gemini = "gemini_cli"
	Claude = "claude_cli"
	Codex  = "codex_cli"
	ACP    = "acp"
)

// Faults that a fake can have.
const (
	// NoEnd ends the program with code 0 after half of its text.
	NoEnd = "no end"
	// Crash ends it with code 1 after half of its text.
	Crash = "crash"
	// HalfLine ends it inside a line.
	HalfLine = "half line"
	// Stall says half and then nothing.
	Stall = "stall"
	// OwnTool runs a tool of the program's own, or asks leave to do so.
	OwnTool = "own tool"
	// Noise writes lines that are no messages, and messages it is unknown.
	Noise = "noise"
)

const (
	kindVariable   = "SLOP_FAKE_CLI"
	scriptVariable = "SLOP_FAKE_SCRIPT"
	faultVariable  = "SLOP_FAKE_FAULT"
)

// Install writes a program of this kind to path. It plays the script, a file,
// with a fault, which may be empty. Beside the script it keeps which lines were
// used.
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
	// A child that is forked while the file is open for writing would keep it
	// open, and then nobody could run it.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, []byte(text), 0o755)
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Play is the program that this process was started as, and ends with it; if it
// was started as none, it returns.
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

// fake is a program at work.
type fake struct {
	args   []string
	in     io.Reader
	fault  string
	script string
}

// exit ends a program with a code and a complaint.
type exit struct {
	code int
	says string
}

func (e exit) Error() string { return e.says }

func rejects(code int, format string, args ...any) error {
	return exit{code, fmt.Sprintf(format, args...)}
}

// line writes a line of the output at once.
func line(format string, args ...any) {
	fmt.Fprintf(os.Stdout, format+"\n", args...)
}
