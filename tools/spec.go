package tools

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// Spec describes a tool to a model and to a policy.
type Spec struct {
	// Name is the name by which a model calls the tool: letters, digits, "_" and "-", at most 128, beginning with
	// a letter.
	Name string `json:"name"`
	// Summary is one line of at most 200 characters.
	Summary string `json:"summary"`
	// Effect determines whether the call needs approval.
	Effect Effect `json:"effect"`
	// Doc is the long description for a model, in Markdown. It is empty if Summary is sufficient.
	Doc string `json:"doc,omitempty"`
}

// Text returns the description of the tool for a model: the summary and Doc.
func (s Spec) Text() string {
	if s.Doc == "" {
		return s.Summary
	}
	return s.Summary + "\n\n" + strings.TrimSpace(s.Doc)
}

var toolName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,127}$`)
})

// validate checks the spec of a tool.
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
