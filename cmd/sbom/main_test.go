package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/stretchr/testify/require"
)

// bill is what the command prints for this test's own program.
func bill(t *testing.T, epoch string) string {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, run([]string{"slop", "1.2.3", program}, epoch, &out))
	return out.String()
}

func TestTheBillNamesEveryModuleOfTheProgram(t *testing.T) {
	t.Parallel()
	var bom cdx.BOM
	require.NoError(t, cdx.NewBOMDecoder(strings.NewReader(bill(t, "")), cdx.BOMFileFormatJSON).Decode(&bom))
	require.Equal(t, cdx.SpecVersion1_6, bom.SpecVersion)
	require.Equal(t, "slop", bom.Metadata.Component.Name)
	require.Equal(t, "1.2.3", bom.Metadata.Component.Version)
	versions := map[string]string{}
	for _, c := range *bom.Components {
		require.Equal(t, "pkg:golang/"+c.Name+"@"+c.Version, c.PackageURL)
		versions[c.Name] = c.Version
	}
	require.Equal(t, runtime.Version(), versions["std"])
	built, is := debug.ReadBuildInfo()
	require.True(t, is)
	require.NotEmpty(t, built.Deps)
	require.Len(t, versions, len(built.Deps)+1)
	for _, m := range built.Deps {
		require.Equal(t, m.Version, versions[m.Path], m.Path)
	}
	require.Len(t, *(*bom.Dependencies)[0].Dependencies, len(versions))
}

func TestTheSameProgramHasTheSameBill(t *testing.T) {
	t.Parallel()
	require.Equal(t, bill(t, ""), bill(t, ""))
	require.NotContains(t, bill(t, ""), "timestamp")
	require.Contains(t, bill(t, "86400"), `"timestamp": "1970-01-02T00:00:00Z"`)
}

func TestAModuleInPlaceOfAnotherIsNamed(t *testing.T) {
	t.Parallel()
	bom, err := billOf("slop", "1", &debug.BuildInfo{GoVersion: "go1", Deps: []*debug.Module{{Path: "a", Version: "v1",
		Replace: &debug.Module{Path: "b", Version: "v2", Sum: "h1:x"}}, {Path: "../local"}}})
	require.NoError(t, err)
	require.Equal(t, "b", (*bom.Components)[1].Name)
	require.Equal(t, "h1:x", (*(*bom.Components)[1].Properties)[0].Value)
	require.Equal(t, "unknown", (*bom.Components)[2].Version)
	other, err := billOf("slop", "2", &debug.BuildInfo{})
	require.NoError(t, err)
	require.NotEqual(t, other.SerialNumber, bom.SerialNumber)
}

func TestWhatIsNoProgramIsRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(file, []byte("text"), 0o600))
	require.Error(t, run([]string{"slop", "1", file}, "", &bytes.Buffer{}))
	require.ErrorContains(t, run([]string{"slop"}, "", &bytes.Buffer{}), "usage: sbom NAME VERSION PROGRAM")
	program, err := os.Executable()
	require.NoError(t, err)
	require.ErrorContains(t, run([]string{"slop", "1", program}, "soon", &bytes.Buffer{}),
		`SOURCE_DATE_EPOCH: must be a number of seconds, got "soon"`)
}
