package events_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"manualslop/events"
)

const schemaFolder = "../docs/schemas"

func schemaFile(t events.Type) string {
	return filepath.Join(schemaFolder, fmt.Sprintf("%s.v%d.json", t.Name, t.Version))
}

// schemaOf derives the JSON Schema of a type from its Go struct.
func schemaOf(t *testing.T, d events.Def) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.ForType(reflect.TypeOf(d.Sample),
		&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
			reflect.TypeFor[json.RawMessage](): {},
			reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
		}})
	require.NoError(t, err)
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.ID = events.SchemaURN(d.Type.Name, d.Type.Version)
	s.Title, s.Description = d.Type.Name, d.Doc
	return s
}

const changedShape = `%s changed its shape. Bump its version, write a lift, and run make generate.
(A version that no release has written yet can change: delete %s.)`

func TestSchemaOfATypeChangesOnlyWithItsVersion(t *testing.T) {
	t.Parallel()
	eachType(t, func(t *testing.T, _ *events.Registry, d events.Def) {
		t.Helper()
		derived := indented(t, schemaOf(t, d))
		frozen := requireFrozen(t, schemaFile(d.Type), derived)
		require.Empty(t, udiff.Unified("frozen", "now", string(frozen), string(derived)), changedShape, d.Type.Name,
			schemaFile(d.Type))
	})
}

func TestSampleAndFrozenBodySatisfyTheSchema(t *testing.T) {
	t.Parallel()
	eachType(t, func(t *testing.T, _ *events.Registry, d events.Def) {
		t.Helper()
		schema, err := schemaOf(t, d).Resolve(nil)
		require.NoError(t, err)
		frozen := requireFrozen(t, bodyFile(d.Type.Name, d.Type.Version), indented(t, d.Sample))
		for _, body := range [][]byte{indented(t, d.Sample), frozen} {
			var value any
			require.NoError(t, json.Unmarshal(body, &value))
			require.NoError(t, schema.Validate(value))
		}
	})
}

func TestEveryVersionEverWrittenHasItsSchema(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, d := range events.Catalogue().Defs() {
		for v := 1; v <= d.Type.Version; v++ {
			known[filepath.Base(schemaFile(events.Type{Name: d.Type.Name, Version: v}))] = true
		}
	}
	files, err := os.ReadDir(schemaFolder)
	require.NoError(t, err)
	for _, f := range files {
		require.True(t, known[f.Name()], "docs/schemas/%s belongs to no type", f.Name())
		delete(known, f.Name())
	}
	if !*update {
		require.Empty(t, known, "types without a schema")
	}
}
