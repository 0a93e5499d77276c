package program

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// Open makes a new folder for one run below parent, which must be an absolute path, and writes the
// files, whose keys are names in the folder. Programs look for settings, variables and
// instructions in the parent folders, so only this user and the machine's owner may be able to
// write to those. The returned function removes the folder; what it cannot remove stays. Open removes the folders of
// runs that were killed long ago.
func Open(parent, name string, files map[string]string) (folder string, remove func(), failed *llm.Error) {
	if !filepath.IsAbs(parent) {
		return "", nil, broken("no folder is set for the program")
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", nil, broken("create a folder for the program: %v", err)
	}
	removeAbandoned(parent)
	folder, err := makeNamed(parent, name)
	if err != nil {
		return "", nil, broken("create a folder for the program: %v", err)
	}
	remove = func() { _ = os.RemoveAll(folder) }
	for name, content := range files {
		path := filepath.Join(folder, name)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, []byte(content), 0o600)
		}
		if err != nil {
			remove()
			return "", nil, broken("fill the program's folder: %v", err)
		}
	}
	return folder, remove, nil
}

// folderPrefix begins the name of a run's folder.
const folderPrefix = "run-"

// abandoned is the age from which the folder of a run belongs to an engine that was killed; a run lasts at most maxRun.
const abandoned = 24 * time.Hour

// removeAbandoned removes the folders of killed runs, which hold their settings and temporary files.
func removeAbandoned(parent string) {
	all, _ := os.ReadDir(parent) // what cannot be read is not removed
	for _, e := range all {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), folderPrefix) && time.Since(info.ModTime()) > abandoned {
			_ = os.RemoveAll(filepath.Join(parent, e.Name()))
		}
	}
}

// maxSame limits how many runs of one conversation can have a folder at the same time.
const maxSame = 16

// makeNamed makes a folder with this name, with a number appended if the name is taken: by another
// run, or by one that was killed.
func makeNamed(parent, name string) (string, error) {
	for i := range maxSame {
		folder := filepath.Join(parent, name)
		if i > 0 {
			folder += "-" + strconv.Itoa(i+1)
		}
		if err := os.Mkdir(folder, 0o700); !errors.Is(err, fs.ErrExist) {
			return folder, err
		}
	}
	return os.MkdirTemp(parent, name+"-")
}

// Proxies returns the variables with network settings, which a program needs to reach its service.
func Proxies() []string {
	return []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
		"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"}
}

func broken(format string, args ...any) *llm.Error {
	return &llm.Error{Kind: events.ModelNetwork, Message: fmt.Sprintf(format, args...)}
}

// System replaces a program's own system prompt, which mentions tools that are switched off.
const System = "You are given one prompt. It holds your instructions, the tools that there are, and the conversation " +
	"so far."
