package events_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// The examples are those of RFC 8785.
func TestCanonicalFormIsRFC8785(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"section 3.2.2": {
			`{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
			  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`,
			`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
		},
		"section 3.2.3, keys by UTF-16 code units": {
			`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
			`{"\r":"Carriage Return","1":"One","` + "\u0080" +
				`":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","` + "\ufb33" +
				`":"Hebrew Letter Dalet With Dagesh"}`,
		},
		"appendix B": {
			`[0, -0, 5e-324, 1.7976931348623157e308, 9007199254740992, 295147905179352825856, 9.999999999999997e22, 1e21, 1e-7, 333333333.33333325, 1424953923781206.2]`,
			`[0,0,5e-324,1.7976931348623157e+308,9007199254740992,295147905179352830000,9.999999999999997e+22,1e+21,1e-7,333333333.33333325,1424953923781206.2]`,
		},
		"white space and order": {"{ \"b\" : [ ] ,\n\t\"a\" : { } }", `{"a":{},"b":[]}`},
		"a bare value":          {` "x" `, `"x"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := events.Canonical(json.RawMessage(c.in))
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
			again, err := events.Canonical(got)
			require.NoError(t, err)
			require.Equal(t, string(got), string(again), "canonical form is its own canonical form")
		})
	}
}

func TestTextWithoutACanonicalFormIsRefused(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"nothing": "", "cut": `{"a":`, "two values": `{} {}`, "a name twice": `{"a":1,"a":2}`,
		"a name twice, escaped": `{"a":1,"\u0061":2}`,
		"a lone surrogate":      `"\ud800"`, "no UTF-8": "\"\xff\"", "a number out of range": `1e999`, "not a number": `NaN`,
		"nesting over the limit": strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
	} {
		_, err := events.Canonical(json.RawMessage(in))
		require.Error(t, err, name)
		_, err = events.CanonicalDigest(json.RawMessage(in))
		require.Error(t, err, name)
	}
	_, err := events.Canonical(nil)
	require.Error(t, err)
}

func TestDigestDependsOnTheValueAndNotOnItsSpelling(t *testing.T) {
	t.Parallel()
	one, err := events.CanonicalDigest(json.RawMessage(`{"b":1.0,"a":"\u0041"}`))
	require.NoError(t, err)
	two, err := events.CanonicalDigest(json.RawMessage(` {"a":"A","b":1} `))
	require.NoError(t, err)
	require.Equal(t, one, two)
	require.Equal(t, events.Digest([]byte(`{"a":"A","b":1}`)), one)
}

func TestManifestDigestSeesEveryPartAndTheirOrder(t *testing.T) {
	t.Parallel()
	base := []events.Part{{Role: "system", Text: "a"}, {Role: "user", Text: "b"}}
	want, err := events.ManifestDigest(base)
	require.NoError(t, err)
	for _, other := range [][]events.Part{
		nil, base[:1], {base[1], base[0]}, {{Role: "system", Text: "ab"}, {Role: "user"}},
		{base[0], {Role: "user", Text: "b", Failed: true}}, {base[0], {Role: "user", Text: "b", Kind: events.PartRefresh}},
	} {
		got, err := events.ManifestDigest(other)
		require.NoError(t, err)
		require.NotEqual(t, want, got)
	}
}

// plainManifestDigest is the digest by way of JSON text.
func plainManifestDigest(t testing.TB, parts []events.Part) string {
	t.Helper()
	raw, err := json.Marshal(parts)
	require.NoError(t, err)
	digest, err := events.CanonicalDigest(raw)
	require.NoError(t, err)
	return digest
}

func requireManifestDigest(t testing.TB, parts []events.Part) {
	t.Helper()
	got, err := events.ManifestDigest(parts)
	require.NoError(t, err)
	require.Equal(t, plainManifestDigest(t, parts), got, "%+q", parts)
}

func TestManifestDigestIsThatOfItsCanonicalJSON(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for c := range 0x300 {
		all.WriteRune(rune(c))
	}
	full := events.Part{Role: "tool", Text: "t", SHA256: "ab", Size: 7, From: "01J", Index: 3, Prefix: "p", Suffix: "s",
		Call: "c", Failed: true, Kind: "refresh"}
	for _, parts := range [][]events.Part{
		nil, {}, {{}}, {full}, {full, {Role: "user"}, full},
		{{Role: all.String(), Text: all.String(), Prefix: "\u2028\u2029<>&😀", Suffix: "\xff\xc3(\xed\xa0\x80 end\xe2\x82"}},
		{{Size: 1 << 53, Index: -5}}, {{Size: -1}}, {{Size: 1<<53 + 1}}, {{Size: 1<<63 - 1, Index: 1<<62 + 1}},
	} {
		requireManifestDigest(t, parts)
	}
}

func TestManifestDigestCoversEveryFieldOfAPart(t *testing.T) {
	t.Parallel()
	fields := reflect.TypeFor[events.Part]()
	var all events.Part
	for i := range fields.NumField() {
		var one events.Part
		for _, p := range []*events.Part{&one, &all} {
			switch f := reflect.ValueOf(p).Elem().Field(i); f.Kind() {
			case reflect.String:
				f.SetString("x" + fields.Field(i).Name)
			case reflect.Bool:
				f.SetBool(true)
			default:
				f.SetInt(int64(i + 1))
			}
		}
		requireManifestDigest(t, []events.Part{one})
	}
	requireManifestDigest(t, []events.Part{all})
}

func FuzzManifestDigest(f *testing.F) {
	f.Add("user", "a\"\\\b\f\n\r\t\x01\x7f", "é\u2028", "\xff", int64(1<<53), 0, true)
	f.Fuzz(func(t *testing.T, role, text, prefix, from string, size int64, index int, failed bool) {
		requireManifestDigest(t, []events.Part{{Role: role, Text: text, Prefix: prefix, From: from, Size: size, Index: index,
			Failed: failed}, {Role: role}})
	})
}

// requireLikeTransform holds Canonical to what the library makes of a text.
func requireLikeTransform(t testing.TB, raw string) {
	t.Helper()
	want, wrong := jcs.Transform([]byte(raw))
	got, err := events.Canonical(json.RawMessage(raw))
	if wrong != nil {
		require.Error(t, err, "%q", raw)
		return
	}
	require.NoError(t, err, "%q", raw)
	require.Equal(t, string(want), string(got), "%q", raw)
}

func TestCanonicalIsTheSameByEitherWay(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat(`{"b":[`, n) + strings.Repeat(`]}`, n) }
	for _, raw := range []string{
		`{}`, `[]`, ` { "b" : 1 , "a" : [ true , false , null ] } `, `{"a":{"c":1,"b":2},"B":3,"":4,"ab":5,"a!":6,"a\"":7}`,
		`{"a":1,"b":2,"a":3}`, `{"a":1,}`, `{,}`, `[1,]`, `[1 2]`, `{"a" 1}`, `{"a":}`, `{a:1}`, `[`, `{`, `"`, `"a`, `"\`,
		`"\u12`, `"\x"`, `"\/\b\f\n\r\t\\\""`,
		`"\u0000\u001F\u003c\u0022\u005C\u007f\u00e9\u2028"`, `"\ud83d\ude00"`, `"\ud83d"`, "\"a\nb\"",
		"\"\u00e9\u2028\U0001F600\"",
		`0`, `-0`, `-1`, `01`, `-`, `--1`, `+1`, `999999999999999`, `9999999999999999`, `12345678901234567890`, `1.0`, `1e3`,
		`1E3`, `-01`,
		`tru`, `truefalse`, `nulll`, `true false`, `{"a":1}{}`, "\v1", "\ufeff1", deep(150), deep(101), deep(100),
		`{"é":1,"a":2}`, `{"\u0061":1,"b":2}`,
	} {
		requireLikeTransform(t, raw)
	}
	big := `{"` + strings.Repeat("x", 3) + `":1`
	for i := range 40 {
		big += `,"k` + strings.Repeat("z", 40-i) + `":[{"z":1,"y":"` + strings.Repeat("\\n<", 30) + `"}]`
	}
	requireLikeTransform(t, big+"}")
}

func FuzzCanonical(f *testing.F) {
	f.Add(`{"b":[1,-2,{"d":"\u003c\n","c":null}],"a":" x\"\\"}`)
	f.Fuzz(func(t *testing.T, raw string) { requireLikeTransform(t, raw) })
}

// BenchmarkCanonical is a prompt of 200 rounds; the reference is the library.
func BenchmarkCanonical(b *testing.B) {
	type message struct{ Role, Text string }
	var all []message
	for range 400 {
		all = append(all, message{"user", strings.Repeat("if a < b { return \"x\" }\n", 150)})
	}
	raw, err := json.Marshal(map[string]any{"model": "m", "messages": all})
	require.NoError(b, err)
	for name, run := range map[string]func() error{
		"ours":    func() error { _, err := events.Canonical(raw); return err },
		"library": func() error { _, err := jcs.Transform(raw); return err },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				require.NoError(b, run())
			}
		})
	}
}

func BenchmarkManifestDigest(b *testing.B) {
	parts := make([]events.Part, 40)
	for i := range parts {
		parts[i] = events.Part{Role: "user", Text: strings.Repeat("some text\n", 40), From: "01KDZV3M880000000000000000"}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := events.ManifestDigest(parts); err != nil {
			b.Fatal(err)
		}
	}
}
