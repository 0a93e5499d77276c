package events_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// quickShape has a member of every kind that bodies have.
type quickShape struct {
	Text   string            `json:"text,omitempty"`
	Named  events.Class      `json:"named"`
	On     bool              `json:"on"`
	Small  int8              `json:"small"`
	N      uint64            `json:"n"`
	Ratio  float64           `json:"ratio"`
	Cost   *int64            `json:"cost"`
	At     time.Time         `json:"at"`
	Due    *time.Time        `json:"due"`
	Raw    json.RawMessage   `json:"raw"`
	Bytes  []byte            `json:"bytes"`
	List   []string          `json:"list"`
	Parts  []events.Part     `json:"parts"`
	ByName map[string]int    `json:"by_name"`
	Deep   map[string][]bool `json:"deep"`
	Any    any               `json:"any"`
	Left   string            `json:"-"`
	Bare   string
	Self   *quickShape `json:"self"`
	Pair   [2]int      `json:"pair"`
	quickBase
}

// quickBase has members that stand among those of quickShape.
type quickBase struct {
	Inner string `json:"inner"`
	Hidden
}

// Hidden is embedded twice over.
type Hidden struct {
	Level int `json:"level"`
}

// requireLikeUnmarshal holds Unmarshal to what encoding/json reads.
func requireLikeUnmarshal(t testing.TB, into any, raw string) (quick bool) {
	t.Helper()
	typ := reflect.TypeOf(into)
	want, got, fast := reflect.New(typ), reflect.New(typ), reflect.New(typ)
	wrong := json.Unmarshal([]byte(raw), want.Interface())
	err := events.Unmarshal([]byte(raw), got.Interface())
	require.Equal(t, wrong, err, "%q", raw)
	require.Equal(t, want.Interface(), got.Interface(), "%q", raw)
	if quick = events.Quick([]byte(raw), fast.Interface()); quick {
		require.NoError(t, wrong, "%q", raw)
		require.Equal(t, want.Interface(), fast.Interface(), "%q", raw)
	} else {
		require.True(t, fast.Elem().IsZero(), "%q", raw)
	}
	return quick
}

func TestUnmarshalReadsWhatEncodingJSONReads(t *testing.T) {
	t.Parallel()
	quick := []string{
		`{}`, ` { "text" : "a" , "on" : true } `, `{"text":"\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00\ud83d\ud83dx\udc00"}`,
		`{"text":"é世😀\u007f"}`, `{"named":3,"small":-128,"n":18446744073709551615}`,
		`{"ratio":-1.5e+3,"cost":null,"due":null,"raw":null,"list":null,"by_name":null,"deep":null,"any":null}`,
		`{"cost":0,"ratio":-0}`,
		`{"at":"2026-01-02T03:04:05.6Z","due":"2026-01-02T03:04:05+01:00"}`,
		`{"raw": { "b" : [1, 2.50 , "x\u003c"] , "a":{}} ,"bytes":"AQI="}`,
		`{"list":[],"parts":[{"role":"user","head":3},{"role":"a","failed":true}],"by_name":{"b":1,"a":2,"b":3},"deep":{"x":[true,false],"y":null}}`,
		`{"inner":"a","level":3}`, `{"any":{"a":[1,"x",null]},"Bare":"x","self":{"self":{"text":"deep"}},"pair":[1,2,3]}`,
		`{"text":"` + strings.Repeat("x", 1000) + `\n"}`,
	}
	for _, raw := range quick {
		require.True(t, requireLikeUnmarshal(t, quickShape{}, raw), "%q", raw)
	}
	for _, raw := range []string{
		``, ` `, `null`, `[]`, `1`, `{`, `{"text"`, `{"text":`, `{"text":"a"`, `{"text":"a",}`, `{,}`, `{}{}`,
		`{"text":"a" "on":true}`, `{"text":"a\x"}`, `{"text":"\u12"}`, `{"text":"\ud83d\u"}`, "{\"text\":\"a\nb\"}",
		"{\"text\":\"\xff\"}", `{"TEXT":"a"}`, `{"text":"a","text":"b"}`, `{"unknown":1}`, `{"text":1}`, `{"text":null}`,
		`{"on":1}`, `{"on":null}`, `{"small":128}`, `{"n":-1}`, `{"n":1.5}`, `{"n":01}`, `{"n":+1}`, `{"n":1e2}`,
		`{"ratio":1e999}`, `{"ratio":.5}`, `{"ratio":1.}`, `{"at":"yesterday"}`, `{"raw":tru}`, `{"raw":[1,]}`,
		`{"list":["a" "b"]}`, `{"list":{}}`, `{"by_name":[]}`, `{"by_name":{"a":"x"}}`, `{"bytes":"*"}`, `{"-":"x"}`,
		`{"\u0074ext":"a"}`, "\ufeff{}",
		`{"raw":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`,
	} {
		require.False(t, requireLikeUnmarshal(t, quickShape{}, raw), "%q", raw)
	}
}

// TestQuickReadsIntoWhatIsThere as encoding/json does: what the text does not name
// stays, null empties, and maps and pointers are kept and filled.
func TestQuickReadsIntoWhatIsThere(t *testing.T) {
	t.Parallel()
	there := func() *quickShape {
		cost := int64(7)
		return &quickShape{
			Text: "before", On: true, Cost: &cost, List: []string{"a", "b", "c"}, ByName: map[string]int{"before": 1},
			Deep: map[string][]bool{},
			Self: &quickShape{Bare: "stays"}, quickBase: quickBase{Inner: "before"},
		}
	}
	for _, raw := range []string{
		`{}`, `{"on":false,"list":["x"],"by_name":{"now":2},"self":{"text":"x"},"inner":"now"}`,
		`{"cost":null,"list":null,"by_name":null,"deep":null,"self":null}`,
		`{"cost":8,"list":[],"by_name":{},"deep":{"x":[]}}`,
	} {
		want, got := there(), there()
		require.NoError(t, json.Unmarshal([]byte(raw), want))
		require.True(t, events.Quick([]byte(raw), got), raw)
		require.Equal(t, want, got, raw)
	}
	got := there()
	require.False(t, events.Quick([]byte(`{"text":"now","on":1}`), got))
	require.Zero(t, *got)
}

func TestEveryBodyOfTheCatalogueIsReadQuickly(t *testing.T) {
	t.Parallel()
	for _, d := range events.Catalogue().Defs() {
		raw, err := json.Marshal(d.Sample)
		require.NoError(t, err)
		require.True(t, requireLikeUnmarshal(t, reflect.ValueOf(d.Sample).Interface(), string(raw)), d.Type.Name)
	}
}

func FuzzUnmarshal(f *testing.F) {
	f.Add(`{"text":"\ud83d\ude00\n","raw":{"a":[1]},"parts":[{"role":"x"}],"by_name":{"a":1},"at":"2026-01-02T03:04:05Z"}`)
	f.Add(`{"cost":1,"list":["a"],"self":{"deep":{"a":[true]}}}`)
	f.Fuzz(func(t *testing.T, raw string) { requireLikeUnmarshal(t, quickShape{}, raw) })
}
