package site

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ReadToken reads one of human.token, ask.token and read.token.
func ReadToken(dir, name string) (string, error) {
	b, err := os.ReadFile(filepath.Join(dir, name+".token"))
	if err != nil {
		return "", fmt.Errorf("the engine's %s token cannot be read: %w", name, err)
	}
	return strings.TrimSpace(string(b)), nil
}
