package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// variable returns the value of a variable of the Makefile as it is written there.
func variable(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	joined := strings.ReplaceAll(string(raw), "\\\n", " ")
	found := regexp.MustCompile(`(?m)^` + name + ` *\??= *(.*)$`).FindStringSubmatch(joined)
	require.NotNil(t, found, name)
	return found[1]
}

// declared lists the test functions of the repository by name, with the folders that declare them, and the folders that
// have benchmarks.
func declared(t *testing.T) (tests map[string][]string, benched map[string]bool) {
	t.Helper()
	tests, benched = map[string][]string{}, map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark)\w+)\(`)
	require.NoError(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == "testdata" || name == "bin" || name == ".git") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		raw, err := os.ReadFile(path)
		for _, f := range function.FindAllStringSubmatch(string(raw), -1) {
			folder := filepath.ToSlash(filepath.Dir(path))
			tests[f[1]] = append(tests[f[1]], folder)
			benched[folder] = benched[folder] || strings.HasPrefix(f[1], "Benchmark")
		}
		return err
	}))
	return tests, benched
}

// TestWhatTheRaceDetectorSkipsRunsWithoutIt holds the Makefile's UNRACED: a test that it names is skipped under the
// race detector, so it must run with the packages that have benchmarks.
func TestWhatTheRaceDetectorSkipsRunsWithoutIt(t *testing.T) {
	t.Parallel()
	tests, benched := declared(t)
	names := regexp.MustCompile(`^\^Test\((.*)\)\$\$$`).FindStringSubmatch(variable(t, "UNRACED"))
	require.NotNil(t, names)
	for _, name := range strings.Split(names[1], "|") {
		require.NotEmpty(t, tests["Test"+name], "UNRACED names Test%s, which does not exist", name)
		for _, folder := range tests["Test"+name] {
			require.True(t, benched[folder], "%s/Test%s runs nowhere: the package has no benchmark", folder, name)
		}
	}
}

func TestFoldersAndFilesOfTheMakefileExist(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"RUNTIME", "PROCESSES", "CHAOS", "PURE", "LONGEST", "FUZZED"} {
		for _, path := range strings.Fields(variable(t, name)) {
			_, err := os.Stat(filepath.Join(root, path))
			require.NoError(t, err, name)
		}
	}
}

// TestPackagesWithoutTheRaceDetectorStartNoGoroutine holds the Makefile's PURE.
func TestPackagesWithoutTheRaceDetectorStartNoGoroutine(t *testing.T) {
	t.Parallel()
	starts := regexp.MustCompile(`(?m)^\s*go (func|\w+[.(])|\.Go\(|sync/atomic|sync\.(Mutex|RWMutex|Map|Pool|WaitGroup)`)
	for _, folder := range strings.Fields(variable(t, "PURE")) {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, folder)
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			raw, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Empty(t, starts.FindString(string(raw)), path)
		}
	}
}
