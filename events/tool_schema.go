package events

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Limits of the JSON Schema of an offered tool. Schemas of external tools are untrusted, and a
// validator follows references without a limit of its own.
const (
	// MaxSchemaBytes limits the text of a schema.
	MaxSchemaBytes = 64 << 10
	// MaxSchemaDepth limits the nesting of arrays and objects, including references.
	MaxSchemaDepth = 64
	// MaxSchemaValues limits the values in a schema. A value counts once for each
	// reference that reaches it.
	MaxSchemaValues = 10_000
)

// SchemaFault returns why the schema of a tool must not be used, or "" if it may. A reference must
// be a JSON pointer into the same schema ("#/$defs/x") and must not form a cycle.
func SchemaFault(schema json.RawMessage) string {
	if len(schema) > MaxSchemaBytes {
		return fmt.Sprintf("it has %d bytes, at most %d are allowed", len(schema), MaxSchemaBytes)
	}
	if Nesting(schema) > MaxSchemaDepth {
		return schemaTooDeep
	}
	w := schemaWalk{done: map[string]extent{}, under: map[string]bool{}}
	if json.Unmarshal(schema, &w.root) != nil {
		return "it is not JSON"
	}
	_, fault := w.visit("#", w.root)
	return fault
}

var (
	schemaTooDeep  = fmt.Sprintf("it is nested deeper than %d levels", MaxSchemaDepth)
	schemaTooLarge = fmt.Sprintf("it has more than %d values", MaxSchemaValues)
)

// schemaWalk measures a schema. Values are identified by their JSON pointers.
type schemaWalk struct {
	root  any
	done  map[string]extent // finished values
	under map[string]bool   // values on the path to the current one
}

// extent is the size of a value, including references.
type extent struct{ values, depth int }

// visit measures the value at a pointer.
func (w *schemaWalk) visit(at string, value any) (extent, string) {
	if w.under[at] {
		return extent{}, "it refers to itself"
	}
	if size, done := w.done[at]; done {
		return size, ""
	}
	w.under[at] = true
	defer delete(w.under, at)
	size := extent{values: 1}
	add := func(key string, child any) string {
		below := at + "/" + escapePointer.Replace(key)
		if ref, isText := child.(string); isText && schemaReferences[key] {
			var found bool
			if below = ref; key != "$ref" {
				return "it uses " + key
			}
			if child, found = w.target(ref); !found {
				return "a reference does not name a part of the schema itself"
			}
		}
		part, fault := w.visit(below, child)
		size.values, size.depth = size.values+part.values, max(size.depth, part.depth)
		if fault == "" && size.values > MaxSchemaValues {
			fault = schemaTooLarge
		}
		return fault
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if fault := add(key, v[key]); fault != "" {
				return extent{}, fault
			}
		}
	case []any:
		for i, item := range v {
			if fault := add(strconv.Itoa(i), item); fault != "" {
				return extent{}, fault
			}
		}
	default:
		return size, ""
	}
	if size.depth++; size.depth > MaxSchemaDepth {
		return extent{}, schemaTooDeep
	}
	w.done[at] = size
	return size, ""
}

// schemaReferences are the keywords of references; only $ref is allowed.
var schemaReferences = map[string]bool{"$ref": true, "$dynamicRef": true, "$recursiveRef": true}

var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
)

// target returns the value that a reference points to. Percent escapes are not accepted, so that
// each pointer has one spelling.
func (w *schemaWalk) target(ref string) (any, bool) {
	path, local := strings.CutPrefix(ref, "#")
	if !local || strings.Contains(path, "%") {
		return nil, false
	}
	value := w.root
	for i, key := range strings.Split(path, "/") {
		if i == 0 {
			if key != "" {
				return nil, false
			}
			continue
		}
		parent, isObject := value.(map[string]any)
		if !isObject {
			return nil, false
		}
		if value, isObject = parent[unescapePointer.Replace(key)]; !isObject {
			return nil, false
		}
	}
	return value, true
}
