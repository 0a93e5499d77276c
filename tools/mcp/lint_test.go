package mcp

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The SDK's transport for programs ends at the first line that is not a message, and leaves grandchildren.
func TestRequirement01TheTransportForProgramsIsOurOwn(t *testing.T) {
	t.Parallel()
	files := 0
	require.NoError(t, filepath.WalkDir("../..", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && strings.HasPrefix(e.Name(), ".") && e.Name() != "../.." && len(e.Name()) > 2 {
			return filepath.SkipDir
		}
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		files++
		text, err := os.ReadFile(name)
		if err == nil && bytes.Contains(text, []byte("CommandTransport")) {
			t.Errorf("%s uses CommandTransport; use tools/mcp", name)
		}
		return err
	}))
	require.Greater(t, files, 100)
}
