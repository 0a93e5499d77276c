package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"manualslop/tools/document"
	"manualslop/tools/sandbox"
)

// Sentinels for errors.Is.
var (
	// ErrUnknownTool matches every *UnknownToolError.
	ErrUnknownTool = errors.New("unknown tool")
	// ErrBadArguments matches every *ArgumentError.
	ErrBadArguments = errors.New("bad arguments")
	// ErrNotClaimed says that the caller's hook refused a write, so nothing was written. The hook's
	// error is wrapped beside it.
	ErrNotClaimed = errors.New("the write was not claimed")
	// ErrPanic says that a tool panicked.
	ErrPanic = errors.New("the tool panicked")
)

// UnknownToolError names a tool that the registry does not have.
type UnknownToolError struct{ Name string }

// Error is one line.
func (e *UnknownToolError) Error() string { return "unknown tool: " + OneLine(e.Name, 100) }

// Is matches ErrUnknownTool.
func (e *UnknownToolError) Is(target error) bool { return target == ErrUnknownTool }

// ArgumentError says which argument breaks the schema and how.
type ArgumentError struct {
	Tool    string
	Field   string // empty where the arguments as a whole are wrong
	Problem string
}

// Error is one line that names the field.
func (e *ArgumentError) Error() string {
	where := e.Tool
	if e.Field != "" {
		where += ": argument " + OneLine(e.Field, 100)
	}
	return where + ": " + e.Problem
}

// Is matches ErrBadArguments.
func (e *ArgumentError) Is(target error) bool { return target == ErrBadArguments }

// Refusal is a failure that a model caused and can repair. Planners and handlers return it as
// their error; its text reaches the model behind "ERROR: ".
type Refusal struct {
	Text  string
	Cause error // what it words, for errors.Is; nil where there is no such error
	// Detail follows the text on lines of its own, such as a diff; may be empty.
	Detail string
}

// Error is the text.
func (e *Refusal) Error() string { return e.Text }

// Unwrap gives the cause.
func (e *Refusal) Unwrap() error { return e.Cause }

// Refuse makes a Refusal. The text is one line and says what to do next.
func Refuse(format string, args ...any) error {
	return &Refusal{Text: fmt.Sprintf(format, args...)}
}

// Failure is the answer that a model gets for an error of Prepare, Plan or a handler. Text begins
// with "ERROR:" or "ACCESS DENIED"; what only the operator may know is in Operator and Err.
func Failure(err error) Result {
	result := Result{Failed: true, Err: err, Operator: err.Error()}
	var (
		denied   *sandbox.DeniedError
		file     *sandbox.FileError
		refusal  *Refusal
		argument *ArgumentError
		unknown  *UnknownToolError
	)
	switch {
	case errors.As(err, &denied):
		result.Text, result.Operator = denied.ModelText(), denied.OperatorText()
	case errors.Is(err, ErrNotClaimed):
		result.Text = "ERROR: the engine did not let this call write; nothing was written"
	case errors.As(err, &refusal):
		result.Text = "ERROR: " + refusal.Text
	case errors.As(err, &argument):
		result.Text = "ERROR: " + argument.Error()
	case errors.As(err, &unknown):
		result.Text = "ERROR: " + unknown.Error()
	case errors.As(err, &file):
		result.Text = "ERROR: " + file.Error()
	case errors.Is(err, context.Canceled):
		result.Text = "ERROR: cancelled before it was done"
	case errors.Is(err, context.DeadlineExceeded):
		result.Text = "ERROR: the time for this call ran out"
	default:
		result.Text = "ERROR: the tool failed inside; the operator's log has the details"
	}
	result.Text = OneLine(result.Text, 4_000)
	if refusal != nil && refusal.Detail != "" && !errors.Is(err, ErrNotClaimed) {
		result.Text += "\n" + strings.ToValidUTF8(refusal.Detail, "\uFFFD")
	}
	return result
}

// OneLine makes text fit for one line of at most n characters.
func OneLine(text string, n int) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if strings.ContainsAny(text, "\r\n") {
		text = strings.NewReplacer("\r\n", "⏎", "\n", "⏎", "\r", "⏎").Replace(text)
	}
	return document.Clip(text, n)
}
