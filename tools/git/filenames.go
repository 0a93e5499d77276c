package git

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// fileNames are file names as in git: arbitrary bytes, which must survive a note file.
type fileNames []string

// MarshalJSON quotes each name, because JSON cannot represent arbitrary bytes.
func (n fileNames) MarshalJSON() ([]byte, error) {
	quoted := make([]string, len(n))
	for i, name := range n {
		quoted[i] = strconv.Quote(name)
	}
	return json.Marshal(quoted)
}

// UnmarshalJSON decodes the output of MarshalJSON.
func (n *fileNames) UnmarshalJSON(b []byte) error {
	var quoted []string
	if err := json.Unmarshal(b, &quoted); err != nil {
		return err
	}
	*n = nil
	for _, text := range quoted {
		name, err := strconv.Unquote(text)
		if err != nil {
			return fmt.Errorf("invalid file name %s: %w", text, err)
		}
		*n = append(*n, name)
	}
	return nil
}

// asTold returns the form of a name that is shown to a user and accepted as input: invalid bytes are replaced.
func asTold(name string) string { return string([]rune(name)) }
