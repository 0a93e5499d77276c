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
	"regexp"
	"slices"
	"strings"
	"sync"

	"manualslop/events"
)

// Kinds of transports.
const (
	Stdio = "stdio"
	SSE   = "sse"
	HTTP  = "http"
)

// FileName is the name of a configuration, in the person's folder and in a project's.
const FileName = "mcp_config.json"

// maxConfig bounds a configuration file, and maxProgram a file of a command that is hashed, in bytes.
const (
	maxConfig  = 1 << 20
	maxProgram = 256 << 20
)

// Definition is one server of a configuration file, as it stands there: variables are not expanded.
type Definition struct {
	Name     string            `json:"name"`
	Type     string            `json:"type"`
	Command  []string          `json:"command,omitempty"`
	Cwd      string            `json:"cwd,omitempty"`
	Env      map[string]string `json:"env,omitempty"`
	URL      string            `json:"url,omitempty"`
	Headers  map[string]string `json:"headers,omitempty"`
	Disabled bool              `json:"disabled,omitempty"`
	Allow    []string          `json:"allow,omitempty"` // globs of tool names; empty allows all
	Deny     []string          `json:"deny,omitempty"`  // globs; deny beats allow

	File    string `json:"file"`    // absolute path of the configuration
	Project bool   `json:"project"` // the file belongs to the project, not to the person
}

// entry is a server in all the spellings that are accepted.
type entry struct {
	Name          string            `json:"name"`
	Type          string            `json:"type"`
	Command       json.RawMessage   `json:"command"`
	Args          []string          `json:"args"`
	Cwd           string            `json:"cwd"`
	Env           map[string]string `json:"env"`
	URL           string            `json:"url"`
	HTTPURL       string            `json:"httpUrl"`
	Headers       map[string]string `json:"headers"`
	Disabled      bool              `json:"disabled"`
	Enabled       *bool             `json:"enabled"`
	IncludeTools  []string          `json:"includeTools"`
	ExcludeTools  []string          `json:"excludeTools"`
	EnabledTools  []string          `json:"enabled_tools"`
	DisabledTools []string          `json:"disabled_tools"`
	Tools         struct {
		Allow []string `json:"allow"`
		Deny  []string `json:"deny"`
	} `json:"tools"`
}

// ParseConfig reads a configuration: "servers" as a list or an object, and "mcpServers". Errors name
// the file, the line for broken JSON, and the path of the field.
func ParseConfig(file string, data []byte, project bool) ([]Definition, error) {
	if len(data) > maxConfig {
		return nil, fmt.Errorf("%s: must be at most %d bytes, has %d", file, maxConfig, len(data))
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err != nil {
		line := 1
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			line += bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
		}
		return nil, fmt.Errorf("%s:%d: %w", file, line, err)
	}
	var out []Definition
	for _, key := range slices.Sorted(maps.Keys(top)) {
		if key != "servers" && key != "mcpServers" {
			return nil, fmt.Errorf(`%s: unknown key %q; use "servers" or "mcpServers"`, file, key)
		}
		entries, err := entriesOf(top[key])
		if err != nil {
			return nil, fmt.Errorf("%s: %s%w", file, key, err)
		}
		for _, e := range entries {
			d, err := e.definition()
			if err != nil {
				return nil, fmt.Errorf("%s: %s.%s: %w", file, key, e.Name, err)
			}
			if slices.ContainsFunc(out, func(o Definition) bool { return o.Name == d.Name }) {
				return nil, fmt.Errorf("%s: %s.%s: the name is used twice", file, key, d.Name)
			}
			d.File, d.Project = file, project
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b Definition) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// entriesOf reads a list of named servers, or an object of servers by name.
func entriesOf(raw json.RawMessage) ([]entry, error) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		var out []entry
		for i, one := range list {
			e, err := entryOf(one)
			if err != nil {
				return nil, fmt.Errorf("[%d]: %w", i, err)
			}
			out = append(out, e)
		}
		return out, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, errors.New(": must be a list or an object")
	}
	var out []entry
	for name, one := range object {
		e, err := entryOf(one)
		if err != nil {
			return nil, fmt.Errorf(".%s: %w", name, err)
		}
		e.Name = name
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b entry) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func entryOf(raw json.RawMessage) (entry, error) {
	var e entry
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(&e)
	return e, err
}

func (e entry) definition() (Definition, error) {
	d := Definition{Name: e.Name, Cwd: e.Cwd, Env: e.Env, Headers: e.Headers, URL: e.URL,
		Disabled: e.Disabled || e.Enabled != nil && !*e.Enabled,
		Allow:    slices.Concat(e.Tools.Allow, e.IncludeTools, e.EnabledTools),
		Deny:     slices.Concat(e.Tools.Deny, e.ExcludeTools, e.DisabledTools)}
	if e.Name == "" {
		return d, errors.New("name must not be empty")
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

// transport is the type that is set, or that the other fields stand for.
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

// Load reads the person's configuration and the project's. A server of the person hides one of the
// same name in the project; hidden names the latter. A missing file has no servers.
func Load(user, project string) (found []Definition, hidden []string, failed error) {
	for i, dir := range []string{user, project} {
		if dir == "" {
			continue
		}
		file := filepath.Join(dir, FileName)
		var data bytes.Buffer
		err := copyFile(&data, file, maxConfig)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		list, err := ParseConfig(file, data.Bytes(), i == 1)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		for _, d := range list {
			if slices.ContainsFunc(found, func(o Definition) bool { return o.Name == d.Name }) {
				hidden = append(hidden, d.Name)
				continue
			}
			found = append(found, d)
		}
	}
	return found, hidden, failed
}

// copyFile copies a regular file of at most limit bytes. Anything else is refused before it is opened,
// because a repository can hold a link to a device without an end.
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

// Hash is the SHA-256 of the definition as it stands in its file, the program's absolute path and the
// content of each file of a project's that the command names, such as a script after its interpreter.
// Trust is bound to it.
func (d Definition) Hash() (string, error) {
	d.Disabled = false
	program, contents := "", map[string]string{}
	if d.Type == Stdio {
		folder := filepath.Dir(d.File)
		here := strings.NewReplacer("${projectRoot}", folder, "${workspaceFolder}", folder)
		program = here.Replace(d.Command[0])
		if strings.ContainsRune(program, filepath.Separator) && !filepath.IsAbs(program) {
			program = filepath.Join(folder, program)
		} else if found, err := exec.LookPath(program); err == nil {
			program = found
		}
		files := []string{program}
		cwd := here.Replace(d.Cwd)
		if !filepath.IsAbs(cwd) {
			cwd = filepath.Join(folder, cwd)
		}
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

// digest is the SHA-256 of the canonical JSON, in lower-case hex.
func digest(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return events.CanonicalDigest(raw)
}

var variable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{(env:)?([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)
})

// expanded is the definition with its variables replaced once. In a project's file only
// projectRoot, workspaceFolder and userHome are known, so that a repository cannot read the
// person's environment.
func (d Definition) expanded(project string, getenv func(string) (string, bool)) (Definition, error) {
	var failed error
	replace := func(text string) string {
		return variable().ReplaceAllStringFunc(text, func(found string) string {
			m := variable().FindStringSubmatch(found)
			value, ok := "", true
			switch {
			case m[1] == "" && (m[2] == "projectRoot" || m[2] == "workspaceFolder"):
				value = project
			case m[1] == "" && m[2] == "userHome":
				value, ok = getenv("HOME")
			case d.Project:
				failed = errors.Join(failed, fmt.Errorf("server %s: a project's %s must not use the variable %s", d.Name,
					FileName, m[2]))
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
	d.Command = slices.Clone(d.Command)
	for i := range d.Command {
		d.Command[i] = replace(d.Command[i])
	}
	d.Env, d.Headers = replaced(d.Env, replace), replaced(d.Headers, replace)
	d.URL, d.Cwd = replace(d.URL), replace(d.Cwd)
	if !filepath.IsAbs(d.Cwd) {
		d.Cwd = filepath.Join(filepath.Dir(d.File), d.Cwd)
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
