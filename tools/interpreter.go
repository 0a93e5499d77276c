package tools

import (
	"strings"

	"manualslop/tools/sandbox"
)

// MaxScriptBytes limits a script, which must fit into one argument of a program.
const MaxScriptBytes = 100_000

// Interpreter is a program that runs scripts.
type Interpreter struct {
	Path       string
	Name       string // name for answers and events: pwsh, powershell, bash or sh
	Powershell bool
}

// Interpreter returns the name of the program that runs scripts here: powershell, pwsh, bash or sh. It returns ""
// if there is none; run_powershell then says why.
func (s Shell) Interpreter() string {
	found, err := FindInterpreter(s.Environment(), s.FallbackShell())
	if err != nil {
		return ""
	}
	return found.Name
}

// Environment returns the environment of a script.
func (s Shell) Environment() []string {
	return sandbox.Environment(sandbox.Environ{Inherit: s.Inherit, Allow: s.Pass, PathPrepend: s.PathPrepend,
		Set: s.variables()})
}

// FindInterpreter looks for PowerShell on the PATH of env, then for the programs that fallback allows.
func FindInterpreter(env []string, fallback string) (Interpreter, error) {
	for _, name := range []string{"powershell.exe", "pwsh.exe", "powershell", "pwsh"} {
		if path, ok := sandbox.FindProgram(env, name); ok {
			return Interpreter{Path: path, Name: strings.TrimSuffix(name, ".exe"), Powershell: true}, nil
		}
	}
	switch fallback {
	case FallbackPOSIX:
	case FallbackNone:
		return Interpreter{}, Refuse("PowerShell is not installed, and [shell] fallback = \"none\" allows no other shell; " +
			"use the file tools instead")
	default:
		return Interpreter{}, Refuse("[shell] fallback is %q; it must be \"posix\" or \"none\"", fallback)
	}
	for _, name := range []string{"bash", "sh", "bash.exe", "sh.exe"} {
		if path, ok := sandbox.FindProgram(env, name); ok {
			return Interpreter{Path: path, Name: strings.TrimSuffix(name, ".exe")}, nil
		}
	}
	for _, path := range []string{"/bin/bash", "/bin/sh"} {
		if name := path[len("/bin/"):]; sandbox.Executable(path) {
			return Interpreter{Path: path, Name: name}, nil
		}
	}
	return Interpreter{}, Refuse("no shell was found on PATH; use the file tools instead")
}

// Args returns the arguments with which the interpreter runs a script in dir.
func (i Interpreter) Args(dir, script string) []string {
	if !i.Powershell {
		return []string{"-c", script}
	}
	full := "Set-Location -LiteralPath " + quotePowershell(dir) + "\n" + script
	return []string{"-NoProfile", "-NonInteractive", "-Command", full}
}

// quotePowershell returns a PowerShell string literal. PowerShell treats four other characters like a single
// quote; each is escaped by doubling.
func quotePowershell(text string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range text {
		switch r {
		case '\'', '\u2018', '\u2019', '\u201A', '\u201B':
			b.WriteRune(r)
		}
		b.WriteRune(r)
	}
	b.WriteByte('\'')
	return b.String()
}

// variables returns the configured variables, and those that keep git from asking for a password unless they are
// configured.
func (s Shell) variables() map[string]string {
	out := map[string]string{"GIT_TERMINAL_PROMPT": "0", "GCM_INTERACTIVE": "never"}
	for name, value := range s.Set {
		out[name] = value
	}
	return out
}
