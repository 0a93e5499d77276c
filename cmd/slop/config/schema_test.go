package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func testSchema() *schemaKey { return schema(reflect.TypeFor[Config]()) }

func TestEveryKeyHasItsMeaningItsPolicyAndItsBounds(t *testing.T) {
	t.Parallel()
	for _, key := range testSchema().leaves() {
		require.NotEmpty(t, key.doc, key.path)
		require.Equal(t, strings.ToLower(key.name), key.name)
		known := key.project == projectNever || key.project.words() != ""
		require.True(t, known, "%s has no policy for projects", key.path)
		switch key.shape {
		case shapeWhole, shapeNumber:
			require.True(t, key.bounded, "%s has no bounds", key.path)
		case shapeTexts, shapeScope, shapeNamedText:
			require.Positive(t, key.items, "%s has no greatest length", key.path)
		}
	}
}

func TestUnknownPolicyRefuses(t *testing.T) {
	t.Parallel()
	number := reflect.ValueOf(1)
	require.NotEmpty(t, widens(&schemaKey{}, Config{}, number, number))
	require.NotEmpty(t, widens(&schemaKey{project: "surprise"}, Config{}, number, number))
}

func TestDefaultsAreValid(t *testing.T) {
	t.Parallel()
	require.NoError(t, Default().Validate())
	require.Empty(t, Default().Tier(0))
	require.Empty(t, Default().Tier(5))
	require.Equal(t, 40, Default().Tier(4).MaxRounds)
}

// TestEveryBoundHoldsExactly sets each number, list and text to its limit and one beyond.
func TestEveryBoundHoldsExactly(t *testing.T) {
	t.Parallel()
	for _, key := range testSchema().leaves() {
		path := strings.NewReplacer(".NAME.args", ".acp.args", ".NAME.tools", ".gemini_cli.tools",
			".N.", ".1.", ".MODEL.", ".local/m.", ".NAME.",
			".local.").Replace(key.path)
		if strings.HasPrefix(path, "rules.") {
			continue
		}
		switch key.shape {
		case shapeWhole, shapeNumber:
			step := 1.0
			if key.shape == shapeNumber {
				step = 0.001
			}
			requireBound(t, path, key.min, key.min-step)
			requireBound(t, path, key.max, key.max+step)
		case shapeTexts:
			requireBound(t, path, texts(key.items), texts(key.items+1))
			requireBound(t, path, []string{strings.Repeat("x", 63)}, []string{""})
			if key.name != "allow_hosts" {
				requireBound(t, path, []string{strings.Repeat("x", maxText)}, []string{strings.Repeat("x", maxText+1)})
			}
		case shapeText:
			require.Error(t, withValue(path, strings.Repeat("x", maxText+1)).Validate(), path)
			require.Error(t, withValue(path, "a\x00b").Validate(), path)
			for _, word := range key.enum {
				c := withValue(path, word)
				if local, kind := c.Providers["local"]; kind && local.Kind != "" {
					local.BaseURL = "http://127.0.0.1:1/v1" // a kind needs one
					c.Providers["local"] = local
				}
				require.NoError(t, c.Validate(), path)
			}
			if len(key.enum) > 0 {
				require.Error(t, withValue(path, "no such word").Validate(), path)
				require.Equal(t, key.zeroNone, withValue(path, "").Validate() == nil, path)
			}
		}
	}
}

func TestCountsOfNamedTablesAndRulesAreBounded(t *testing.T) {
	t.Parallel()
	c := Default()
	for i := range 64 {
		c.Providers[fmt.Sprintf("p%d", i)] = Provider{}
	}
	require.NoError(t, c.Validate())
	c.Providers["one-more"] = Provider{}
	require.Error(t, c.Validate())

	c = Default()
	for range 1000 {
		c.Rules = append(c.Rules, Rule{Tool: "x", Deny: RuleScope{All: true}})
	}
	require.NoError(t, c.Validate())
	c.Rules = append(c.Rules, c.Rules[0])
	require.Error(t, c.Validate())

	c = Default()
	headers := map[string]string{}
	for i := range 32 {
		headers[fmt.Sprintf("X-%d", i)] = "v"
	}
	c.Providers["p"] = Provider{Headers: headers}
	require.NoError(t, c.Validate())
	headers["X-more"] = "v"
	require.Error(t, c.Validate())

	c = Default()
	c.Rules = []Rule{{Tool: "x", Deny: RuleScope{Globs: texts(1000)}}}
	require.NoError(t, c.Validate())
	c.Rules[0].Deny.Globs = texts(1001)
	require.Error(t, c.Validate())
}

// requireBound checks that the first value passes and that the second is refused by name.
func requireBound(t *testing.T, path string, good, bad any) {
	t.Helper()
	require.NoError(t, withValue(path, good).Validate(), path)
	var wrong *Error
	require.ErrorAs(t, withValue(path, bad).Validate(), &wrong, "%s = %.40v", path, bad)
	require.Equal(t, path, wrong.Key)
	require.Equal(t, ConfigInvalid, wrong.Kind)
}

// withValue is the default configuration with one other value; numbers are converted.
func withValue(path string, value any) Config {
	c := Default()
	from := Default()
	for _, name := range []string{"local", "gemini_cli", "acp"} {
		c.Providers[name], from.Providers[name] = Provider{}, Provider{}
	}
	from.Models = map[string]Model{"local/m": {}}
	parts := strings.Split(path, ".")
	layer := reflect.New(reflect.TypeFor[Config]()).Elem()
	layer.Set(reflect.ValueOf(from))
	assign(layer, parts, reflect.ValueOf(value))
	setKey(reflect.ValueOf(&c).Elem(), layer, parts)
	return c
}

// assign writes a value at a path, converting numbers.
func assign(to reflect.Value, path []string, value reflect.Value) {
	switch {
	case len(path) > 0 && to.Kind() == reflect.Struct:
		assign(to.Field(fieldNamed(to.Type(), path[0])), path[1:], value)
	case len(path) > 0:
		element := reflect.New(to.Type().Elem()).Elem()
		element.Set(to.MapIndex(reflect.ValueOf(path[0])))
		assign(element, path[1:], value)
		to.SetMapIndex(reflect.ValueOf(path[0]), element)
	case to.Kind() == reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		to.Elem().Set(value.Convert(to.Type().Elem()))
	default:
		to.Set(value.Convert(to.Type()))
	}
}

// texts are n different short entries.
func texts(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("x%d", i)
	}
	return list
}
