package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Environ says what a child process may see of the environment.
type Environ struct {
	// Inherit is where values come from, as "NAME=value"; nil means that of this process.
	Inherit []string
	// Allow adds names to the ones that are always passed on (see Environment). A name that ends
	// in * allows all names that begin so.
	Allow []string
	// PathPrepend are directories put in front of PATH.
	PathPrepend []string
	// Set are variables to add or replace. ${NAME} in a value stands for the value of NAME in
	// what the child would see without Set; an unknown name stands for nothing.
	Set map[string]string
}

// passed returns the variables that every child sees where they exist. The
// second part keeps Windows programs working.
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

// spelling makes names comparable where the system does not tell their case apart.
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

// expand replaces ${NAME}; every other dollar sign stays.
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

// FindProgram returns the absolute path of the first of names that is an
// executable file in a directory of the PATH of env, or false. Directories are
// tried for one name before the next.
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
