package contributor

import (
	"slices"
	"strings"

	"manualslop/events/chars"
	"manualslop/tiers/planning"
)

// maxLooked limits how many bytes after a mark are searched for a tool's name.
const maxLooked = 256

// callMarks returns the beginnings of tool calls in the templates of models, which appear in the
// text if the server did not convert them to calls. They are matched in lower case.
func callMarks() []string {
	return []string{
		"<tool_call", "<tool_use", "<function_call", "<function=", "<invoke name=", "<|tool_call", "<|python_tag|>",
		"<｜tool", "[tool_calls]", "[tool_call]", "functools[", "to=functions.", "```tool_call", "```tool_code",
	}
}

// writtenCall reports whether a text holds a tool call that was meant to run: a mark of a
// template, or a JSON object with a name and arguments. In a report, which may quote either, the
// name of an offered tool must follow.
func writtenCall(text string, tools []string, report bool) bool {
	low := chars.Lower(text)
	for _, mark := range callMarks() {
		for from := 0; ; {
			n := strings.Index(low[from:], mark)
			if n < 0 {
				break
			}
			from += n + len(mark)
			if !report || namesTool(low[from:min(len(low), from+maxLooked)], tools) {
				return true
			}
		}
	}
	name, is := planning.CallName(text)
	return is && (!report || slices.Contains(tools, name))
}

// namesTool reports whether a text contains the name of a tool.
func namesTool(low string, tools []string) bool {
	return slices.ContainsFunc(tools, func(name string) bool { return strings.Contains(low, chars.Lower(name)) })
}
