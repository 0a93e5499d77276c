package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"manualslop/hookgw/core"
	"manualslop/projections"
)

// tomlToJSON converts a TOML document. Times become strings.
func tomlToJSON(text []byte) (json.RawMessage, error) {
	document := map[string]any{}
	if err := decodeTOML(text, &document); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(document)
	if err != nil {
		return nil, errors.New("it contains a number that is not finite")
	}
	return raw, nil
}

// maxTOMLKeys limits the keys and headers of a document. The decoder compares each key of a table with all others, so
// that a file of a few megabytes would take it hours.
const maxTOMLKeys = 10_000

// decodeTOML decodes a document.
func decodeTOML(text []byte, target any) error {
	var parser unstable.Parser
	parser.Reset(text)
	for keys := 0; parser.NextExpression(); {
		if keys += keysIn(parser.Expression()); keys > maxTOMLKeys {
			return fmt.Errorf("it has more than %d keys", maxTOMLKeys)
		}
	}
	if err := toml.Unmarshal(text, target); err != nil {
		return tomlError(err)
	}
	return nil
}

// keysIn returns the number of keys in an expression, with those of inline tables.
func keysIn(node *unstable.Node) int {
	n := 0
	if node.Kind == unstable.Key {
		n = 1
	}
	for it := node.Children(); it.Next(); {
		n += keysIn(it.Node())
	}
	return n
}

// tomlError returns the position at which a text is not valid TOML or does not fit.
func tomlError(err error) error {
	var broken *toml.DecodeError
	if errors.As(err, &broken) {
		line, column := broken.Position()
		what := strings.TrimPrefix(broken.Error(), "toml: ")
		// the rest names Go types
		if kind, _, typed := strings.Cut(strings.TrimPrefix(what, "cannot decode TOML "), " into "); typed {
			what = strings.Join(broken.Key(), ".") + " does not accept " + kind
		}
		return fmt.Errorf("line %d, column %d: %s", line, column, what)
	}
	return err
}

// jsonToTOML writes a JSON object as TOML. Integers stay integers.
func jsonToTOML(document json.RawMessage) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(document))
	dec.UseNumber()
	var value map[string]any
	if err := dec.Decode(&value); err != nil {
		return nil, fmt.Errorf("it must be a JSON object: %w", err)
	}
	plain, err := tomlValue(value, "")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := toml.NewEncoder(&out)
	enc.SetIndentTables(false)
	if err := enc.Encode(plain); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// tomlValue converts a decoded JSON value to a TOML value.
func tomlValue(value any, at string) (any, error) {
	switch v := value.(type) {
	case nil:
		return nil, fmt.Errorf("%s must not be null: TOML has no null", at)
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole, nil
		}
		number, err := v.Float64()
		if err != nil || !strings.ContainsAny(v.String(), ".eE") {
			return nil, fmt.Errorf("%s is a number that TOML cannot represent", at)
		}
		return number, nil
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			var err error
			if out[i], err = tomlValue(element, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, element := range v {
			var err error
			if out[key], err = tomlValue(element, strings.TrimPrefix(at+"."+key, ".")); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return value, nil
}

// ReadHistory reads a history.toml of Manual Slop: the discussion table at the top level or under "discussion".
func (f *projectFiles) ReadHistory(text string) (projections.History, error) {
	h, err := ParseHistory([]byte(text))
	if err != nil {
		return h, &core.FileProblem{Kind: core.FileBroken, Message: "the history cannot be read: " + err.Error(),
			Hint: "Correct it and import again; nothing was imported."}
	}
	return h, nil
}

// ParseHistory parses the discussion table of a history.toml. Unknown keys are ignored, and listed.
func ParseHistory(text []byte) (projections.History, error) {
	var h projections.History
	whole := map[string]any{}
	err := decodeTOML(text, &whole)
	if err != nil {
		return h, err
	}
	if nested, is := whole["discussion"]; is {
		var project struct {
			Discussion projections.History `toml:"discussion"`
		}
		err = toml.Unmarshal(text, &project)
		h = project.Discussion
		h.Ignored = append(unknownKeys("", whole, "discussion"), unknownInHistory("discussion.", nested)...)
	} else {
		err = toml.Unmarshal(text, &h)
		h.Ignored = unknownInHistory("", whole)
	}
	if err != nil {
		return h, tomlError(err)
	}
	if wrong := h.Check(); wrong != "" {
		return h, errors.New(wrong)
	}
	return h, nil
}

// unknownInHistory returns the unknown keys of a history. The decoder could name them too, but copies their line for
// each, and a line may have megabytes.
func unknownInHistory(at string, history any) []string {
	table, _ := history.(map[string]any)
	out := unknownKeys(at, table, "roles", "active", "discussions")
	discussions, _ := table["discussions"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(discussions)) {
		out = append(out, unknownKeys(at+"discussions."+name+".", discussions[name],
			"git_commit", "last_updated", "history")...)
	}
	return out
}

// unknownKeys returns the keys of a table that are not known, sorted, behind a prefix. The decoder ignores case.
func unknownKeys(at string, table any, known ...string) []string {
	var out []string
	keys, _ := table.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if !slices.Contains(known, strings.ToLower(key)) {
			out = append(out, at+key)
		}
	}
	return out
}

// WriteHistory writes a history.toml of Manual Slop.
func (f *projectFiles) WriteHistory(h projections.History) (string, error) {
	text, err := FormatHistory(h)
	return string(text), err
}

func FormatHistory(h projections.History) ([]byte, error) {
	text, err := toml.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("write a history: %w", err)
	}
	return text, nil
}
