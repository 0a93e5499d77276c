package config

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// maxMistakes limits the mistakes that are reported for one file.
const maxMistakes = 20

// decodeDocument parses a file and decodes it into target, a pointer to the type that schema
// describes. It reports every wrong key and type, in the order of lines.
func decodeDocument(file string, text []byte, schema *schemaKey, target any) (*document, error) {
	doc, err := parseDocument(file, text)
	if err != nil {
		return nil, err
	}
	if err := doc.check(schema); err != nil {
		return nil, err
	}
	decoder := toml.NewDecoder(bytes.NewReader(doc.text)).DisallowUnknownFields().EnableUnmarshalerInterface()
	if err := decoder.Decode(target); err != nil {
		return nil, decodeError(file, err)
	}
	return doc, nil
}

// check finds the keys that are not in schema or hold the wrong type.
func (doc *document) check(schema *schemaKey) error {
	var found []*Error
	for _, entry := range doc.entries {
		if wrong := checkEntry(schema, entry); wrong != nil {
			wrong.File, wrong.Line = doc.file, entry.line
			found = append(found, wrong)
		}
		if len(found) == maxMistakes {
			break
		}
	}
	return joinErrors(firstPerKey(found))
}

// checkEntry follows the path of an entry through the schema. The caller fills in File and Line of the result.
func checkEntry(schema *schemaKey, entry entry) *Error {
	key := schema
	for i := 0; i < len(entry.path); i++ {
		part := entry.path[i]
		next, wrong := stepInto(key, part, entry.path[:i])
		switch {
		case wrong == nil && next == nil: // an element of a list, or a free name
			if i == len(entry.path)-1 {
				return checkElement(key, entry)
			}
			next = &schemaKey{path: key.path, shape: shapeTable, children: key.children}
		case wrong != nil && wrong.Hint == "":
			wrong.Hint = keyHint(schema, key, part)
		}
		if wrong != nil {
			return wrong
		}
		key = next
	}
	return checkShape(key, entry)
}

// stepInto descends by one part of the path. It returns no key and no error if the part numbers an element or is a
// valid free name.
func stepInto(key *schemaKey, part string, above []string) (*schemaKey, *Error) {
	path := strings.Join(append(append([]string{}, above...), part), ".")
	switch key.shape {
	case shapeTables:
		return nil, nil
	case shapeNamed, shapeNamedText:
		if key.free(part) || key.shape == shapeNamedText && key.names == "" {
			return nil, nil
		}
		hint := "valid names are " + strings.ReplaceAll(key.names, "|", ", ")
		switch key.names {
		case "NAME", "PROVIDER":
			hint = "a name has 1 to 64 letters, digits, dashes and underscores"
		case "MODEL":
			hint = `a model is written PROVIDER/MODEL in quotes: [models."anthropic/claude-opus-5*"]`
		}
		return nil, &Error{Kind: ConfigUnknownKey, Key: path, Problem: "is unknown", Hint: hint}
	case shapeTable:
		if child := key.child(part); child != nil {
			return child, nil
		}
		return nil, &Error{Kind: ConfigUnknownKey, Key: path, Problem: "is unknown"}
	}
	holder := strings.Join(above, ".")
	return nil, &Error{Kind: ConfigWrongType, Key: holder, Problem: "must be " + key.shape.words() + ", not a table",
		Hint: "see docs/config.md"}
}

// checkElement checks an entry that is itself an element: a header or value with a free name,
// or a numbered table.
func checkElement(key *schemaKey, entry entry) *Error {
	shape := shapeTable
	if key.shape == shapeNamedText {
		shape = shapeText
	}
	return checkShape(&schemaKey{shape: shape}, entry)
}

// checkShape compares the kind of a value with the key's type.
func checkShape(key *schemaKey, entry entry) *Error {
	if kindFits(key.shape, entry) {
		return nil
	}
	return &Error{
		Kind: ConfigWrongType, Key: entry.key(),
		Problem: "must be " + key.shape.words() + ", not " + kindWords(entry),
	}
}

func kindFits(shape shape, entry entry) bool {
	switch shape {
	case shapeText:
		return entry.kind == unstable.String
	case shapeFlag:
		return entry.kind == unstable.Bool
	case shapeWhole:
		return entry.kind == unstable.Integer
	case shapeNumber:
		return entry.kind == unstable.Integer || entry.kind == unstable.Float
	case shapeTexts:
		return entry.kind == unstable.Array && onlyKind(entry.inside, unstable.String)
	case shapeScope:
		list := entry.kind == unstable.Array && len(entry.inside) > 0 && onlyKind(entry.inside, unstable.String)
		return list || entry.kind == unstable.Bool && entry.text == "true"
	case shapeTables:
		return entry.kind == unstable.ArrayTable || entry.kind == unstable.Array &&
			onlyKind(entry.inside, unstable.InlineTable)
	default:
		return entry.kind == unstable.Table || entry.kind == unstable.InlineTable
	}
}

func onlyKind(kinds []unstable.Kind, want unstable.Kind) bool {
	return !slices.ContainsFunc(kinds, func(kind unstable.Kind) bool { return kind != want })
}

func kindWords(entry entry) string {
	switch entry.kind {
	case unstable.String:
		return "a string"
	case unstable.Bool:
		return entry.text
	case unstable.Integer:
		return "a whole number"
	case unstable.Float:
		return "a fraction"
	case unstable.Array:
		if len(entry.inside) == 0 {
			return "an empty list"
		}
		return "such a list"
	case unstable.ArrayTable:
		return "a list of tables"
	case unstable.Table, unstable.InlineTable:
		return "a table"
	}
	return "a date or time"
}

// firstPerKey drops mistakes that follow from an earlier mistake at the same key or above it, and sorts by line.
func firstPerKey(found []*Error) []*Error {
	slices.SortStableFunc(found, func(a, b *Error) int { return cmp.Compare(a.Line, b.Line) })
	var kept []*Error
	for _, e := range found {
		if !slices.ContainsFunc(kept, func(k *Error) bool {
			return k.Key == e.Key || strings.HasPrefix(e.Key, k.Key+".")
		}) {
			kept = append(kept, e)
		}
	}
	return kept
}
