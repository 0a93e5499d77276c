package tiers

import (
	"strings"

	"manualslop/events/chars"
	"manualslop/tiers/fence"
)

// Line returns a name from a model, a file system or a tool in a form that is safe in a prompt
// outside any fence: on one line, and without text that looks like the engine's markers.
func Line(name string) string {
	return fence.Neutralise(strings.Map(func(r rune) rune {
		if !chars.Printable(r) {
			return ' '
		}
		return r
	}, name))
}

// MaxQuestion limits what later prompts repeat of a model's question, in bytes.
const MaxQuestion = 200

// QuestionLine returns a model's question on one line, as later prompts repeat it. A question over MaxQuestion is cut.
func QuestionLine(text string) string { return Line(Clip(text, MaxQuestion)) }
