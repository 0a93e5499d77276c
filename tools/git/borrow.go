package git

import (
	"os"
	"path/filepath"
)

// borrowsNothing refuses a repository whose objects lie elsewhere: whoever writes a name into
// objects/info/alternates, or a link among the objects, would read any other repository of the
// machine. Links may be wherever git looks for objects.
func (r repository) borrowsNothing() error {
	objects := filepath.Join(r.common, "objects")
	for _, name := range []string{"alternates", "http-alternates"} {
		if _, err := os.Lstat(filepath.Join(objects, "info", name)); err == nil {
			return problem("the repository takes objects from another one (objects/info/%s), which is not followed; a person "+
				"can end that with git repack -ad and by removing the file", name)
		}
	}
	for folders := []string{objects}; len(folders) > 0; folders = folders[1:] {
		entries, err := os.ReadDir(folders[0])
		if err != nil {
			continue // git says what it misses
		}
		for _, entry := range entries {
			switch {
			case entry.Type()&os.ModeSymlink != 0:
				return problem("objects of the repository are links, which are not followed")
			case entry.IsDir() && folders[0] == objects:
				folders = append(folders, filepath.Join(objects, entry.Name()))
			}
		}
	}
	return nil
}
