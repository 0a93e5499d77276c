package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"manualslop/events"
)

// Values of Definition.Type: the transport.
const (
	Stdio = "stdio"
	SSE   = "sse"
	HTTP  = "http"
)

// FileName is the name of the configuration file in the user's folder and in a project's.
const FileName = "mcp_config.json"

// maxConfig limits a configuration file, and maxProgram a hashed file of a command, in bytes.
const (
	maxConfig  = 1 << 20
	maxProgram = 256 << 20
)

// maxTimeout limits the times in a definition, in milliseconds.
const maxTimeout = 3_600_000

// others lists the configuration files of other programs, relative to the project's folder. They are read if the
// person's configuration names them.
func others() []string { return []string{".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json"} }

// Definition is one server of a configuration file, as written there: variables are not expanded.
type Definition struct {
	Name     string            `json:"name"`
	Type     string            `json:"type"`
	Command  []string          `json:"command,omitempty"`
	Cwd      string            `json:"cwd,omitempty"`
	Env      map[string]string `json:"env,omitempty"`
	EnvFile  string            `json:"env_file,omitempty"` // NAME=value lines; env overrides them
	URL      string            `json:"url,omitempty"`
	Headers  map[string]string `json:"headers,omitempty"`
	OAuth    *OAuth            `json:"oauth,omitempty"`
	Disabled bool              `json:"disabled,omitempty"`
	Serial   bool              `json:"serial,omitempty"`    // one call at a time
	Roots    []string          `json:"roots,omitempty"`     // folders that the server may request; empty means none
	Sampling bool              `json:"sampling,omitempty"`  // the server may ask for model replies
	AskRoots bool              `json:"ask_roots,omitempty"` // the server may ask for folders, in place of Roots
	StartMS  int64             `json:"start_ms,omitempty"`  // 0 means startTimeout
	CallMS   int64             `json:"call_ms,omitempty"`   // 0 means callTimeout
	Allow    []string          `json:"allow,omitempty"`     // globs of tool names; empty means all
	Deny     []string          `json:"deny,omitempty"`      // globs; deny overrides allow

	File    string `json:"file"`    // absolute path of the configuration
	Project bool   `json:"project"` // the file belongs to the project, not to the user

	stricter []filter // of project entries that have the name of this server of the user
}

// filter says which tools of a server are offered. Both fields hold globs; deny overrides allow.
type filter struct{ allow, deny []string }

// OAuth says how slop gets a token for a server behind a URL. If it is empty, slop registers itself with the server.
type OAuth struct {
	ClientID     string   `json:"clientId,omitempty"`
	ClientSecret string   `json:"clientSecret,omitempty"`
	Scopes       []string `json:"scopes,omitempty"`       // empty means those that the server names
	Port         int      `json:"callbackPort,omitempty"` // local port to which a browser returns; 0 means any
}

// entry is a server in all accepted spellings of the fields.
type entry struct {
	Name          string            `json:"name"`
	Type          string            `json:"type"`
	Command       json.RawMessage   `json:"command"`
	Args          []string          `json:"args"`
	Cwd           string            `json:"cwd"`
	Env           map[string]string `json:"env"`
	Environment   map[string]string `json:"environment"`
	EnvFile       string            `json:"envFile"`
	URL           string            `json:"url"`
	HTTPURL       string            `json:"httpUrl"`
	Headers       map[string]string `json:"headers"`
	Disabled      bool              `json:"disabled"`
	Enabled       *bool             `json:"enabled"`
	OAuth         *OAuth            `json:"oauth"`
	Serial        bool              `json:"serial"`
	Roots         []string          `json:"roots"`
	Sampling      bool              `json:"sampling"`
	AskRoots      bool              `json:"askRoots"`
	Timeout       *int64            `json:"timeout"`        // milliseconds
	StartTimeout  *int64            `json:"startupTimeout"` // milliseconds
	IncludeTools  []string          `json:"includeTools"`
	ExcludeTools  []string          `json:"excludeTools"`
	EnabledTools  []string          `json:"enabled_tools"`
	DisabledTools []string          `json:"disabled_tools"`
	Tools         struct {
		Allow []string `json:"allow"`
		Deny  []string `json:"deny"`
	} `json:"tools"`
}

// ParseConfig parses a configuration: "servers" as a list or an object, and "mcpServers". Errors name the file,
// the line of invalid JSON, and the path of the field. Notices name fields without effect.
func ParseConfig(file string, data []byte, project bool) (out []Definition, notices []string, err error) {
	if len(data) > maxConfig {
		return nil, nil, fmt.Errorf("%s: must be at most %d bytes, got %d", file, maxConfig, len(data))
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err != nil {
		line := 1
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			line += bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
		}
		return nil, nil, fmt.Errorf("%s:%d: %w", file, line, err)
	}
	for _, key := range slices.Sorted(maps.Keys(top)) {
		if key != "servers" && key != "mcpServers" {
			notices = append(notices, fmt.Sprintf(`%s: %s: unknown key; use "servers" or "mcpServers"`, file, key))
			continue
		}
		entries, unknown, err := entriesOf(top[key])
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %s%w", file, key, err)
		}
		for _, field := range unknown {
			notices = append(notices, fmt.Sprintf("%s: %s%s: unknown field", file, key, field))
		}
		for _, e := range entries {
			d, err := e.definition()
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %s.%s: %w", file, key, e.Name, err)
			}
			if slices.ContainsFunc(out, func(o Definition) bool { return o.Name == d.Name }) {
				return nil, nil, fmt.Errorf("%s: %s.%s: the name is used twice", file, key, d.Name)
			}
			d.File, d.Project = file, project
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b Definition) int { return strings.Compare(a.Name, b.Name) })
	return out, notices, nil
}

// entriesOf parses a list of named servers, or an object with servers by name. unknown holds the paths of unknown
// fields.
func entriesOf(raw json.RawMessage) (out []entry, unknown []string, err error) {
	var list []json.RawMessage
	names := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &list) == nil {
		for i, one := range list {
			names[fmt.Sprintf("[%d]", i)] = one
		}
	} else if err := json.Unmarshal(raw, &names); err != nil {
		return nil, nil, errors.New(": must be a list or an object")
	}
	for name, one := range names {
		place := name
		if list == nil {
			place = "." + name
		}
		var e entry
		var fields map[string]json.RawMessage
		if err := errors.Join(json.Unmarshal(one, &e), json.Unmarshal(one, &fields)); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", place, err)
		}
		if list == nil {
			e.Name = name
		}
		for field := range fields {
			if !slices.Contains(entryFields(), field) {
				unknown = append(unknown, place+"."+field)
			}
		}
		out = append(out, e)
	}
	slices.Sort(unknown)
	slices.SortFunc(out, func(a, b entry) int { return strings.Compare(a.Name, b.Name) })
	return out, unknown, nil
}

// entryFields returns the field names of an entry.
var entryFields = sync.OnceValue(func() []string {
	var names []string
	for f := range reflect.TypeFor[entry]().Fields() {
		names = append(names, f.Tag.Get("json"))
	}
	return names
})

func (e entry) definition() (Definition, error) {
	d := Definition{Name: e.Name, Cwd: e.Cwd, Env: e.Env, EnvFile: e.EnvFile, Headers: e.Headers, URL: e.URL,
		OAuth: e.OAuth, Serial: e.Serial, Roots: e.Roots, Sampling: e.Sampling, AskRoots: e.AskRoots,
		Disabled: e.Disabled || e.Enabled != nil && !*e.Enabled,
		Allow:    slices.Concat(e.Tools.Allow, e.IncludeTools, e.EnabledTools),
		Deny:     slices.Concat(e.Tools.Deny, e.ExcludeTools, e.DisabledTools)}
	if e.Name == "" {
		return d, errors.New("name must not be empty")
	}
	if e.AskRoots && len(e.Roots) > 0 {
		return d, errors.New("roots and askRoots must not both be set")
	}
	for name, at := range map[string]struct{ from, to *int64 }{"timeout": {e.Timeout, &d.CallMS},
		"startupTimeout": {e.StartTimeout, &d.StartMS}} {
		if at.from == nil {
			continue
		}
		if *at.to = *at.from; *at.to < 1 || *at.to > maxTimeout {
			return d, fmt.Errorf("%s must be 1 to %d milliseconds, got %d", name, maxTimeout, *at.to)
		}
	}
	if e.Environment != nil {
		if e.Env != nil {
			return d, errors.New("use either env or environment")
		}
		d.Env = e.Environment
	}
	if len(e.Command) > 0 {
		var program string
		if json.Unmarshal(e.Command, &program) == nil {
			d.Command = []string{program}
		} else if err := json.Unmarshal(e.Command, &d.Command); err != nil {
			return d, errors.New("command must be a string or a list of strings")
		}
		d.Command = append(d.Command, e.Args...)
	}
	if e.HTTPURL != "" {
		if e.URL != "" {
			return d, errors.New("use either url or httpUrl")
		}
		d.URL = e.HTTPURL
	}
	switch {
	case len(d.Command) > 0 && d.URL != "":
		return d, errors.New("use either command or url")
	case len(d.Command) == 0 && d.URL == "", len(d.Command) > 0 && d.Command[0] == "":
		return d, errors.New("command or url must be set")
	}
	var err error
	d.Type, err = e.transport(d)
	return d, err
}

// transport returns the configured type, or the type that the other fields imply.
func (e entry) transport(d Definition) (string, error) {
	kind := e.Type
	switch kind {
	case "streamable-http", "streamableHttp":
		kind = HTTP
	case "local":
		kind = Stdio
	case "", "remote":
		switch {
		case len(d.Command) > 0:
			kind = Stdio
		case e.HTTPURL == "" && strings.HasSuffix(strings.TrimSuffix(d.URL, "/"), "/sse"):
			kind = SSE
		default:
			kind = HTTP
		}
	}
	switch {
	case kind != Stdio && kind != SSE && kind != HTTP:
		return "", fmt.Errorf("type must be stdio, sse or http, got %q", e.Type)
	case kind == Stdio && len(d.Command) == 0, kind != Stdio && d.URL == "":
		return "", fmt.Errorf("type %s does not fit the other fields", e.Type)
	case kind != Stdio && !strings.HasPrefix(d.URL, "http://") && !strings.HasPrefix(d.URL, "https://") &&
		!strings.HasPrefix(d.URL, "$"):
		return "", fmt.Errorf("url must begin with http:// or https://, got %q", d.URL)
	}
	return kind, nil
}

// Load reads the configurations of the user and the project, and those in the other files of the project that more
// lists; see others. A server of the user hides one of the same name in the project, and a notice says so; the
// filters of the hidden server also apply. A missing file defines no servers.
func Load(user, project string, more []string) (found []Definition, notices []string, failed error) {
	var files []string
	if user != "" {
		files = append(files, filepath.Join(user, FileName))
	}
	persons := len(files)
	if project != "" {
		files = append(files, filepath.Join(project, FileName))
		for _, name := range more {
			if !slices.Contains(others(), name) {
				failed = errors.Join(failed, fmt.Errorf("%q cannot be read; use %s", name, strings.Join(others(), ", ")))
				continue
			}
			files = append(files, filepath.Join(project, filepath.FromSlash(name)))
		}
	}
	for i, file := range files {
		var data bytes.Buffer
		err := copyFile(&data, file, maxConfig)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var list []Definition
		if err == nil {
			var unknown []string
			list, unknown, err = ParseConfig(file, data.Bytes(), i >= persons)
			notices = append(notices, unknown...)
		}
		failed = errors.Join(failed, err)
		for _, d := range list {
			at := slices.IndexFunc(found, func(o Definition) bool { return o.Name == d.Name })
			if at < 0 {
				found = append(found, d)
				continue
			}
			found[at].stricter = append(found[at].stricter, filter{d.Allow, d.Deny})
			notices = append(notices, fmt.Sprintf("%s: only the filters of the server %s have an effect: %s already defines that name",
				file, d.Name, found[at].File))
		}
	}
	return found, notices, failed
}

// folder returns the folder to which paths in the definition are relative: that of its file, or the project's if
// the file is in another program's folder.
func (d Definition) folder() string {
	dir := filepath.Dir(d.File)
	if base := filepath.Base(dir); base == ".vscode" || base == ".cursor" {
		return filepath.Dir(dir)
	}
	return dir
}

// copyFile copies a regular file of at most limit bytes. Anything else is rejected before it is opened, because a
// repository can contain a link to a device that never ends.
func copyFile(to io.Writer, file string, limit int64) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return fmt.Errorf("%s: must be a regular file of at most %d bytes", file, limit)
	}
	from, err := os.Open(file)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, io.LimitReader(from, limit))
	return errors.Join(err, from.Close())
}

// Hash returns the SHA-256 of the definition as written in its file, the program's absolute path, and the content
// of each project file that the command names, such as a script after its interpreter. Trust is bound to this
// hash.
func (d Definition) Hash() (string, error) {
	d.Disabled = false
	program, contents := "", map[string]string{}
	if d.Type == Stdio {
		folder := d.folder()
		here := strings.NewReplacer("${projectRoot}", folder, "${workspaceFolder}", folder)
		program = here.Replace(d.Command[0])
		if strings.ContainsRune(program, filepath.Separator) {
			program = d.path(program)
		} else if found, err := exec.LookPath(program); err == nil {
			program = found
		}
		files := []string{program}
		if d.EnvFile != "" {
			files = append(files, d.path(here.Replace(d.EnvFile)))
		}
		cwd := d.path(here.Replace(d.Cwd))
		for _, arg := range d.Command[1:] {
			if arg = here.Replace(arg); !filepath.IsAbs(arg) {
				arg = filepath.Join(cwd, arg)
			}
			if info, err := os.Stat(arg); err == nil && !info.IsDir() {
				files = append(files, arg)
			}
		}
		for _, file := range files {
			inside, err := filepath.Rel(folder, file)
			if !d.Project || err != nil || !filepath.IsLocal(inside) {
				continue
			}
			sum := sha256.New()
			if err := copyFile(sum, file, maxProgram); err != nil {
				return "", fmt.Errorf("server %s: %w", d.Name, err)
			}
			contents[inside] = hex.EncodeToString(sum.Sum(nil))
		}
	}
	return digest(map[string]any{"definition": d, "program": program, "contents": contents})
}

// digest returns the SHA-256 of the canonical JSON, in lower-case hex.
func digest(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return events.CanonicalDigest(raw)
}

// path returns a path in the definition as an absolute path.
func (d Definition) path(of string) string {
	if filepath.IsAbs(of) {
		return of
	}
	return filepath.Join(d.folder(), of)
}

var variable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{([^}]*)\}`)
})

var variableName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(env:)?([A-Za-z_][A-Za-z0-9_]*)(:-(.*))?$`)
})

// expanded returns the definition with its variables expanded once, absolute paths, and the variables of its
// envFile. In a project's file only projectRoot, workspaceFolder and userHome are available, so that a repository
// cannot read the user's environment.
func (d Definition) expanded(project string, getenv func(string) (string, bool)) (Definition, error) {
	var failed error
	replace := func(text string) string {
		return variable().ReplaceAllStringFunc(text, func(found string) string {
			m := variableName().FindStringSubmatch(found[2 : len(found)-1])
			if m == nil {
				failed = errors.Join(failed, fmt.Errorf("server %s: %s cannot be replaced; use ${NAME}, ${env:NAME} or "+
					"${NAME:-default}", d.Name, found))
				return ""
			}
			value, ok := "", true
			switch {
			case m[1] == "" && (m[2] == "projectRoot" || m[2] == "workspaceFolder"):
				value = project
			case m[1] == "" && m[2] == "userHome":
				value, ok = getenv("HOME")
			case d.Project:
				failed = errors.Join(failed, fmt.Errorf("server %s: a project's %s must not use the variable %s", d.Name,
					filepath.Base(d.File), m[2]))
			default:
				if value, ok = getenv(m[2]); !ok && m[3] != "" {
					value, ok = m[4], true
				}
			}
			if !ok {
				failed = errors.Join(failed, fmt.Errorf("server %s: the variable %s is not set", d.Name, m[2]))
			}
			return value
		})
	}
	d.Command, d.Roots = slices.Clone(d.Command), slices.Clone(d.Roots)
	for i := range d.Command {
		d.Command[i] = replace(d.Command[i])
	}
	for i := range d.Roots {
		d.Roots[i] = d.path(replace(d.Roots[i]))
	}
	d.Env, d.Headers = replaced(d.Env, replace), replaced(d.Headers, replace)
	d.URL, d.Cwd = replace(d.URL), d.path(replace(d.Cwd))
	if d.OAuth != nil {
		o := *d.OAuth
		o.ClientID, o.ClientSecret = replace(o.ClientID), replace(o.ClientSecret)
		d.OAuth = &o
	}
	if d.EnvFile != "" {
		all, err := readEnv(d.path(replace(d.EnvFile)))
		failed = errors.Join(failed, err)
		maps.Copy(all, d.Env)
		d.Env = all
	}
	return d, failed
}

func replaced(m map[string]string, replace func(string) string) map[string]string {
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k] = replace(v)
	}
	return out
}

// readEnv reads NAME=value lines. A value may be quoted, and lines that begin with # are comments.
func readEnv(file string) (map[string]string, error) {
	out := map[string]string{}
	var data bytes.Buffer
	if err := copyFile(&data, file, maxConfig); err != nil {
		return out, err
	}
	line := 0
	for text := range strings.Lines(data.String()) {
		line++
		text = strings.TrimPrefix(strings.TrimSpace(text), "export ")
		if text == "" || text[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return out, fmt.Errorf("%s:%d: must be NAME=value", file, line)
		}
		if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
			value = value[1 : n-1]
		}
		out[name] = value
	}
	return out, nil
}
