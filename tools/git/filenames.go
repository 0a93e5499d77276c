package git

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// fileNames are names of files as git has them: any bytes, which a note keeps, too.
type fileNames []string

// MarshalJSON quotes each name, because JSON has no bytes that are no letters.
func (n fileNames) MarshalJSON() ([]byte, error) {
	quoted := make([]string, len(n))
	for i, name := range n {
		quoted[i] = strconv.Quote(name)
	}
	return json.Marshal(quoted)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (n *fileNames) UnmarshalJSON(b []byte) error {
	var quoted []string
	if err := json.Unmarshal(b, &quoted); err != nil {
		return err
	}
	*n = nil
	for _, text := range quoted {
		name, err := strconv.Unquote(text)
		if err != nil {
			return fmt.Errorf("the name of a file, %s: %w", text, err)
		}
		*n = append(*n, name)
	}
	return nil
}

// asTold is a name as a person is told it and says it again: bytes that are no letters are replaced.
func asTold(name string) string { return string([]rune(name)) }
