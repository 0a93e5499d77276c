package qa

import (
	"encoding/json"
	"path"
	"strings"

	"manualslop/events/chars"
	"manualslop/tiers"
)

// shellTool is the tool whose argument is a script.
const shellTool = "run_powershell"

// maxScriptRead limits how much of a script is searched for programs, in bytes.
const maxScriptRead = 16 << 10

// linters returns the known programs that check code style, by their names in a script, with the
// command that fixes their findings; empty if there is none.
func linters() map[string]string {
	const hook = "stage what the hook changed and run it again"
	return map[string]string{
		"black": "black .", "isort": "isort .", "ruff": "ruff check --fix", "ruff check": "ruff check --fix",
		"ruff format": "ruff format", "flake8": "", "pylint": "", "mypy": "",
		"gofmt": "gofmt -w .", "goimports": "goimports -w .", "go vet": "", "staticcheck": "",
		"golangci-lint": "golangci-lint run --fix",
		"eslint":        "eslint --fix .", "prettier": "prettier --write .", "stylelint": "stylelint --fix", "tsc": "",
		"biome":     "biome check --write",
		"cargo fmt": "cargo fmt", "rustfmt": "cargo fmt", "cargo clippy": "cargo clippy --fix",
		"clang-format": "clang-format -i", "clang-tidy": "clang-tidy --fix",
		"shellcheck": "", "shfmt": "shfmt -w .", "rubocop": "rubocop -a", "terraform fmt": "terraform fmt",
		"markdownlint": "markdownlint --fix", "lint": "",
		"pre-commit": hook, "pre-commit run": hook, gitCommit: hook,
	}
}

// gitCommit counts as a linter only if a hook reports something.
const gitCommit = "git commit"

// linter is a linter found in a script.
type linter struct{ name, fix string }

// linterIn returns the known linter that a script runs, or nil.
func linterIn(args json.RawMessage) *linter {
	var a struct {
		Script string `json:"script"`
	}
	if json.Unmarshal(args, &a) != nil {
		return nil
	}
	words := strings.FieldsFunc(a.Script[:min(len(a.Script), maxScriptRead)],
		func(r rune) bool { return strings.ContainsRune(" \t\r\n;&|()<>'\"`:", r) })
	known := linters()
	for i, word := range words {
		names := []string{path.Base(word)}
		if i+1 < len(words) {
			names = []string{names[0] + " " + words[i+1], names[0]}
		}
		for _, name := range names {
			if fix, is := known[name]; is {
				return &linter{name, fix}
			}
		}
	}
	return nil
}

// judged reports whether the linter made the call fail.
func (l *linter) judged(output string) bool {
	return l != nil && (l.name != gitCommit || strings.Contains(chars.Lower(output), "hook"))
}

// role returns the name of tier 4's instructions for the output of a call.
func (c *call) role() string {
	if c.linter.judged(c.trace.Text) {
		return textLinter
	}
	return textRole
}

// named returns a hint with the command that fixes the linter's findings appended.
func (c *call) named(hint string) string {
	if !c.linter.judged(c.trace.Text) || c.linter.fix == "" || strings.Contains(hint, c.linter.fix) {
		return tiers.Clip(hint, MaxHint)
	}
	fix := " Fix: " + c.linter.fix
	return tiers.Clip(hint, MaxHint-len(fix)) + fix
}
