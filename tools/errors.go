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
	// ErrNotClaimed means that the caller's hook rejected a write, so nothing was written. It wraps the hook's error.
	ErrNotClaimed = errors.New("the write was not claimed")
	// ErrPanic means that a tool panicked.
	ErrPanic = errors.New("the tool panicked")
)

// UnknownToolError names a tool that is not in the registry.
type UnknownToolError struct{ Name string }

// Error returns the error in one line.
func (e *UnknownToolError) Error() string { return "unknown tool: " + OneLine(e.Name, 100) }

// Is matches ErrUnknownTool.
func (e *UnknownToolError) Is(target error) bool { return target == ErrUnknownTool }

// ArgumentError reports which argument violates the schema and how.
type ArgumentError struct {
	Tool    string
	Field   string // empty if the arguments as a whole are wrong
	Problem string
}

// Error returns the error in one line that names the field.
func (e *ArgumentError) Error() string {
	where := e.Tool
	if e.Field != "" {
		where += ": argument " + OneLine(e.Field, 100)
	}
	return where + ": " + e.Problem
}

// Is matches ErrBadArguments.
func (e *ArgumentError) Is(target error) bool { return target == ErrBadArguments }

// Refusal is a failure that a model caused and can fix. Planners and handlers return it as their error; the model
// receives its text after "ERROR: ".
type Refusal struct {
	Text  string
	Cause error // the underlying error, for errors.Is; may be nil
	// Own means that the text has only words of the engine and of the call itself; see Result.
	Own bool
	// Detail follows the text on separate lines, for example a diff. It may be empty.
	Detail string
}

// Error returns the text.
func (e *Refusal) Error() string { return e.Text }

// Unwrap returns the cause.
func (e *Refusal) Unwrap() error { return e.Cause }

// Refuse returns a Refusal. The text must be one line and should say what to do next.
func Refuse(format string, args ...any) error {
	return &Refusal{Text: fmt.Sprintf(format, args...)}
}

// Failure converts an error of Prepare, Plan or a handler to the answer for a model. Its text begins with
// "ERROR:" or "ACCESS DENIED"; details that are only for the operator are in Operator and Err.
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
		result.Text = "ERROR: the engine did not allow this call to write; nothing was written"
	case errors.As(err, &refusal):
		result.Text, result.Own = "ERROR: "+refusal.Text, refusal.Own && refusal.Detail == ""
	case errors.As(err, &argument):
		result.Text = "ERROR: " + argument.Error()
	case errors.As(err, &unknown):
		result.Text = "ERROR: " + unknown.Error()
	case errors.As(err, &file):
		result.Text = "ERROR: " + file.Error()
	case errors.Is(err, context.Canceled):
		result.Text = "ERROR: cancelled before it finished"
	case errors.Is(err, context.DeadlineExceeded):
		result.Text = "ERROR: the call timed out"
	default:
		result.Text = "ERROR: the tool had an internal error; the operator's log has the details"
	}
	result.Text = OneLine(result.Text, 4_000)
	if refusal != nil && refusal.Detail != "" && !errors.Is(err, ErrNotClaimed) {
		result.Text += "\n" + strings.ToValidUTF8(refusal.Detail, "\uFFFD")
	}
	return result
}

// OneLine returns text as one line of at most n characters.
func OneLine(text string, n int) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if strings.ContainsAny(text, "\r\n") {
		text = strings.NewReplacer("\r\n", "⏎", "\n", "⏎", "\r", "⏎").Replace(text)
	}
	return document.Clip(text, n)
}
