package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/sandbox"
)

// TextFile is a text file that a tool has read.
type TextFile struct {
	document.Document
	Disk        sandbox.File
	Undecodable error // why CPython would not decode the Python file, a *document.SourceError, or nil
}

// ReadDocument reads a text file. It decodes Python as CPython does, see document.DecodePython, but the text
// stays readable even if CPython would reject it. It rejects binary files.
func ReadDocument(ctx context.Context, env Env, path string) (TextFile, error) {
	file, err := env.ReadFile(ctx, path)
	if err != nil {
		return TextFile{}, err
	}
	doc, source := DecodeFile(file.Path, file.Data)
	if doc.Encoding == "" {
		return TextFile{}, Refuse("%s is a binary file of %d bytes (NUL byte at offset %d), which this tool does not support",
			file.Path, len(file.Data), bytes.IndexByte(file.Data, 0))
	}
	return TextFile{doc, file, source}, nil
}

// DecodeFile decodes the text of a file. It returns the zero Document for a binary file.
func DecodeFile(path string, data []byte) (doc document.Document, source error) {
	if document.IsPython(path, data) {
		return document.DecodePython(data)
	}
	doc, _ = document.Decode(data)
	return doc, nil
}

// Change returns the change to the file that applies the splices. It returns the errors of Edited and ChangeTo,
// but the caller must check whether the result parses.
func (d TextFile) Change(splices ...document.Splice) (Change, error) {
	next, err := d.Edited(splices)
	if err != nil {
		return Change{}, err
	}
	return d.ChangeTo(next, true)
}

// Edited returns the document with the splices applied. It rejects text that the file's encoding cannot represent.
func (d TextFile) Edited(splices []document.Splice) (document.Document, error) {
	for _, s := range splices {
		if strings.IndexByte(s.New, 0) >= 0 {
			return document.Document{}, Refuse("the new text for %s contains a NUL character, which would make the file binary",
				d.Disk.Path)
		}
		if s.Start <= s.End && s.End <= len(d.Text) { // else Edit rejects it
			if err := RefuseReplacement(d.Disk.Path, d.Text, s); err != nil {
				return document.Document{}, err
			}
		}
	}
	if line := d.joinedEnds(splices); line > 0 {
		return document.Document{}, Refuse("%s: this edit would join the lone carriage return that ends line %d with a line "+
			"feed, so that two line ends become one; include the carriage return in what is replaced", d.Disk.Path, line)
	}
	next, err := d.Edit(splices)
	var cannot *document.EncodingError
	if errors.As(err, &cannot) {
		return document.Document{}, Refuse("%s: %s", d.Disk.Path, cannot)
	}
	return next, err
}

// RefuseReplacement rejects new text with more of the character U+FFFD than the text that it replaces. Invalid bytes
// are shown as that character, so an edit that repeats what was shown would destroy them, and so would text that was
// damaged on its way here.
func RefuseReplacement(path, text string, s document.Splice) error {
	const mark = "\uFFFD"
	if s.Start == s.End || strings.Count(s.New, mark) <= strings.Count(text[s.Start:s.End], mark) {
		return nil
	}
	line := document.NumberOf(document.Lines(text), s.Start)
	return Refuse("%s line %d: the new text has U+FFFD (\uFFFD), which stands for bytes that could not be decoded, "+
		"where the file has something else; write the intended characters, do not replace the damaged ones, or use an "+
		`escape such as \uFFFD`, path, line)
}

// joinedEnds returns the number of the line whose end, a lone CR, would be directly before an LF after the
// splices, or 0 if there is none.
func (d TextFile) joinedEnds(splices []document.Splice) int {
	for _, s := range splices {
		if s.Start > s.End || s.End > len(d.Text) {
			continue // Edit rejects it
		}
		behind := s.New + d.Text[s.End:min(len(d.Text), s.End+1)]
		if s.Start > 0 && d.Text[s.Start-1] == '\r' && strings.HasPrefix(behind, "\n") &&
			!strings.HasPrefix(d.Text[s.Start:], "\n") {
			return document.NumberOf(document.Lines(d.Text), s.Start-1)
		}
	}
	return 0
}

// ChangeTo returns the change that turns the file into next, an edited version of this document. It rejects a
// change to the encoding declaration of Python source that contradicts the encoding of the rest of the file.
// Unless broken is set, it also rejects a change that breaks a Python file that parses.
func (d TextFile) ChangeTo(next document.Document, broken bool) (Change, error) {
	if d.Undecodable == nil && document.IsPython(d.Disk.Path, d.Disk.Data) {
		now, problem := DecodeFile(d.Disk.Path, next.Bytes())
		switch {
		case problem != nil:
			return Change{}, Refuse("%s could not be decoded after this edit: %s; its encoding is %s; keep its declaration in "+
				"the first two lines", d.Disk.Path, problem, d.Encoding)
		case now.Text != next.Text:
			return Change{}, Refuse("%s would be read as %s after this edit, but its bytes are %s; keep the declaration in "+
				"the first two lines", d.Disk.Path, now.Encoding, d.Encoding)
		}
	}
	if !broken {
		if err := RefuseUnlessForced(d.Disk.Path, d.Text, next.Text); err != nil {
			return Change{}, err
		}
	}
	return Edit(d.Disk, next.Bytes()), nil
}

// RefuseUnlessForced is like refuseBroken, for tools that have an argument force.
func RefuseUnlessForced(path, before, after string) error {
	err := refuseBroken(path, before, after)
	if err != nil {
		return Refuse("%s, or set force", err)
	}
	return nil
}

func LineCount(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// CheckHash returns an error if the file is not the expected one. The expected hash is the whole SHA-256 in
// hex, or at least its first eight digits. An empty hash accepts any file.
func (d TextFile) CheckHash(expected string) error {
	return CheckHash(d.Disk.Path, d.Disk.SHA256, expected)
}

func CheckHash(path, now, expected string) error {
	expected = strings.ToLower(strings.TrimSpace(expected))
	switch {
	case expected == "":
		return nil
	case len(expected) < 8:
		return Refuse("expected_hash needs at least 8 hex digits of the SHA-256 of %s", path)
	case now == "":
		return Refuse("%s does not exist, but expected_hash was given", path)
	case !strings.HasPrefix(now, expected):
		return Refuse("%s is not the expected file: its SHA-256 is %s; read it again", path, now)
	}
	return nil
}

// shown returns file content as people and models see it: valid UTF-8.
func shown(path string, data []byte) string {
	doc, _ := DecodeFile(path, data)
	if doc.Encoding == "" {
		return "(binary)\n"
	}
	return strings.ToValidUTF8(doc.Text, "\uFFFD")
}

func EndsLine(text string) bool {
	return strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\r")
}
