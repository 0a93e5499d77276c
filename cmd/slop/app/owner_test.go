package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// freshPlace is a project without a data folder.
func freshPlace(t *testing.T) place {
	t.Helper()
	root := t.TempDir()
	return place{project: root, data: filepath.Join(root, ".slop"), base: "p", name: "p", state: filepath.Join(t.TempDir(), "slop")}
}

func TestProcessesThatStartAtOnceAgreeOnWhoseTheFolderIs(t *testing.T) {
	t.Parallel()
	p := freshPlace(t)
	var all errgroup.Group
	for range 16 {
		all.Go(func() error {
			if err := p.claim(); err != nil {
				return err
			}
			return p.checkOwner()
		})
	}
	require.NoError(t, all.Wait())
	own, bound, err := p.ownership()
	require.NoError(t, err)
	require.Equal(t, own.ID, bound.ID)
	require.Equal(t, "p", own.Project)
	require.Equal(t, p.data, bound.Path)
}

func TestAFolderIsForeignUnlessBothSidesAgree(t *testing.T) {
	t.Parallel()
	write := func(path, text string) func(*testing.T, place) {
		return func(t *testing.T, p place) {
			require.NoError(t, os.WriteFile(filepath.Join(p.data, path), []byte(text), 0o600))
		}
	}
	for name, harm := range map[string]func(*testing.T, place){
		"another id":          write(ownerFile, `{"id":"x","project":"p"}`),
		"no id":               write(ownerFile, `{"project":"p"}`),
		"no JSON":             write(ownerFile, `{`),
		"a name that is none": func(t *testing.T, p place) { editOwner(t, p, func(o *owner) { o.Project = "a.b" }) },
		"over the limit": func(t *testing.T, p place) {
			b, err := os.ReadFile(filepath.Join(p.data, ownerFile))
			require.NoError(t, err)
			write(ownerFile, string(b)+string(make([]byte, maxOwnerFile)))(t, p)
		},
		"no owner.json": func(t *testing.T, p place) {
			write("x", "")(t, p)
			require.NoError(t, os.Remove(filepath.Join(p.data, ownerFile)))
		},
		"no binding": func(t *testing.T, p place) { require.NoError(t, os.Remove(p.bindingFile())) },
		"a binding without an id": func(t *testing.T, p place) {
			require.NoError(t, writeJSON(p.bindingFile(), binding{Path: p.data}))
			write(ownerFile, `{"id":"","project":"p"}`)(t, p)
		},
		"a linked owner.json": func(t *testing.T, p place) {
			file := filepath.Join(p.data, ownerFile)
			require.NoError(t, os.Rename(file, file+".real"))
			require.NoError(t, os.Symlink(file+".real", file))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := freshPlace(t)
			require.NoError(t, p.claim())
			require.NoError(t, p.claim(), "what is this user's stays so")
			harm(t, p)
			require.ErrorIs(t, p.checkOwner(), errForeign)
			require.ErrorIs(t, p.claim(), errForeign)
		})
	}
}

func editOwner(t *testing.T, p place, change func(*owner)) {
	t.Helper()
	own, _, err := p.ownership()
	require.NoError(t, err)
	change(&own)
	require.NoError(t, writeJSON(filepath.Join(p.data, ownerFile), own))
}

func TestAnOwnerFileAtTheLimitIsRead(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "f.json")
	b, err := json.Marshal(owner{ID: "x"})
	require.NoError(t, err)
	pad := make([]byte, maxOwnerFile-len(b))
	for i := range pad {
		pad[i] = ' '
	}
	var own owner
	require.NoError(t, os.WriteFile(file, append(b, pad...), 0o600))
	require.NoError(t, readSmall(file, &own))
	require.NoError(t, os.WriteFile(file, append(b, append(pad, ' ')...), 0o600))
	require.Error(t, readSmall(file, &own))
}

func TestTextsOfOthersStayOnOneLineAndHideNothing(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":          "plain",
		"  denied x: y":  "  denied x: y",
		"two\r\nlines\n": "two ⏎ lines",
		"\r\x1b[2K":      "<U+000D><U+001B>[2K",
		"a\u0085b\x9bc":  "a<U+0085>b\uFFFDc",
		"a\u2028b":       "a<U+2028>b",
	} {
		require.Equal(t, want, printable(in))
	}
}

func TestFolderWhoseMakingWasCutOffIsMadeAgain(t *testing.T) {
	t.Parallel()
	for name, left := range map[string][]string{
		"only the binding":       nil,
		"an empty folder":        {},
		"half of .gitignore":     {"..gitignore-1"},
		"only .gitignore":        {ignoreFile},
		"half of owner.json":     {ignoreFile, ".owner.json-1"},
		"twice half a file each": {"..gitignore-1", ignoreFile, ".owner.json-1", ".owner.json-2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := freshPlace(t)
			require.NoError(t, p.claim())
			require.NoError(t, os.RemoveAll(p.data))
			if left != nil {
				require.NoError(t, os.Mkdir(p.data, 0o700))
			}
			for _, file := range left {
				require.NoError(t, os.WriteFile(filepath.Join(p.data, file), nil, 0o600))
			}
			require.NoError(t, p.checkOwner())
			require.NoError(t, p.claim())
			_, _, err := p.ownership()
			require.NoError(t, err)
			ignored, err := os.ReadFile(filepath.Join(p.data, ignoreFile))
			require.NoError(t, err)
			require.Equal(t, ignoreAll, string(ignored))
		})
	}
}

func TestFolderWithMoreThanItsBeginningIsForeign(t *testing.T) {
	t.Parallel()
	for _, more := range []string{"bus", "bus-tokens.json", "tokens", ".owner.json", ".gitignored"} {
		t.Run(more, func(t *testing.T) {
			t.Parallel()
			p := freshPlace(t)
			require.NoError(t, p.claim())
			require.NoError(t, os.Remove(filepath.Join(p.data, ownerFile)))
			require.NoError(t, os.WriteFile(filepath.Join(p.data, more), nil, 0o600))
			require.ErrorIs(t, p.claim(), errForeign)
		})
	}
	p := freshPlace(t)
	require.NoError(t, os.Mkdir(p.data, 0o700))
	require.NoError(t, os.Symlink("/elsewhere", filepath.Join(p.data, ignoreFile)))
	require.ErrorIs(t, p.claim(), errForeign)
}
