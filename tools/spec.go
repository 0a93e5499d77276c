package tools

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// Spec says what a tool is, to a model and to a policy.
type Spec struct {
	// Name is what a model calls. Letters, digits, "_" and "-", at most 128, a letter first.
	Name string `json:"name"`
	// Summary is one line of at most 200 characters.
	Summary string `json:"summary"`
	// Effect decides about approval.
	Effect Effect `json:"effect"`
	// Doc is the long text for a model, in Markdown; empty where Summary says it all.
	Doc string `json:"doc,omitempty"`
}

// Text returns what a model is told about the tool: the summary and the long
// text.
func (s Spec) Text() string {
	if s.Doc == "" {
		return s.Summary
	}
	return s.Summary + "\n\n" + strings.TrimSpace(s.Doc)
}

var toolName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,127}$`)
})

// validate checks the constants of a tool.
func (s Spec) validate() error {
	switch {
	case !toolName().MatchString(s.Name):
		return fmt.Errorf("tools: bad tool name %q", s.Name)
	case s.Summary == "" || strings.ContainsAny(s.Summary, "\r\n") || utf8.RuneCountInString(s.Summary) > 200:
		return fmt.Errorf("tools: %s: the summary must be one line of at most 200 characters", s.Name)
	case !s.Effect.Valid():
		return errors.New("tools: " + s.Name + ": invalid effect")
	}
	return nil
}
