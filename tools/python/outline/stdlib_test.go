package outline

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestModulesOfTheStandardLibraryAreKnown(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"os", "os.path", "sys", "__future__", "tomllib", "asyncore", "annotationlib",
		"compression.zstd", "winreg", "xml.etree.ElementTree"} {
		require.True(t, InStandardLibrary(name), name)
	}
	for _, name := range []string{"", "numpy", "osx", "o", ".os", "yaml", "typing_extensions"} {
		require.False(t, InStandardLibrary(name), name)
	}
	require.True(t, slices.IsSorted(strings.Fields(names)))
}

// The list holds at least what the Python of this machine says of itself.
func TestTheListCoversThePythonOnPath(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 on PATH")
	}
	out, err := exec.Command(python, "-I", "-c",
		"import sys; print(*sorted(getattr(sys, 'stdlib_module_names', ())))").Output()
	require.NoError(t, err)
	for _, name := range strings.Fields(string(out)) {
		require.True(t, InStandardLibrary(name), name)
	}
}
