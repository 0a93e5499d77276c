package web_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"manualslop/tools/web"
)

func saved(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return string(text)
}

func TestThePageIsCutDownToItsMainPartAsMarkdown(t *testing.T) {
	t.Parallel()
	s := serve(t, page("text/html; charset=utf-8", saved(t, "article.html")))
	got := fetch(t, open(t, s), s.url+"/x/y")
	require.Equal(t, "Keeping bees in a small garden", got.Title)
	require.True(t, got.Main)
	for _, want := range []string{
		"[how hives are built](" + s.url + "/garden/hives.html)", "[how colonies are cared for](https://bees.example/care)",
		"## Tools",
		"- a smoker\n", "**always**", "```\nweight = frames * 2.1\n  print(weight)\n```",
		"| Month | Work |\n|---|---|\n| April | first look at the frames and their brood |",
		"![a bee on clover](" + s.url + "/garden/bee.jpg)",
	} {
		require.Contains(t, got.Text, want)
	}
	for _, never := range []string{"tracking", "color", "IGNORE", "hidden words", "unseen", "comment", "javascript",
		"pixel", "About us", "Copyright"} {
		require.NotContains(t, got.Text, never)
	}
	require.Equal(t, []web.Link{
		{Text: "Home", URL: s.url + "/"}, {Text: "About us", URL: s.url + "/about"}, {Text: "Shop", URL: s.url + "/shop"},
		{Text: "how hives are built", URL: s.url + "/garden/hives.html"}, {Text: "how colonies are cared for",
			URL: "https://bees.example/care"},
	}, got.Links)
	plain, err := open(t, s).Fetch(t.Context(), s.url, web.FormatText)
	require.NoError(t, err)
	require.Contains(t, plain.Text, "a veil, always")
	require.NotContains(t, plain.Text, "**")
}

func TestAPageWithoutAMainPartIsShownWhole(t *testing.T) {
	t.Parallel()
	s := serve(t, page("text/html", "<title>t</title><ul><li><a href=/a>one</a><li><a href=/b>two</a></ul><p>three"))
	got := fetch(t, open(t, s), s.url)
	for _, want := range []string{"[one](" + s.url + "/a)", "[two](" + s.url + "/b)", "three"} {
		require.Contains(t, got.Text, want)
	}
}

func TestTheWordsOfAPageAreNotEscaped(t *testing.T) {
	t.Parallel()
	s := serve(t, page("text/html", "<title>AT&amp;T</title><h1>AT&amp;T</h1><p>At AT&amp;T, call _u_ or *v* or a_b_c "+
		"with `&lt;T&gt;` &amp;amp; 2 &lt; 3.<p># none<p>1. none<p>- [x](y)<pre>if a &amp;&amp; b { _c_ }</pre>"+
		"<table><tr><th>k<th>v<tr><td>_a_<td>x|y &amp; z</table>"))
	got := fetch(t, open(t, s), s.url)
	for _, want := range []string{"At AT&T, call _u_ or *v* or a_b_c with `<T>` &amp; 2 < 3.", "if a && b { _c_ }",
		"_a_", "y & z"} {
		require.Contains(t, got.Text, want)
	}
	require.Equal(t, "AT&T", got.Title)
	require.NotContains(t, got.Text, `\_`)
}

func TestOtherTextsComeAsTheyAre(t *testing.T) {
	t.Parallel()
	for contentType, body := range map[string]string{
		"application/json":             "{\n  \"a\": [1, 2]\n}\n",
		"application/vnd.api+json":     `{"b": "<p>x</p>"}`,
		"text/plain":                   "line\n\n\n  line",
		"text/x-python; charset=utf-8": "def f():\n\treturn 1\n",
		"application/octet-stream":     "no type, but text",
		"image/svg+xml":                "<svg></svg>",
		"":                             "{\"sniffed\": true}",
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{contentType}
			_, _ = w.Write([]byte(body))
		})
		got := fetch(t, open(t, s), s.url)
		require.Equal(t, body, got.Text, contentType)
		require.Empty(t, got.Links)
		require.NotNil(t, got.Links)
	}
}

func TestBinaryDataIsRefusedWithTypeAndSize(t *testing.T) {
	t.Parallel()
	for contentType, c := range map[string]struct{ body, says string }{
		"image/png":       {"\x89PNG\r\n\x1a\n\x00\x00", "of the type image/png (10 bytes)"},
		"application/pdf": {"%PDF-1.7 " + strings.Repeat("x", 50_000), "a PDF document (50009 bytes)"},
		"text/plain":      {"a\x00b", "of the type text/plain (3 bytes)"},
		"text/html":       {"%PDF-1.7", "a PDF document (8 bytes)"},
		"application/zip": {"PK\x03\x04" + strings.Repeat("\x00", 9_000),
			"of the type application/zip (9004 bytes)"},
		"application/octet-stream": {"\xff\xfa\x00", "of the type application/octet-stream (3 bytes)"},
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Content-Length", fmt.Sprint(len(c.body)))
			_, _ = w.Write([]byte(c.body))
		})
		refused(t, open(t, s), s.url, c.says)
	}
}

func TestEncodingsAreReadAsTheServerOrThePageSays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ contentType, body, want string }{
		"header":             {"text/plain; charset=iso-8859-1", "caf\xe9", "café"},
		"header, shift jis":  {"text/plain; charset=Shift_JIS", "\x93\xfa\x96\x7b", "日本"},
		"meta":               {"text/html", "<meta charset=windows-1251><p>\xcf\xf0\xe8\xe2\xe5\xf2", "Привет"},
		"mark":               {"text/plain", "\xef\xbb\xbfcafé", "café"},
		"wide mark":          {"text/plain", "\xff\xfea\x00b\x00", "ab"},
		"wide, declared":     {"text/plain; charset=utf-16be", "\x00a\x00b", "ab"},
		"nothing, utf-8":     {"text/html", "<p>" + strings.Repeat("a", 2_000) + "é", strings.Repeat("a", 2_000) + "é"},
		"nothing, not utf-8": {"text/plain", "caf\xe9", "café"},
		"a lie":              {"text/plain; charset=utf-8", "caf\xe9", "caf\uFFFD"},
		"unknown":            {"text/plain; charset=klingon", "café", "café"},
	} {
		s := serve(t, page(c.contentType, c.body))
		require.Equal(t, c.want, fetch(t, open(t, s), s.url).Text, name)
	}
}

func TestWhatCannotBeSeenIsTakenOut(t *testing.T) {
	t.Parallel()
	s := serve(t, page("text/plain; charset=utf-8",
		"a\x1b[31m\u202eb\u200b\u2066c\U000E0041\u00ad\ufeff\r\nd\re\u2028f\U000E0100\u3164 نمی\u200cخواهم 👩\u200d👧 a\u200cb"))
	got := fetch(t, open(t, s), s.url)
	require.Equal(t, "a\uFFFD[31mbc\nd\nef نمی\u200cخواهم 👩\u200d👧 ab", got.Text)
	require.Equal(t, 11, got.Removed)
}

func TestErrorAnswersArePages(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("no such page"))
	})
	got := fetch(t, open(t, s), s.url)
	require.Equal(t, 404, got.Status)
	require.Equal(t, "no such page", got.Text)
	gone := serve(t, page("text/plain", ""))
	c := open(t, gone)
	refused(t, client(t, func(s *web.Settings) { s.Resolver = (&names{}).resolver(t) }), "https://nowhere.test/",
		"cannot be found")
	require.Empty(t, fetch(t, c, gone.url).Text)
}

func TestABombIsReadUpToItsBound(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 64 {
		_, err := z.Write(bytes.Repeat([]byte("boom "), 1<<20/5))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb.Bytes())
	})
	got := fetch(t, open(t, s), s.url)
	require.True(t, got.Cut)
	require.Len(t, got.Text, web.MaxBody)
	for _, encoding := range []string{"br", "zstd", "gzip, gzip", "deflate"} {
		odd := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", encoding)
			_, _ = w.Write(bomb.Bytes()[:100])
		})
		refused(t, open(t, odd), odd.url, "not requested")
	}
}

func TestAnEndlessAnswerEndsAtTheBound(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		for r.Context().Err() == nil {
			if _, err := w.Write(bytes.Repeat([]byte("more\n"), 1_000)); err != nil {
				return
			}
		}
	})
	got := fetch(t, open(t, s), s.url)
	require.True(t, got.Cut)
	require.Len(t, got.Text, web.MaxBody)
	header := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		for i := range 1_000 {
			w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 1_000))
		}
	})
	refused(t, open(t, header), header.url, "cannot be fetched")
}

func TestASlowAnswerIsGivenUp(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write(bytes.Repeat([]byte("x"), 5_000))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	c := client(t, func(set *web.Settings) {
		set.AllowHosts = []string{"127.0.0.1:" + s.port}
		set.Timeout = 50 * time.Millisecond
	})
	refused(t, c, s.url, "did not answer within 50ms")
}

func TestACancelledFetchEndsAtOnce(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	_, err := open(t, s).Fetch(ctx, s.url, web.FormatText)
	require.ErrorIs(t, err, context.Canceled)
}

// TestHostileMarkupIsReadWithinBounds has pages that grow in one reader or another.
func TestHostileMarkupIsReadWithinBounds(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"deep":        strings.Repeat("<div>", 100_000) + "end",
		"deep quotes": strings.Repeat("<blockquote>", 400) + strings.Repeat("<p>a", 30_000),
		"deep lists":  strings.Repeat("<ul><li>", 200) + strings.Repeat("<li>a", 30_000),
		"deep texts": strings.Repeat("<div>", 400) + strings.Repeat("<p>some text, with commas, and more words here.</p>",
			20_000),
		"wide": strings.Repeat("<p>a", 300_000),
		"spans": "<table><tr><td colspan=1000000000 rowspan=1000000000>a</table>" +
			strings.Repeat("<table><tr><td colspan=9999>x</table>", 1_000),
		"square table": "<table><tr>" + strings.Repeat("<td>x", 30_000) + strings.Repeat("<tr><td>y", 30_000) + "</table>",
		"wide cell": "<table>" + strings.Repeat("<tr><td>y<td>z", 5_000) + "<tr><td>" + strings.Repeat("w", 1<<20) +
			"</table>",
		"unclosed":   strings.Repeat("<a href=x><b><i><table>", 2_000) + "end",
		"entities":   strings.Repeat("&amp;&#x41;&bogus;", 50_000),
		"attributes": "<p " + strings.Repeat("a=b ", 100_000) + ">x",
		"script":     "<script>" + strings.Repeat("x", 1<<20),
		"not markup": "\xff\xfe<\x01\x02>",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, page("text/html; charset=utf-8", body))
			c := client(t, func(set *web.Settings) {
				set.AllowHosts = []string{"127.0.0.1:" + s.port}
				set.Timeout = 10 * time.Minute
			})
			got := fetch(t, c, s.url)
			require.True(t, utf8.ValidString(got.Text))
			require.Less(t, len(got.Text), 4*web.MaxBody)
		})
	}
}

func TestALongTextIsCutInPiecesThatJoin(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("zeile é\n", 1_000)
	var whole string
	for start := 1; ; {
		w, err := web.Cut(text, start, 777, 50)
		require.NoError(t, err)
		require.LessOrEqual(t, utf8.RuneCountInString(w.Text), 777)
		require.LessOrEqual(t, strings.Count(w.Text, "\n"), 50)
		require.NotEmpty(t, w.Text)
		whole += w.Text
		if !w.Truncated() {
			break
		}
		require.Equal(t, fmt.Sprintf("… truncated: characters %d–8000 of 8000 not shown; call fetch_url with start=%d",
			w.End+1, w.End+1), w.Marker("fetch_url"))
		start = w.End + 1
	}
	require.Equal(t, text, whole)
	_, err := web.Cut(text, 8_001, 10, 10)
	require.ErrorContains(t, err, "start is 8001, but the text has 8000 characters")
	empty, err := web.Cut("", 0, 10, 10)
	require.NoError(t, err)
	require.False(t, empty.Truncated())
}

func FuzzPages(f *testing.F) {
	f.Add("<p>a<table><tr><td colspan=3>b", "text/html")
	f.Add("\x1b]0;x\a", "text/plain; charset=utf-16")
	f.Fuzz(func(t *testing.T, body, contentType string) {
		got, err := web.ReadForTest(body, contentType)
		if err != nil {
			var problem *web.Problem
			require.ErrorAs(t, err, &problem)
			return
		}
		require.True(t, utf8.ValidString(got.Text))
		require.NotContains(t, got.Text, "\x1b")
		require.NotContains(t, got.Text, "\u202e")
	})
}
