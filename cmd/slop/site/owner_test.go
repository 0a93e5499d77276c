package site

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"manualslop/cmd/slop/term"
)

// freshPlace is a project without a data folder.
func freshPlace(t *testing.T) Place {
	t.Helper()
	root := t.TempDir()
	return Place{Project: root, Data: filepath.Join(root, ".slop"), Base: "p", Name: "p", State: filepath.Join(t.TempDir(),
		"slop")}
}

func TestProcessesThatStartAtOnceAgreeOnWhoseTheFolderIs(t *testing.T) {
	t.Parallel()
	p := freshPlace(t)
	var all errgroup.Group
	for range 16 {
		all.Go(func() error {
			if err := p.Claim(); err != nil {
				return err
			}
			return p.CheckOwner()
		})
	}
	require.NoError(t, all.Wait())
	own, bound, err := p.Ownership()
	require.NoError(t, err)
	require.Equal(t, own.ID, bound.ID)
	require.Equal(t, "p", own.Project)
	require.Equal(t, p.Data, bound.Path)
}

func TestAFolderIsForeignUnlessBothSidesAgree(t *testing.T) {
	t.Parallel()
	write := func(path, text string) func(*testing.T, Place) {
		return func(t *testing.T, p Place) {
			require.NoError(t, os.WriteFile(filepath.Join(p.Data, path), []byte(text), 0o600))
		}
	}
	for name, harm := range map[string]func(*testing.T, Place){
		"another id":          write(OwnerFile, `{"id":"x","project":"p"}`),
		"no id":               write(OwnerFile, `{"project":"p"}`),
		"no JSON":             write(OwnerFile, `{`),
		"a name that is none": func(t *testing.T, p Place) { editOwner(t, p, func(o *Owner) { o.Project = "a.b" }) },
		"over the limit": func(t *testing.T, p Place) {
			b, err := os.ReadFile(filepath.Join(p.Data, OwnerFile))
			require.NoError(t, err)
			write(OwnerFile, string(b)+string(make([]byte, maxOwnerFile)))(t, p)
		},
		"no owner.json": func(t *testing.T, p Place) {
			write("x", "")(t, p)
			require.NoError(t, os.Remove(filepath.Join(p.Data, OwnerFile)))
		},
		"no binding": func(t *testing.T, p Place) { require.NoError(t, os.Remove(p.bindingFile())) },
		"a binding without an id": func(t *testing.T, p Place) {
			require.NoError(t, writeJSON(p.bindingFile(), binding{Path: p.Data}))
			write(OwnerFile, `{"id":"","project":"p"}`)(t, p)
		},
		"a linked owner.json": func(t *testing.T, p Place) {
			file := filepath.Join(p.Data, OwnerFile)
			require.NoError(t, os.Rename(file, file+".real"))
			require.NoError(t, os.Symlink(file+".real", file))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := freshPlace(t)
			require.NoError(t, p.Claim())
			require.NoError(t, p.Claim(), "what is this user's stays so")
			harm(t, p)
			require.ErrorIs(t, p.CheckOwner(), ErrForeign)
			require.ErrorIs(t, p.Claim(), ErrForeign)
		})
	}
}

func editOwner(t *testing.T, p Place, change func(*Owner)) {
	t.Helper()
	own, _, err := p.Ownership()
	require.NoError(t, err)
	change(&own)
	require.NoError(t, writeJSON(filepath.Join(p.Data, OwnerFile), own))
}

func TestAnOwnerFileAtTheLimitIsRead(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "f.json")
	b, err := json.Marshal(Owner{ID: "x"})
	require.NoError(t, err)
	pad := make([]byte, maxOwnerFile-len(b))
	for i := range pad {
		pad[i] = ' '
	}
	var own Owner
	require.NoError(t, os.WriteFile(file, append(b, pad...), 0o600))
	require.NoError(t, ReadSmall(file, &own))
	require.NoError(t, os.WriteFile(file, append(b, append(pad, ' ')...), 0o600))
	require.Error(t, ReadSmall(file, &own))
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
		require.Equal(t, want, term.Printable(in))
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
			require.NoError(t, p.Claim())
			require.NoError(t, os.RemoveAll(p.Data))
			if left != nil {
				require.NoError(t, os.Mkdir(p.Data, 0o700))
			}
			for _, file := range left {
				require.NoError(t, os.WriteFile(filepath.Join(p.Data, file), nil, 0o600))
			}
			require.NoError(t, p.CheckOwner())
			require.NoError(t, p.Claim())
			_, _, err := p.Ownership()
			require.NoError(t, err)
			ignored, err := os.ReadFile(filepath.Join(p.Data, ignoreFile))
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
			require.NoError(t, p.Claim())
			require.NoError(t, os.Remove(filepath.Join(p.Data, OwnerFile)))
			require.NoError(t, os.WriteFile(filepath.Join(p.Data, more), nil, 0o600))
			require.ErrorIs(t, p.Claim(), ErrForeign)
		})
	}
	p := freshPlace(t)
	require.NoError(t, os.Mkdir(p.Data, 0o700))
	require.NoError(t, os.Symlink("/elsewhere", filepath.Join(p.Data, ignoreFile)))
	require.ErrorIs(t, p.Claim(), ErrForeign)
}
