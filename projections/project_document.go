package projections

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"reflect"
	"slices"
	"strings"

	"manualslop/events"
)

// errNoObject means that a document or its changes are not a JSON object.
var errNoObject = errors.New("not a JSON object")

// MergePatch applies changes to a JSON object as defined in RFC 7386. An empty
// document is an empty object.
func MergePatch[D, C ~[]byte | ~string](document D, changes C) (json.RawMessage, error) {
	doc := map[string]any{}
	if len(document) > 0 {
		doc = objectOf([]byte(document))
	}
	patch := objectOf([]byte(changes))
	if doc == nil || patch == nil {
		return nil, errNoObject
	}
	raw, err := json.Marshal(merged(doc, patch))
	if err != nil {
		return nil, fmt.Errorf("encode a document: %w", err)
	}
	return raw, nil
}

// merged merges patch into doc, which it modifies and returns.
func merged(doc, patch map[string]any) map[string]any {
	// order-independent: each key is handled on its own
	for key, value := range patch {
		change, nested := value.(map[string]any)
		switch {
		case value == nil:
			delete(doc, key)
		case nested:
			old, ok := doc[key].(map[string]any)
			if !ok {
				old = map[string]any{}
			}
			doc[key] = merged(old, change)
		default:
			doc[key] = value
		}
	}
	return doc
}

// objectOf decodes a JSON object and keeps the spelling of its numbers; nil for anything else.
func objectOf(raw []byte) map[string]any {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var out map[string]any
	if dec.Decode(&out) != nil {
		return nil
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil
	}
	return out
}

// reverse returns the changes that turn one document into another, and the keys that they change.
func reverse(from, to json.RawMessage) (changes json.RawMessage, keys []string) {
	patch := map[string]any{}
	keys = differences(patch, objectOf(from), objectOf(to), "")
	slices.Sort(keys)
	changes, err := json.Marshal(patch)
	if err != nil {
		panic("projections: " + err.Error()) // the values were decoded from JSON, so this cannot fail
	}
	return changes, keys
}

func differences(patch, from, to map[string]any, prefix string) (keys []string) {
	// order-independent: each key is handled on its own, and the caller sorts them
	for key := range from {
		if _, kept := to[key]; !kept {
			patch[key], keys = nil, append(keys, prefix+key)
		}
	}
	// order-independent: each key is handled on its own, and the caller sorts them
	for key, want := range to {
		before, was := from[key].(map[string]any)
		after, is := want.(map[string]any)
		if was && is {
			inner := map[string]any{}
			if found := differences(inner, before, after, prefix+key+"."); len(found) > 0 {
				patch[key], keys = inner, append(keys, found...)
			}
			continue
		}
		if have, given := from[key]; !given || !reflect.DeepEqual(have, want) {
			patch[key], keys = want, append(keys, prefix+key)
		}
	}
	return keys
}

// textTables returns the tables of a document and their keys that must be strings.
func textTables() map[string][]string {
	return map[string][]string{
		"project": {"name", "git_dir", "system_prompt", "main_context"}, "output": {"output_dir"},
		"files": {"base_dir"}, "screenshots": {"base_dir"}, "gemini_cli": {"binary_path"},
	}
}

// CheckProject returns why a project document is invalid, or "". Unknown keys may have any value.
func CheckProject(doc map[string]any) string {
	tables := append(keysOf(textTables()), "agent", "discussion", "mma")
	slices.Sort(tables)
	for _, name := range tables {
		value, given := doc[name]
		table, ok := value.(map[string]any)
		if given && !ok {
			return name + " must be a table"
		}
		for _, key := range textTables()[name] {
			if v, given := table[key]; given {
				if _, ok := v.(string); !ok {
					return name + "." + key + " must be a string"
				}
			}
		}
	}
	if _, _, problem := FilePatterns(doc); problem != "" {
		return problem
	}
	_, problem := textList(tableOf(doc, "screenshots")["paths"], "screenshots.paths")
	return problem
}

func keysOf[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	// order-independent: sorted below
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// textList converts a list of strings of limited length, or returns what is wrong.
func textList(value any, name string) ([]string, string) {
	if value == nil {
		return nil, ""
	}
	list, ok := value.([]any)
	if !ok {
		return nil, name + " must be a list"
	}
	if len(list) > events.MaxPatterns {
		return nil, fmt.Sprintf("%s has over %d entries", name, events.MaxPatterns)
	}
	out := make([]string, len(list))
	for i, v := range list {
		if out[i], ok = v.(string); !ok {
			return nil, fmt.Sprintf("%s[%d] must be a string", name, i)
		}
	}
	return out, ""
}

// ProjectFiles returns the entries of files.paths, which are strings or tables with a path.
func ProjectFiles(doc map[string]any) (files []events.TrackedFile, problem string) {
	value, given := tableOf(doc, "files")["paths"]
	if !given {
		return []events.TrackedFile{}, ""
	}
	list, ok := value.([]any)
	if !ok {
		return nil, "files.paths must be a list"
	}
	if len(list) > events.MaxPatterns {
		return nil, fmt.Sprintf("files.paths has over %d entries", events.MaxPatterns)
	}
	files = make([]events.TrackedFile, len(list))
	for i, v := range list {
		if text, ok := v.(string); ok {
			files[i].Path = text
			continue
		}
		raw, err := json.Marshal(v)
		if err != nil || json.Unmarshal(raw, &files[i]) != nil || files[i].Path == "" {
			return nil, fmt.Sprintf("files.paths[%d] must be a string or a table with a path", i)
		}
	}
	return files, ""
}

// ProjectScreenshots returns the entries of screenshots.paths.
func ProjectScreenshots(doc map[string]any) []string {
	paths, _ := textList(tableOf(doc, "screenshots")["paths"], "screenshots.paths")
	return paths
}

// FilePatterns returns the folder and the patterns of the files that a document tracks. A folder
// outside the project is ignored.
func FilePatterns(doc map[string]any) (base string, patterns []string, problem string) {
	files, problem := ProjectFiles(doc)
	if problem != "" {
		return "", nil, problem
	}
	patterns = make([]string, len(files))
	for i, f := range files {
		patterns[i] = f.Path
	}
	base, _ = tableOf(doc, "files")["base_dir"].(string)
	if base == "." || LeavesProject(base) {
		base = ""
	}
	return base, patterns, ""
}

// ShownFiles returns the files for which a document sets a view, with paths relative to the
// project folder. Patterns cannot have a view. The screenshots of the document come last, as
// images.
func ShownFiles(doc map[string]any) []events.TrackedFile {
	base, _, _ := FilePatterns(doc)
	files, _ := ProjectFiles(doc)
	var out []events.TrackedFile
	for _, f := range files {
		if (f.ForceFull || f.ViewMode != "" || len(f.CustomSlices) > 0) && !strings.ContainsAny(f.Path, "*?[{") {
			f.Path = path.Join(base, f.Path)
			out = append(out, f)
		}
	}
	base, _ = tableOf(doc, "screenshots")["base_dir"].(string)
	if LeavesProject(base) {
		base = ""
	}
	for _, name := range ProjectScreenshots(doc) {
		out = append(out, events.TrackedFile{Path: path.Join(base, name), ViewMode: events.ViewImage})
	}
	return out
}

// IgnoredKeys returns the keys of a document that have no effect, each with the reason: a project
// file can only restrict what the user allows.
func IgnoredKeys(doc map[string]any) []string {
	out := []string{}
	add := func(key, why string) { out = append(out, key+": "+why) }
	if _, given := tableOf(doc, "gemini_cli")["binary_path"]; given {
		add("gemini_cli.binary_path", "a project cannot start programs; set gcli_path or use the user's configuration")
	}
	if len(tableOf(tableOf(doc, "agent"), "tools")) > 0 {
		add("agent.tools", "the user's rules decide which tools run")
	}
	if _, given := tableOf(doc, "discussion")["discussions"]; given {
		add("discussion.discussions", "import discussions with slop history import")
	}
	for _, key := range []string{"mcp", "mcp_servers", "mcpServers", "mcp_config", "mcp_env", "shell", "net", "rules",
		"providers", "hooks"} {
		if _, given := doc[key]; given {
			add(key, "only the user's configuration can set this")
		}
	}
	if text, _ := tableOf(doc, "project")["system_prompt"].(string); len(text) > events.MaxSystemPrompt {
		add("project.system_prompt", fmt.Sprintf("it must have at most %d bytes", events.MaxSystemPrompt))
	}
	for _, place := range [][2]string{{"files", "base_dir"}, {"screenshots", "base_dir"}, {"output", "output_dir"},
		{"project", "git_dir"}} {
		if dir, _ := tableOf(doc, place[0])[place[1]].(string); LeavesProject(dir) {
			add(place[0]+"."+place[1], "it must be inside the project folder")
		}
	}
	return out
}

// LeavesProject reports whether a path may be outside the project folder.
func LeavesProject(dir string) bool {
	slashed := strings.ReplaceAll(dir, `\`, "/")
	clean := path.Clean(slashed)
	drive := len(slashed) > 1 && slashed[1] == ':'
	return strings.HasPrefix(slashed, "/") || drive || clean == ".." || strings.HasPrefix(clean, "../") ||
		strings.ContainsRune(slashed, 0)
}
