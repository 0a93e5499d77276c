package tools

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/sandbox"
)

// textFile is a text file as a tool reads it.
type textFile struct {
	document.Document
	file sandbox.File
}

// readDocument reads a text file. Binary files are refused.
func readDocument(ctx context.Context, env Env, path string) (textFile, error) {
	file, err := env.ReadFile(ctx, path)
	if err != nil {
		return textFile{}, err
	}
	doc, ok := document.Decode(file.Data)
	if !ok {
		return textFile{}, Refuse("%s is a binary file of %d bytes (NUL byte at offset %d), which this tool does not handle",
			file.Path, len(file.Data), bytes.IndexByte(file.Data, 0))
	}
	return textFile{doc, file}, nil
}

// change gives the change of the file that makes the splices, or refuses text that the file's
// encoding cannot hold.
func (d textFile) change(splices ...document.Splice) (Change, error) {
	after, err := d.Splice(splices)
	var cannot *document.EncodingError
	if errors.As(err, &cannot) {
		return Change{}, Refuse("%s: %s", d.file.Path, cannot)
	}
	if err != nil {
		return Change{}, err
	}
	return Edit(d.file, after), nil
}

// checkHash refuses a file that is not the expected one. An expected hash is SHA-256 in hex, whole
// or at least its first eight digits; empty expects nothing.
func (d textFile) checkHash(expected string) error {
	return checkHash(d.file.Path, d.file.SHA256, expected)
}

func checkHash(path, now, expected string) error {
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

// shown is file content as a person or a model sees it: valid UTF-8.
func shown(data []byte) string {
	doc, ok := document.Decode(data)
	if !ok {
		return "(binary)\n"
	}
	return strings.ToValidUTF8(doc.Text, "\uFFFD")
}
