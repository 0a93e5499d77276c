package docs_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// signalName is a constant that names a kind of signal on the bus.
var signalName = regexp.MustCompile(`(?m)^\s*(?:const )?[sS]ignal[A-Z]\w*\s+= "(\w+)"`)

func TestEverySignalIsInTheAsyncAPIDocument(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("asyncapi.yaml")
	require.NoError(t, err)
	found := 0
	eachFile(t, func(file string) {
		if path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return
		}
		source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		require.NoError(t, err)
		for _, name := range signalName.FindAllStringSubmatch(string(source), -1) {
			found++
			require.Contains(t, string(document), `"slop.sig.{project}.{session}.{actor}.`+name[1]+`"`, "%s", file)
		}
	})
	require.GreaterOrEqual(t, found, 5)
}
