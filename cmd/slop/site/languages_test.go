package site

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheLanguagesOfAProjectAreThoseOfItsOwnFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ files, want []string }{
		{nil, nil},
		{[]string{"README.md", "a.png"}, nil},
		{[]string{"a.ts", "b/c.tsx", "tool.py", "node_modules/x/a.py", "node_modules/x/b.py", ".git/c.py", "vendor/d.py"},
			[]string{"other", "python"}},
		{[]string{"a.c", "a.h", "b.py"}, []string{"c", "python"}},
		{[]string{"a.h", "b.h", "a.cpp", "b.py", ".beads/config.yaml"}, []string{"cpp", "python", "beads"}},
	} {
		project := t.TempDir()
		for _, f := range c.files {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(project, f)), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(project, f), nil, 0o600))
		}
		require.Equal(t, c.want, languages(project), c.files)
	}
}

func TestTheLookAtAProjectsFilesIsBounded(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	for i := range maxLanguageFiles {
		require.NoError(t, os.Symlink("nowhere", filepath.Join(project, "a"+strconv.Itoa(i))))
	}
	require.NoError(t, os.WriteFile(filepath.Join(project, "z.py"), nil, 0o600))
	require.Empty(t, languages(project), "the last file is one too many")
}
