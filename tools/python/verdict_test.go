package python

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// TestProblemsAgreeWithCPython damages real files and compares what Broken says with what python3 says:
// there is no problem where CPython has none, and errors of the tokenizer and of indentation have the
// same words on the same line. SLOP_LOAD takes the number of damaged files, 2,000 by default.
func TestProblemsAgreeWithCPython(t *testing.T) {
	t.Parallel()
	n, err := strconv.Atoi(os.Getenv("SLOP_LOAD"))
	if err != nil {
		n = 2000
	}
	var texts []string
	for _, path := range sample(t, pythonFiles(t), 1700) {
		if text := read(t, path); len(text) < 6000 && utf8.ValidString(text) && !strings.Contains(text, "coding") {
			texts = append(texts, text)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	cpython := startVerdicts(t)
	counts := map[string]int{}
	var wrong []string
	for i := range n {
		text := damage(texts[i%len(texts)], random)
		want := cpython.ask(t, text)
		p, broken := Broken(text)
		got, line := "", ""
		if broken {
			got, line = verdictOf(text, p)
		}
		if complaint := cpython.judge(want, got, p, text, line); complaint != "" {
			counts[complaint]++
			wrong = append(wrong, fmt.Sprintf("%s\n  CPython: %s\n  Broken:  %s\n%s", complaint, want, got,
				around(text, p.Offset)))
		}
		counts[kindOfVerdict(want)]++
	}
	t.Log(counts)
	require.Empty(t, strings.Join(wrong[:min(len(wrong), 8)], "\n"))
}

// verdictOf is a problem as CPython's verdicts are, and its line.
func verdictOf(text string, p Problem) (verdict, line string) {
	f := Parse(text)
	number := f.LineOf(p.Offset)
	column := utf8.RuneCountInString(text[f.Lines[number-1].Start:p.Offset]) + 1
	return fmt.Sprintf("%s: %s, line %d, column %d", p.Type, p.Text, number, column), f.lineText(number - 1)
}

// verdicts is a running python3.
type verdicts struct {
	in    *json.Encoder
	out   *json.Decoder
	minor int
}

func startVerdicts(t *testing.T) verdicts {
	t.Helper()
	cmd := exec.Command("python3", "-I", "testdata/verdict.py")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	v := verdicts{in: json.NewEncoder(in), out: json.NewDecoder(out)}
	var version []int
	require.NoError(t, v.out.Decode(&version))
	v.minor = version[1]
	return v
}

// ask gives CPython's verdict: "" or exception, text and line.
func (v verdicts) ask(t *testing.T, text string) string {
	t.Helper()
	require.NoError(t, v.in.Encode(text))
	var verdict []any
	require.NoError(t, v.out.Decode(&verdict))
	if len(verdict) == 0 {
		return ""
	}
	if verdict[3] == 0.0 {
		verdict[3] = 1.0 // in front of the line
	}
	words, _, _ := strings.Cut(fmt.Sprint(verdict[1]), "; perhaps") // a hint since 3.13
	verdict[1] = words
	return fmt.Sprintf("%v: %v, line %v, column %v", verdict...)
}

// lexical are the words of the tokenizer and of the indentation.
var lexical = regexp.MustCompile(
	`unterminated|was never closed|unmatched|does not match|invalid (decimal|hex|octal|binary|imaginary|char|non-print|digit)` +
		`|leading zeros|indented|unexpected indent|line continuation|EOF|too many|inconsistent|nested too deeply`)

func kindOfVerdict(verdict string) string {
	switch {
	case verdict == "":
		return "valid"
	case lexical.MatchString(verdict):
		return "lexical"
	}
	return "other"
}

// fString and tString find what are strings of their own since 3.12 and 3.14.
var (
	fString = regexp.MustCompile(`(?i)(f|fr)['"]`)
	tString = regexp.MustCompile(`(?i)\b(t|tr|rt)['"]`)
)

// words is a verdict without its column.
func words(verdict string) string {
	words, _, _ := strings.Cut(verdict, ", column")
	return words
}

// judge says what is wrong with an answer about a line.
func (v verdicts) judge(want, got string, p Problem, text, line string) string {
	switch {
	case want == got:
		return ""
	case want == "":
		return "problem in a valid text"
	case strings.Contains(got, "-string: "):
		return "" // the parser may come first
	case v.minor < 14 && tString.MatchString(text):
		return ""
	case v.minor < 12 && fString.MatchString(text):
		return ""
	case p.stage == parsed && fString.MatchString(line):
		return "" // the parser looks ahead into the f-string
	case strings.Contains(want, "unexpected unindent"):
		return "" // of the parser, and final
	case words(want) == words(got) && !ascii(line):
		return "" // columns are wrong in some versions
	case (p.stage == stopped || p.stage == indented) && !strings.Contains(want, "ndent"):
		return "" // an error of the parser before, which then gives way
	case kindOfVerdict(want) == "lexical":
		return "differs"
	case p.stage == raised && got != "":
		return "not seen by CPython"
	}
	return ""
}

func around(text string, offset int) string {
	return strconv.Quote(text[max(0, offset-80):min(len(text), offset+80)])
}

// damage makes one small change somewhere in the text.
func damage(text string, random *rand.Rand) string {
	pieces := []string{"(", ")", "[", "]", "{", "}", "'", `"`, `"""`, "'''", "\\", "\n", " ", "\t", "\r", ":", "f'",
		"f\"{", "#", "0", "1_", "x", "$", "!", "\u00a0", "é", ";", "    ", "0x", "def f():\n", "if x:\n", "\f", "\v"}
	switch at := random.IntN(len(text) + 1); random.IntN(4) {
	case 0:
		return text[:at] + pieces[random.IntN(len(pieces))] + text[at:]
	case 1:
		return without(text, at, 1+random.IntN(3))
	case 2:
		return text[:at]
	default: // something that matters to structure is replaced
		var places []int
		for i := range len(text) {
			if strings.IndexByte("()[]{}'\"\\\n\t:#,", text[i]) >= 0 {
				places = append(places, i)
			}
		}
		if len(places) == 0 {
			return text
		}
		at = places[random.IntN(len(places))]
		return text[:at] + pieces[random.IntN(len(pieces))] + text[at+1:]
	}
}

func without(text string, at, n int) string { return text[:at] + text[min(len(text), at+n):] }
