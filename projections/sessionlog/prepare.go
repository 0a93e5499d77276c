package sessionlog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Prepare creates the folder of a project's session logs. If it creates the logs folder, git
// ignores it; an existing one is not changed. Nothing is created through a link; the log writers
// will report that they cannot write.
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
