package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Environ configures the environment of a child process.
type Environ struct {
	// Inherit is the source of values, as "NAME=value"; nil means the environment of this process.
	Inherit []string
	// Allow adds names to those that are always passed on (see Environment). A name that ends in * allows all
	// names with that prefix.
	Allow []string
	// PathPrepend lists directories to put in front of PATH.
	PathPrepend []string
	// Set lists variables to add or replace. ${NAME} in a value is replaced by the value that NAME would have
	// without Set; an unknown name is replaced by nothing.
	Set map[string]string
}

// passed returns the variables that are always passed to a child if they exist. The second part is needed by
// Windows programs.
func passed() []string {
	return []string{
		"PATH", "HOME", "LANG", "LANGUAGE", "LC_*", "TERM", "TMPDIR", "USER", "LOGNAME", "SHELL", "TZ",
		"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE",
		"APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "PSMODULEPATH",
	}
}

// Environment builds the environment of a child from an allowlist, sorted by name. Empty and
// relative entries of PATH are dropped, because they name whatever directory the child is in.
func Environment(e Environ) []string {
	inherit := e.Inherit
	if inherit == nil {
		inherit = os.Environ()
	}
	allow := append(passed(), e.Allow...)
	seen := map[string]string{}
	for _, entry := range inherit {
		name, value, ok := strings.Cut(entry, "=")
		if ok && name != "" && allowed(allow, name) {
			seen[spelling(name)] = value
		}
	}
	seen["PATH"] = searchPath(append(slices.Clone(e.PathPrepend), filepath.SplitList(seen["PATH"])...))
	all := make(map[string]string, len(seen)+len(e.Set))
	for name, value := range seen {
		all[name] = value
	}
	for name, value := range e.Set {
		if name != "" && !strings.ContainsAny(name, "=\x00") && !strings.Contains(value, "\x00") {
			all[spelling(name)] = expand(value, seen)
		}
	}
	out := make([]string, 0, len(all))
	for name, value := range all {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

// spelling returns a form of a name that can be compared on systems that ignore its case.
func spelling(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}

func allowed(patterns []string, name string) bool {
	name = spelling(name)
	for _, pattern := range patterns {
		stem, open := strings.CutSuffix(spelling(pattern), "*")
		if name == stem || open && strings.HasPrefix(name, stem) {
			return true
		}
	}
	return false
}

func searchPath(dirs []string) string {
	var kept []string
	for _, dir := range dirs {
		if filepath.IsAbs(dir) && !slices.Contains(kept, dir) {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}

// expand replaces ${NAME} and keeps every other dollar sign.
func expand(value string, vars map[string]string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(value, "${")
		name, after, closed := strings.Cut(rest, "}")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if !closed {
			b.WriteString("${" + rest)
			return b.String()
		}
		b.WriteString(vars[spelling(name)])
		value = after
	}
}

// FindProgram returns the absolute path of an executable file that has one of the names and is in a directory of
// env's PATH. It returns false if it finds none. It searches all directories for a name before it tries the next
// name.
func FindProgram(env []string, names ...string) (string, bool) {
	var dirs []string
	for _, entry := range env {
		if path, ok := strings.CutPrefix(entry, "PATH="); ok {
			dirs = filepath.SplitList(path)
		}
	}
	for _, name := range names {
		for _, dir := range dirs {
			if full := filepath.Join(dir, name); filepath.IsAbs(full) && Executable(full) {
				return full, true
			}
		}
	}
	return "", false
}

// Executable reports whether path is a regular file that may be run.
func Executable(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	return runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0
}
