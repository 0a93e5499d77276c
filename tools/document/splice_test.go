package document

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// samples are one file in every encoding.
func samples(t testing.TB) map[string]Document {
	t.Helper()
	out := map[string]Document{}
	for name, data := range map[string][]byte{
		UTF8:    []byte("a = 'é'\r\nb = '日本'\n\rc"),
		UTF8BOM: []byte("\xEF\xBB\xBFa = 'é'\r\nb\n"),
		Damaged: []byte("a = 'éé\xFF日'\nb\x80\r\n"),
		Latin1:  []byte("a = '\xE9'\r\nb\xFF\n"),
		UTF16LE: append([]byte{0xFF, 0xFE}, encodeUTF16("a = '😀é'\r\nb\n", binary.LittleEndian)...),
		UTF16BE: append([]byte{0xFE, 0xFF}, encodeUTF16("a = '😀é'\r\nb\n", binary.BigEndian)...),
	} {
		doc, ok := Decode(data)
		require.True(t, ok)
		require.Equal(t, name, doc.Encoding)
		out[name] = doc
	}
	for _, c := range pythonCases {
		if doc, err := DecodePython([]byte(c.data)); err == nil {
			out[c.data] = doc
		}
	}
	return out
}

// checkSplice makes one splice and holds its laws: nothing outside of it changes, and the text
// becomes what Apply says.
func checkSplice(t *testing.T, doc Document, s Splice) {
	t.Helper()
	after, err := doc.Splice([]Splice{s})
	var cannot *EncodingError
	if errors.As(err, &cannot) || errors.Is(err, errSplices) {
		return
	}
	require.NoError(t, err)
	at := doc.offsets()
	start, end := at(s.Start), at(s.End)
	encoded, err := doc.encode(s.New)
	require.NoError(t, err)
	require.Equal(t, string(doc.data[:start]), string(after[:start]), "what is in front stays")
	require.Equal(t, string(doc.data[end:]), string(after[start+len(encoded):]), "what is behind stays")
	require.Equal(t, string(encoded), string(after[start:start+len(encoded)]))
	want, err := Apply(doc.Text, []Splice{s})
	require.NoError(t, err)
	if doc.page.page == nil {
		return
	}
	text, bad := doc.page.decode(after)
	require.Equal(t, -1, bad)
	require.Equal(t, want, text)
}

func TestASpliceChangesNothingElse(t *testing.T) {
	t.Parallel()
	for _, doc := range samples(t) {
		for start := range len(doc.Text) + 1 {
			for _, end := range []int{start, start + 1, start + 3, len(doc.Text)} {
				for _, text := range []string{"", "x", "é\r\n", "日", "😀"} {
					checkSplice(t, doc, Splice{start, end, text})
				}
			}
		}
	}
}

func TestAnEncodingRefusesWhatItCannotHold(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"ascii": "é", "latin-1": "€", "cp1252": "日", "koi8-r": "é", "sjis": "é",
		"gbk": "😀", "big5": "😀", "euc-kr": "😀", "cp1255": "ֺ"} {
		doc, err := DecodePython([]byte("# coding: " + name + "\n"))
		require.NoError(t, err)
		_, err = doc.Splice([]Splice{{0, 0, text}})
		var cannot *EncodingError
		require.ErrorAs(t, err, &cannot, name)
		require.Equal(t, doc.Encoding, cannot.Encoding)
	}
}

func TestSplicesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	got, err := Apply("abc", []Splice{{2, 3, "C"}, {1, 1, "1"}, {1, 1, "2"}, {1, 2, "B"}})
	require.NoError(t, err)
	require.Equal(t, "a12BC", got)
	for _, bad := range [][]Splice{{{0, 2, ""}, {1, 3, ""}}, {{2, 1, ""}}, {{0, 4, ""}}, {{-1, 0, ""}}} {
		_, err := Apply("abc", bad)
		require.ErrorIs(t, err, errSplices)
	}
}

func TestACharacterIsNotCut(t *testing.T) {
	t.Parallel()
	doc, err := DecodePython([]byte("# coding: sjis\n\x83\x5C"))
	require.NoError(t, err)
	_, err = doc.Splice([]Splice{{len(doc.Text) - 1, len(doc.Text), ""}})
	require.ErrorIs(t, err, errSplices)
}

func FuzzSplice(f *testing.F) {
	for _, doc := range samples(f) {
		f.Add(doc.data, 3, 7, "é日x")
	}
	f.Fuzz(func(t *testing.T, data []byte, start, end int, text string) {
		if !utf8.ValidString(text) {
			return
		}
		if doc, ok := Decode(data); ok {
			unchanged, err := doc.Splice(nil)
			require.NoError(t, err)
			require.True(t, bytes.Equal(data, unchanged))
			checkSplice(t, doc, Splice{start, end, text})
		}
		if doc, err := DecodePython(data); err == nil {
			checkSplice(t, doc, Splice{start, end, text})
		}
	})
}

func FuzzBetween(f *testing.F) {
	f.Add("aébc", "aèbc")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, before, after string) {
		s := Between(before, after)
		got, err := Apply(before, []Splice{s})
		require.NoError(t, err)
		require.Equal(t, after, got)
		if utf8.ValidString(before) && utf8.ValidString(after) {
			require.True(t, border(before, s.Start) && border(before, s.End) && utf8.ValidString(s.New))
		}
	})
}

func TestLinesFromIsAPartOfLines(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "a", "a\n", "a\nb\n\nc", "a\r\nb\rc\n", "\n\n", "\r"} {
		all := Lines(text)
		for first := 1; first < 8; first++ {
			for most := range 8 {
				lines, total := LinesFrom(text, first, most)
				require.Equal(t, len(all), total, "%q", text)
				from := min(first-1, len(all))
				require.Equal(t, append([]Line{}, all[from:min(from+most, len(all))]...), append([]Line{}, lines...),
					"%q from %d, %d", text, first, most)
			}
		}
	}
}
