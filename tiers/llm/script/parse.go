package script

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"manualslop/events"
)

// ParseError says where and why a script is invalid.
type ParseError struct {
	Line int // counted from 1
	// Field is the path of the wrong field, such as reply.tool_calls[0].args;
	// empty if the line as a whole is wrong.
	Field  string
	Reason string
}

// Error names line, field and reason.
func (e *ParseError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("script line %d: %s", e.Line, e.Reason)
	}
	return fmt.Sprintf("script line %d: %s: %s", e.Line, e.Field, e.Reason)
}

// Parse reads a script. It returns a [*ParseError] if the script is invalid; read errors are
// wrapped.
func Parse(r io.Reader) (*Script, error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 64<<10), MaxLine+1)
	in.Split(rawLines)
	s := &Script{}
	number, total := 1, 0
	for ; in.Scan(); number++ {
		if total += len(in.Bytes()); total > MaxBytes {
			return nil, &ParseError{Line: number, Reason: fmt.Sprintf("the script has more than %d bytes", MaxBytes)}
		}
		if err := s.add(number, in.Bytes()); err != nil {
			return nil, err
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return nil, &ParseError{Line: number, Reason: fmt.Sprintf("the line has more than %d bytes", MaxLine)}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	return s, nil
}

func (s *Script) add(number int, raw []byte) error {
	text := bytes.TrimSpace(raw)
	if len(text) == 0 {
		return nil
	}
	if len(s.lines) == MaxLines {
		return &ParseError{Line: number, Reason: fmt.Sprintf("the script has more than %d lines", MaxLines)}
	}
	l, err := parseLine(number, text)
	if err != nil {
		return err
	}
	s.lines = append(s.lines, l)
	return nil
}

// rawLines splits at line feeds and keeps them, so that the bytes can be counted.
func rawLines(data []byte, atEOF bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

func parseLine(number int, text []byte) (Line, error) {
	if _, err := events.Canonical(text); err != nil {
		return Line{}, &ParseError{Line: number, Reason: "not one JSON object: " + err.Error()}
	}
	f := &fields{line: number}
	line := f.object("", text, "tier", "track", "ticket", "contains", "reply")
	l := Line{
		Number: number, Tier: int(line.whole("tier", 4)), Track: line.text("track"), Ticket: line.text("ticket"),
		Contains: line.text("contains"),
	}
	if l.Tier < 1 {
		f.wrong("tier", "must be 1, 2, 3 or 4")
	}
	reply, given := line.raw("reply")
	if !given {
		f.wrong("reply", "is missing")
	}
	l.Reply = f.reply(reply)
	if f.err != nil {
		return Line{}, f.err
	}
	return l, nil
}

func (f *fields) reply(raw json.RawMessage) Reply {
	o := f.object("reply", raw, "text", "tool_calls", "usage", "delay_ms", "error")
	r := Reply{Text: o.text("text"), Delay: o.delay("delay_ms")}
	for i, c := range o.list("tool_calls") {
		r.Calls = append(r.Calls, f.call(fmt.Sprintf("reply.tool_calls[%d]", i), c))
	}
	if u, given := o.raw("usage"); given {
		r.Usage = f.usage(u)
	}
	if e, given := o.raw("error"); given {
		r.Error = f.failure(e)
	}
	return r
}
