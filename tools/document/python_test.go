package document

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pythonCases are files whose decoding CPython was asked about: TestDecodesAsPythonDoes asks again.
// An empty encoding means that it refuses them with the words of problem.
var pythonCases = []struct{ data, text, encoding, problem string }{
	{"", "", UTF8, ""},
	{"x = 'é'\n", "x = 'é'\n", UTF8, ""},
	{"\xEF\xBB\xBFx = 'é'\n", "x = 'é'\n", UTF8BOM, ""},
	{"\xEF\xBB\xBF# coding: utf-8\n", "# coding: utf-8\n", UTF8BOM, ""},
	{"\xEF\xBB\xBF# coding: utf_8\n", "# coding: utf_8\n", UTF8BOM, ""},
	{"\xEF\xBB\xBF# coding: utf8\n", "", "", "encoding problem: utf8 with BOM"},
	{"\xEF\xBB\xBF# coding: latin-1\n", "", "", "encoding problem: iso-8859-1 with BOM"},
	{"# coding: foo\n", "", "", "unknown encoding: foo"},
	{"#coding:foo", "", "", "unknown encoding: foo"},
	{"# coding: latin-1.foo\n", "", "", "unknown encoding: latin-1.foo"},
	{"# coding: utf8-unix\n", "", "", "unknown encoding: utf8-unix"},
	{"# coding: rot13\n", "", "", "'rot13' is not a text encoding; use codecs.decode() to handle arbitrary codecs"},
	{"# coding: utf-8-unix\nx='é'", "# coding: utf-8-unix\nx='é'", UTF8, ""},
	{"# coding: latin-1-unix\nx='\xE9'", "# coding: latin-1-unix\nx='é'", "iso8859-1", ""},
	{"# coding: --latin---1--\nx='\xE9'", "# coding: --latin---1--\nx='é'", "iso8859-1", ""},
	{"# coding: iso.8859.2\nx='\xA1'", "# coding: iso.8859.2\nx='Ą'", "iso8859-2", ""},
	{"# coding: cp.1252\n", "", "", "unknown encoding: cp.1252"},
	{"#!/usr/bin/python\n# vim: set fileencoding=koi8-r :\nx='\xC1'", "#!/usr/bin/python\n# vim: set " +
		"fileencoding=koi8-r :\nx='а'", "koi8-r", ""},
	{"\n# -*- coding: cp1252 -*-\nx='\x80'\n", "\n# -*- coding: cp1252 -*-\nx='€'\n", "cp1252", ""},
	{"\x0C\r# coding: cp1252\rx='\x80'\r", "\x0C\r# coding: cp1252\rx='€'\r", "cp1252", ""},
	{"#\r\n# coding: cp1252\r\nx='\x80'\r\n", "#\r\n# coding: cp1252\r\nx='€'\r\n", "cp1252", ""},
	{"#\n#\n# coding: foo\n", "#\n#\n# coding: foo\n", UTF8, ""},
	{"x=1\n# coding: foo\n", "x=1\n# coding: foo\n", UTF8, ""},
	{"\\\n# coding: foo\n", "\\\n# coding: foo\n", UTF8, ""},
	{"'''\n# coding: foo\n'''", "'''\n# coding: foo\n'''", UTF8, ""},
	{"x=1 # coding: foo\n", "x=1 # coding: foo\n", UTF8, ""},
	{"# coding:\n# coding:foo\n", "", "", "unknown encoding: foo"},
	{"# coding : foo coding=cp1252\nx='\x80'", "# coding : foo coding=cp1252\nx='€'", "cp1252", ""},
	{"# coding: cp1252\nx='\x81'\n", "", "", "'charmap' codec can't decode byte 0x81 in position 20: character maps to " +
		"<undefined>"},
	{"# coding: ascii\nx='\xE9'\n", "", "", "'ascii' codec can't decode byte 0xe9 in position 19: ordinal not in " +
		"range(128)"},
	{"# coding: ascii\nx='e'\n", "# coding: ascii\nx='e'\n", "ascii", ""},
	{"# coding: shift_jis\nx='\x81'\n", "", "", "'shift_jis' codec can't decode byte 0x81 in position 23: illegal " +
		"multibyte sequence"},
	{"# coding: sjis\nx='\x83\x5C\x81\x60'\n", "# coding: sjis\nx='ソ〜'\n", "shift_jis", ""},
	{"# coding: eucJP\nx='\xA5\xBD\x8F\xB0\xA1'\n", "# coding: eucJP\nx='ソ丂'\n", "euc_jp", ""},
	{"# coding: gb18030\nx='\x81\x30\x84\x36\xC4\xE3'\n", "# coding: gb18030\nx='¥你'\n", "gb18030", ""},
	{"# coding: big5\nx='\xA4\xA4'\n", "# coding: big5\nx='中'\n", "big5", ""},
	{"# coding: euc-kr\nx='\xB0\xA1'\n", "# coding: euc-kr\nx='가'\n", "euc_kr", ""},
}

func TestDecodesAsPythonDoes(t *testing.T) {
	t.Parallel()
	for _, c := range pythonCases {
		doc, err := DecodePython([]byte(c.data))
		if c.problem != "" {
			require.EqualError(t, err, c.problem, "%q", c.data)
			continue
		}
		require.NoError(t, err, "%q", c.data)
		require.Equal(t, c.text, doc.Text, "%q", c.data)
		require.Equal(t, c.encoding, doc.Encoding, "%q", c.data)
	}
}

func TestSaysWhereInvalidUTF8Is(t *testing.T) {
	t.Parallel()
	doc, err := DecodePython([]byte("x = 1\r\ny = '\xE9'\r\n"))
	var source *SourceError
	require.ErrorAs(t, err, &source)
	require.Equal(t, 2, source.Line)
	require.Equal(t, `Non-UTF-8 code starting with '\xe9' on line 2, but no encoding declared; see https://peps.python.org/pep-0263/ for details`, source.Text)
	require.Equal(t, "x = 1\r\ny = 'é'\r\n", doc.Text, "the file can still be read")
	for data, reason := range map[string]string{"\xE9": "unexpected end of data", "\xE9x": "invalid continuation byte",
		"\x80": "invalid start byte", "\xED\xA0\x80": "invalid continuation byte"} {
		_, err := DecodePython([]byte("# coding: utf-8\n" + data))
		require.ErrorContains(t, err, reason, "%q", data)
		require.ErrorContains(t, err, "in position 16:")
	}
}

func TestDoesNotDecodeBinaryPython(t *testing.T) {
	t.Parallel()
	doc, err := DecodePython([]byte("x = 1\n\x00"))
	require.EqualError(t, err, "source code string cannot contain null bytes")
	require.Equal(t, Document{}, doc)
	doc, err = DecodePython([]byte("\xFF\xFEx\x00"))
	require.Error(t, err)
	require.Equal(t, "x", doc.Text, "UTF-16 is not Python, but it is text")
}

// askPython runs a script with the Python of this machine and gives the fields of each line.
func askPython(t *testing.T, script string) [][]string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here to compare with")
	}
	out, err := exec.Command(python, "-I", "-c", script).Output()
	require.NoError(t, err)
	var lines [][]string
	for scan := bufio.NewScanner(strings.NewReader(string(out))); scan.Scan(); {
		lines = append(lines, strings.Fields(scan.Text()))
	}
	return lines
}

func TestPythonStillSaysWhatTheCasesSay(t *testing.T) {
	t.Parallel()
	var script strings.Builder
	script.WriteString("def t(s):\n try: compile(bytes.fromhex(s),'x','exec'); print('ok')\n except SyntaxError as e: " +
		"print(e.msg)\n")
	var refused []string
	for _, c := range pythonCases {
		if !strings.HasPrefix(c.data, "\\") { // which compiles only from a file
			fmt.Fprintf(&script, "t('%s')\n", hex.EncodeToString([]byte(c.data)))
			refused = append(refused, c.problem)
		}
	}
	for i, fields := range askPython(t, script.String()) {
		got := strings.Join(fields, " ")
		if refused[i] == "" {
			require.Equal(t, "ok", got, "case %d", i)
		} else {
			require.NotEqual(t, "ok", got, "case %d: %s", i, refused[i])
		}
	}
}

func TestPagesAreThoseOfPython(t *testing.T) {
	t.Parallel()
	for _, entry := range codecs {
		page, ok := singlePage(entry.name)
		if !ok {
			continue
		}
		script := "for i in range(128,256):\n try: print(ord(bytes([i]).decode('" + entry.module +
			"')))\n except UnicodeError: print(0)\n"
		for i, fields := range askPython(t, script) {
			r, _ := page.next([]byte{byte(128 + i)})
			require.Equal(t, fields[0], fmt.Sprint(int(r)), "%s %x", entry.name, 128+i)
		}
	}
}

func TestLongCharactersAreThoseOfPython(t *testing.T) {
	t.Parallel()
	// for private use, and Japanese in Chinese pages
	missing := map[string]int{"cp932": 1884, "gb18030": 2067, "big5": 249, "cp950": 249}
	extra := map[string]int{"gbk": 82, "euc_kr": 1} // one begins a longer sequence in Python
	for _, name := range []string{"shift_jis", "cp932", "euc_jp", "euc_kr", "cp949", "gb2312", "gbk", "gb18030", "big5",
		"cp950"} {
		page, ok := multiPage(name)
		require.True(t, ok)
		script := "for a in range(128,256):\n for b in range(256):\n  try: r=bytes([a,b]).decode('" + name +
			"')\n  except UnicodeError: r=''\n  print(ord(r) if len(r)==1 else 0)\n"
		less, more := 0, 0
		for i, fields := range askPython(t, script) {
			piece := []byte{byte(128 + i/256), byte(i % 256)}
			r, size := page.next(piece)
			switch {
			case size == 1 && fields[0] == "0": // two characters
			case size == 0 && fields[0] != "0":
				less++
			case size == 2 && fields[0] == "0":
				more++
			case size == 2:
				require.Equal(t, fields[0], fmt.Sprint(int(r)), "%s %x", name, piece)
			}
		}
		require.LessOrEqual(t, less, missing[name], name)
		require.LessOrEqual(t, more, extra[name], name)
	}
}

func TestNamesAreThoseOfPython(t *testing.T) {
	t.Parallel()
	names := []string{"latin-1", "LATIN1", "Iso-8859-15", "windows.1252", "cp-1252", "cp1252", "u8", "UTF_8", "utf.8",
		"shift-jis", "Shift.JIS", "ms-kanji", "x-mac-japanese", "iso8859.2", "_latin_2_", "l2", "korean", "mac", "macroman",
		"mac-roman", "us-ascii", "646", "ansi_x3.4-1968", "hkscs", "koi8_u", "koi8u", "936", "cp65001", "8859", "tis620"}
	script := "import codecs\nfor n in " + fmt.Sprintf("%q", strings.Join(names, " ")) +
		".split():\n try: print(codecs.lookup(n).name)\n except LookupError: print('-')\n"
	for i, fields := range askPython(t, script) {
		got, ok := codecName(names[i])
		if !ok {
			got = "-"
		}
		require.Equal(t, fields[0], got, names[i])
	}
}
