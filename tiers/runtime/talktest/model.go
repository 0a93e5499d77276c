package talktest

import (
	"fmt"
	"regexp"
	"strings"

	"manualslop/tiers/llm/llmtest"
)

// Answer is the model of the discussion.
func Answer(v llmtest.View) llmtest.Turn {
	newest := v.Messages[len(v.Messages)-1]
	if len(newest.Results) > 0 {
		return llmtest.Turn{Text: fmt.Sprintf("Done with %d.", len(newest.Results))}
	}
	call := func(name, args string) llmtest.Call { return llmtest.Call{Name: name, Args: args} }
	for asked, answer := range map[string]llmtest.Turn{
		"What does main.py do?": {Text: "It greets."},
		"Mend the greeting.": {Text: "I mend it.", Calls: []llmtest.Call{call("edit_file",
			`{"path":"main.py","old_string":"helo","new_string":"hello"}`)}},
		"What is on the picture?": {Text: "A red square."},
		"Read the library.":       {Text: "I read.", Calls: []llmtest.Call{call("read_file", `{"path":"lib.py"}`)}},
		"And on the screen?":      {Text: "A blue square."},
		"Why?":                    {Text: "Because."},
		"Another way?":            {Text: "Use a table."},
		"Without the picture?":    {Text: "Still a table."},
		"Go on.": {Text: "I go on.", Calls: []llmtest.Call{call("read_file", `{"path":"notes.txt"}`), call("edit_file",
			`{"path":"lib.py","old_string":"return 1","new_string":"return 2"}`)}},
		"Thanks.": {Text: "Goodbye."},
	} {
		if strings.HasSuffix(v.Newest(), asked) {
			return answer
		}
	}
	return llmtest.Turn{Text: "I do not understand."}
}

// The images are recognised by their first bytes.
const (
	aPNG  = "\x89PNG\r\n\x1a\nred"
	aJPEG = "\xff\xd8\xffgreen"
	aWebP = "RIFF\x00\x00\x00\x00WEBPVP8 blue"
)

// Files are the files of the project, by path.
func Files() map[string]string {
	return map[string]string{"main.py": "def greet(name):\n    print(\"helo\", name)\n", "notes.txt": "Greet everybody.\n",
		"lib.py": "def one():\n    \"\"\"One.\"\"\"\n    return 1\n", "shots/a.png": aPNG, "shots/b.jpg": aJPEG,
		"shots/screen.webp": aWebP}
}

// ids and codes differ from run to run.
var (
	ids   = regexp.MustCompile(`D-[0-9a-f]{12}|[0-9A-HJKMNP-TV-Z]{26}(-\d+)?`)
	codes = regexp.MustCompile(`(\[(?:END )?UNTRUSTED (?:[a-z]+ )?)[0-9a-f]{12}\]`)
)

// WithoutCodes replaces the random codes of fences in a text.
func WithoutCodes(text string) string { return codes.ReplaceAllString(text, "${1}CODE]") }

// Transcript is what models were sent, without what differs from run to run.
func Transcript(views []llmtest.View) string {
	var b strings.Builder
	for i, v := range views {
		head, _, _ := strings.Cut(v.System, "\n")
		fmt.Fprintf(&b, "# Request %d\n\nsystem: %s\n", i+1, head)
		for _, m := range v.Messages {
			fmt.Fprintf(&b, "\n%s:\n%s\n", m.Role, m.Text)
			for _, image := range m.Images {
				fmt.Fprintf(&b, "image %s\n", image)
			}
			for _, c := range m.Calls {
				fmt.Fprintf(&b, "call %s %s\n", c.Name, c.Args)
			}
		}
		b.WriteString("\n")
	}
	return ids.ReplaceAllString(WithoutCodes(b.String()), "ID")
}
