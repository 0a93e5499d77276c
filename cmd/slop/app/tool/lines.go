package tool

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"manualslop/tools"
)

// errCallTooLong means that a line of a batch is over the size limit of arguments.
var errCallTooLong = fmt.Errorf("the line is over the limit of %d bytes", tools.MaxArguments)

// readCallLine reads the next line that is not blank. It skips a line over the limit and returns errCallTooLong.
func readCallLine(r *bufio.Reader) ([]byte, error) {
	for {
		var line []byte
		over := false
		var err error
		for more := true; more; {
			var part []byte
			part, err = r.ReadSlice('\n')
			more = errors.Is(err, bufio.ErrBufferFull)
			if over = over || len(line)+len(part) > tools.MaxArguments; !over {
				line = append(line, part...)
			}
		}
		switch {
		case over:
			return nil, errCallTooLong
		case len(bytes.TrimSpace(line)) > 0:
			return line, nil
		case err != nil:
			return nil, err
		}
	}
}

// callLine is a line of a batch.
type callLine struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

// parseCall parses a line; false if it is not a call.
func parseCall(line []byte) (callLine, bool) {
	var call callLine
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	err := dec.Decode(&call)
	return call, err == nil && call.Tool != "" && !dec.More()
}
