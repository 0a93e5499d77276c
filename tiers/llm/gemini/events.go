package gemini

import (
	"bufio"
	"bytes"
)

// nextEvent reads the data of the next event of a stream that the transport has normalised. It
// skips kinds of events that the API does not define, and returns [io.EOF] at the end. An event
// counts only if an empty line ends it.
func nextEvent(lines *bufio.Reader) ([]byte, error) {
	var data []byte
	kind := ""
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(line) > 0 && string(field) == "data":
			data = append(append(data, value...), ' ') // the lines of one JSON text
		case len(line) > 0 && string(field) == "event":
			kind = string(value)
		case len(line) == 0:
			if data = bytes.TrimSpace(data); len(data) > 0 && (kind == "" || kind == "message" || kind == "error") {
				return data, nil
			}
			data, kind = nil, ""
		}
	}
}
