package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// ShellEnvironment is an mcp_env.toml: additions to the scrubbed environment of shells and external servers. A
// project's file takes effect only after the user has trusted the hash of its bytes; callers of
// [ParseShellEnvironment] must check that.
type ShellEnvironment struct {
	Path ShellPath         `toml:"path" project:"free" doc:"The search path."`
	Env  map[string]string `toml:"env" items:"256" project:"free" doc:"Variables to set. ${NAME} is replaced by a variable of the scrubbed environment."`
}

// ShellPath is the section [path].
type ShellPath struct {
	Prepend []string `toml:"prepend" items:"64" project:"free" doc:"Absolute paths of folders to search before the others, in this order. ${NAME} is replaced as in [env]. Folders with a drive letter are used on Windows only."`
}

// ErrUnknownVariable is wrapped by errors about a ${NAME} that the scrubbed environment does
// not have.
var ErrUnknownVariable = errors.New("no such variable in the scrubbed environment")

var (
	variablePattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\$\{([^}]*)\}`)
	})
	DrivePattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z]:[\\/]`)
	})
)

// LoadShellEnvironment reads a file and also returns its bytes. A missing file is an empty environment without bytes.
func LoadShellEnvironment(path string) (e ShellEnvironment, text []byte, err error) {
	text, err = readFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return ShellEnvironment{}, nil, nil
	}
	if err != nil {
		return ShellEnvironment{}, nil, err
	}
	e, err = ParseShellEnvironment(path, text)
	return e, text, err
}

// CheckProject returns an error if a project's environment could replace programs that slop or a script starts:
// variables that make programs load or run others, and search folders below one of the given folders, which tools can
// write to, with all links followed. It also rejects a folder that cannot be resolved.
func (e ShellEnvironment) CheckProject(open []string) error {
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		upper := strings.ToUpper(name)
		if slices.Contains(takingOver(), upper) ||
			slices.ContainsFunc([]string{"LD_", "DYLD_", "SLOP_", "BASH_FUNC_", "GIT_", "XDG_"},
				func(prefix string) bool { return strings.HasPrefix(upper, prefix) }) {
			return fmt.Errorf("env.%s must not be set by a project; set it in the mcp_env.toml of your configuration folder",
				name)
		}
	}
	var roots []string
	for _, dir := range open {
		root, err := RealPath(dir)
		if err != nil {
			return err
		}
		roots = append(roots, root)
	}
	for _, folder := range e.Path.Prepend {
		real, err := RealPath(folder)
		if err != nil {
			return fmt.Errorf("path.prepend: %w", err)
		}
		if InsideAny(append(roots, "/proc", "/dev"), real) || InsideAny([]string{"/proc", "/dev"}, filepath.Clean(folder)) {
			return fmt.Errorf("path.prepend must not contain folders that tools can write to, got %q", folder)
		}
	}
	return nil
}

// takingOver returns the variables by which common programs load or run others.
func takingOver() []string {
	return []string{"PATH", "IFS", "ENV", "BASH_ENV", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PS4", "ZDOTDIR", "HOME",
		"PSMODULEPATH", "SHELL", "EDITOR", "VISUAL", "PAGER", "BROWSER", "NODE_OPTIONS", "PERL5OPT", "PERL5DB", "RUBYOPT",
		"PYTHONSTARTUP", "PYTHONHOME", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "MAKEFLAGS", "GOFLAGS",
		"RUSTC_WRAPPER"}
}

// ParseShellEnvironment parses the bytes of a file, so that the bytes that were hashed for trust are the ones that
// take effect. The name is for messages. Errors wrap [Error].
func ParseShellEnvironment(name string, text []byte) (ShellEnvironment, error) {
	var e ShellEnvironment
	schema := schema(reflect.TypeFor[ShellEnvironment]())
	doc, err := decodeDocument(name, text, schema, &e)
	if err != nil {
		return ShellEnvironment{}, err
	}
	found := checkBounds(schema, reflect.ValueOf(e), "")
	for _, variable := range slices.Sorted(maps.Keys(e.Env)) {
		if !envPattern().MatchString(variable) {
			found = append(found, invalid("env."+variable, "is not a valid variable name"))
		}
	}
	for _, folder := range e.Path.Prepend {
		if problem := folderProblem(folder); problem != "" {
			found = append(found, invalid("path.prepend", "%s: %q", problem, folder))
		}
	}
	if len(found) > 0 {
		return ShellEnvironment{}, doc.placed(found)
	}
	return e, nil
}

// folderProblem rejects folders in the search path that depend on where a script runs.
func folderProblem(folder string) string {
	switch {
	case DrivePattern().MatchString(folder):
		return ""
	case strings.ContainsRune(folder, os.PathListSeparator):
		return "must contain one folder per entry"
	case !filepath.IsAbs(folder) && !strings.HasPrefix(folder, "${"):
		return "must contain absolute paths"
	}
	return ""
}

// With returns e with another environment on top: its folders come first, its variables win.
func (e ShellEnvironment) With(over ShellEnvironment) ShellEnvironment {
	joined := ShellEnvironment{Env: maps.Clone(e.Env)}
	joined.Path.Prepend = slices.Concat(over.Path.Prepend, e.Path.Prepend)
	if joined.Env == nil {
		joined.Env = map[string]string{}
	}
	maps.Copy(joined.Env, over.Env)
	return joined
}

// Expand returns the complete environment, based on a scrubbed one: PATH with the folders in front, and the
// variables. ${NAME} is looked up only in scrubbed, with that PATH; for a missing name the error wraps
// [ErrUnknownVariable]. A $ anywhere else is kept.
func (e ShellEnvironment) Expand(scrubbed map[string]string) (map[string]string, error) {
	known := maps.Clone(scrubbed)
	if known == nil {
		known = map[string]string{}
	}
	var folders []string
	for _, folder := range e.Path.Prepend {
		if DrivePattern().MatchString(folder) && runtime.GOOS != "windows" {
			continue
		}
		folder, err := ExpandVariables(folder, known)
		if err != nil {
			return nil, fmt.Errorf("path.prepend: %w", err)
		}
		folders = append(folders, folder)
	}
	if path := known["PATH"]; path != "" {
		folders = append(folders, path)
	}
	if len(folders) > 0 {
		known["PATH"] = strings.Join(folders, string(os.PathListSeparator))
	}
	whole := maps.Clone(known)
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		value, err := ExpandVariables(e.Env[name], known)
		if err != nil {
			return nil, fmt.Errorf("env.%s: %w", name, err)
		}
		whole[name] = value
	}
	return whole, nil
}

// maxVariable is the longest value after expansion, in bytes.
const maxVariable = 64 << 10

// errLongVariable is wrapped by errors about values over maxVariable.
var errLongVariable = errors.New("value is too long")

func ExpandVariables(text string, known map[string]string) (string, error) {
	var missing error
	expanded := variablePattern().ReplaceAllStringFunc(text, func(found string) string {
		name := found[2 : len(found)-1]
		value, ok := known[name]
		if !ok && missing == nil {
			missing = fmt.Errorf("${%s}: %w", name, ErrUnknownVariable)
		}
		return value
	})
	if missing == nil && len(expanded) > maxVariable {
		missing = fmt.Errorf("%d bytes, more than the limit of %d: %w", len(expanded), maxVariable, errLongVariable)
	}
	return expanded, missing
}
