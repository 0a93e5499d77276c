package version

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"sync"
)

// ID identifies this program by its content: two builds that may decide differently have different ids. The linker
// has already hashed the program; only if the linker's id cannot be found is the whole file read.
var ID = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	if id := linkerID(path); len(id) > 0 {
		sum := sha256.Sum256(id)
		return hex.EncodeToString(sum[:16]), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("read this program: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
})

// shortestID is the least length of a valid id; a builder may empty it.
const shortestID = 40

// linkerID returns the id that the Go linker wrote, either into its own section or at the beginning of the code.
func linkerID(path string) []byte {
	if file, err := elf.Open(path); err == nil {
		defer file.Close()
		if section := file.Section(".note.go.buildid"); section != nil {
			if note, err := section.Data(); err == nil && len(note) > shortestID {
				return note
			}
		}
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, 64<<10)
	n, _ := io.ReadFull(f, head) // a shorter file is read whole
	_, id, found := bytes.Cut(head[:n], []byte("\xff Go build ID: \""))
	if !found {
		return nil
	}
	id, _, found = bytes.Cut(id, []byte("\"\n \xff"))
	if !found || len(id) < shortestID {
		return nil
	}
	return id
}
