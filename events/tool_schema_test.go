package events

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSchemaFaultNamesWhatMayNotBeUsed(t *testing.T) {
	t.Parallel()
	doubling := `"d0":{"type":"string"}`
	for i := 1; i < 20; i++ {
		doubling += fmt.Sprintf(`,"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i-1, i-1)
	}
	chain := `"d0":{"type":"string"}`
	for i := 1; i < 40; i++ {
		chain += fmt.Sprintf(`,"d%d":{"not":{"$ref":"#/$defs/d%d"}}`, i, i-1)
	}
	for _, c := range []struct{ name, schema, fault string }{
		{"no reference", `{"type":"object","properties":{"a":{"type":"string"}}}`, ""},
		{"a local reference", `{"properties":{"a":{"$ref":"#/$defs/x~1y"}},"$defs":{"x/y":{"type":"string"}}}`, ""},
		{"one definition used twice", `{"properties":{"a":{"$ref":"#/$defs/x"},"b":{"$ref":"#/$defs/x"}},"$defs":{"x":{}}}`,
			""},
		{"a property named $ref", `{"properties":{"$ref":{"type":"string"}}}`, ""},
		{"a boolean schema", `true`, ""},
		{"itself", `{"$ref":"#"}`, "it refers to itself"},
		{"itself below a property", `{"properties":{"a":{"$ref":"#"}}}`, "it refers to itself"},
		{"a circle of two", `{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, "it refers to itself"},
		{"a remote reference", `{"$ref":"https://example.com/s.json"}`, "a reference does not name a part of the schema " +
			"itself"},
		{"an anchor", `{"$ref":"#a","$defs":{"x":{"$anchor":"a"}}}`, "a reference does not name a part of the schema itself"},
		{"another spelling", `{"$ref":"#/%24defs/x","$defs":{"x":{}}}`, "a reference does not name a part of the schema " +
			"itself"},
		{"an unknown definition", `{"$ref":"#/$defs/y","$defs":{"x":{}}}`,
			"a reference does not name a part of the schema itself"},
		{"a dynamic reference", `{"$dynamicRef":"#x"}`, "it uses $dynamicRef"},
		{"doubling definitions", `{"$defs":{` + doubling + `}}`, schemaTooLarge},
		{"a long chain", `{"$defs":{` + chain + `}}`, schemaTooDeep},
		{"not JSON", `{`, "it is not JSON"},
	} {
		require.Equal(t, c.fault, SchemaFault(json.RawMessage(c.schema)), c.name)
	}
}

func TestSchemaLimits(t *testing.T) {
	t.Parallel()
	nested := func(n int) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"not":`, n-1) + `{}` + strings.Repeat(`}`, n-1))
	}
	require.Empty(t, SchemaFault(nested(MaxSchemaDepth)))
	require.Equal(t, schemaTooDeep, SchemaFault(nested(MaxSchemaDepth+1)))

	enum := func(values int) json.RawMessage { // the object and the array count as well
		return json.RawMessage(`{"enum":[` + strings.TrimSuffix(strings.Repeat("1,", values-2), ",") + `]}`)
	}
	require.Empty(t, SchemaFault(enum(MaxSchemaValues)))
	require.Equal(t, schemaTooLarge, SchemaFault(enum(MaxSchemaValues+1)))

	long := func(n int) json.RawMessage { return json.RawMessage(`"` + strings.Repeat("x", n-2) + `"`) }
	require.Empty(t, SchemaFault(long(MaxSchemaBytes)))
	require.Equal(t, "it has 65537 bytes, at most 65536 are allowed", SchemaFault(long(MaxSchemaBytes+1)))
}
