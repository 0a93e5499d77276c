package sessionlog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Prepare makes the folder of a project's session logs. Git does not see a
// logs folder that was made here; one that is there already is left as it is, and
// where a link leads nothing is made: those who write logs say that they do not.
func Prepare(project string) error {
	base := filepath.Join(project, filepath.FromSlash(Base))
	logs := filepath.Dir(base)
	switch err := os.Mkdir(logs, 0o700); {
	case err == nil:
		if err := os.WriteFile(filepath.Join(logs, ".gitignore"), []byte("*\n"), 0o600); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrExist):
		return err
	default:
		info, err := os.Lstat(logs)
		if err != nil || info.Mode().Type() == fs.ModeSymlink {
			return err
		}
	}
	return os.MkdirAll(base, 0o700)
}
