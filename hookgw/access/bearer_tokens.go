package access

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// TokenFile names the file of a right's token in the folder of tokens.
func TokenFile(r Right) string { return string(r) + ".token" }

// ErrTokens means that the folder of tokens cannot be trusted.
var ErrTokens = errors.New("tokens")

// Sizes of tokens: the size of new ones, and the limits for those in files.
const (
	tokenBytes    = 32
	minTokenChars = 32
	maxTokenChars = 256
)

// Keyring holds a digest of each token, so that every comparison takes the same time.
type Keyring struct {
	rights  []Right
	digests [][sha256.Size]byte
}

// OpenKeyring reads the tokens in dir and creates missing ones.
func OpenKeyring(dir string) (*Keyring, error) {
	tokens, err := MakeTokens(dir)
	if err != nil {
		return nil, err
	}
	k := &Keyring{}
	for i, token := range tokens {
		if k.find(token) != RightNone {
			return nil, fmt.Errorf("%w: two files in %s hold the same token; delete them", ErrTokens, dir)
		}
		k.rights = append(k.rights, tokenRights()[i])
		k.digests = append(k.digests, sha256.Sum256([]byte(token)))
	}
	return k, nil
}

func tokenRights() []Right { return []Right{RightHuman, RightAsk, RightRead} }

// MakeTokens creates the missing tokens in dir and returns all of them, so that they can be masked in records. Errors:
// ErrTokens.
func MakeTokens(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTokens, err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTokens, err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%w: other users can enter %s (mode %04o); run chmod 700 on it", ErrTokens, dir, info.Mode().Perm())
	}
	var tokens []string
	for _, r := range tokenRights() {
		token, err := readOrMake(filepath.Join(dir, TokenFile(r)))
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, token)
	}
	return tokens, nil
}

// find returns the right that token grants, or RightNone if the token is unknown.
func (k *Keyring) find(token string) Right {
	var text [maxTokenChars]byte // avoids an allocation
	if len(token) > len(text) {
		return RightNone // longer than every token
	}
	digest := sha256.Sum256(text[:copy(text[:], token)])
	found := RightNone
	for i := range k.digests {
		if subtle.ConstantTimeCompare(digest[:], k.digests[i][:]) == 1 {
			found = k.rights[i]
		}
	}
	return found
}

// readOrMake returns the token in a file. If several processes create it at the same time one wins, and all return the
// winner's token.
func readOrMake(path string) (string, error) {
	token, err := readToken(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	raw := make([]byte, tokenBytes)
	if _, err := rand.Read(raw); err != nil {
		return "", fmt.Errorf("%w: %w", ErrTokens, err)
	}
	if err := writeOnce(path, base64.RawURLEncoding.EncodeToString(raw)+"\n"); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%w: %w", ErrTokens, err)
	}
	return readToken(path)
}

// writeOnce writes a whole file, or fails with fs.ErrExist.
func writeOnce(path, text string) error {
	draft, err := os.CreateTemp(filepath.Dir(path), ".draft-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	_, werr := draft.WriteString(text)
	if err := errors.Join(werr, draft.Sync(), draft.Close()); err != nil {
		return err
	}
	return os.Link(draft.Name(), path)
}

func readToken(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrTokens, err)
	}
	switch {
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%w: %s is not a regular file; delete it", ErrTokens, path)
	case info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("%w: others may read %s (mode %04o); delete it, and slop creates a new "+
			"one", ErrTokens, path,
			info.Mode().Perm())
	case info.Size() > maxTokenChars+2:
		return "", fmt.Errorf("%w: %s is too long for a token; delete it", ErrTokens, path)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrTokens, err)
	}
	token := strings.TrimSpace(string(raw))
	if len(token) < minTokenChars || len(token) > maxTokenChars || strings.IndexFunc(token, notVisible) >= 0 {
		return "", fmt.Errorf("%w: %s must hold a token of %d to %d visible characters; delete it, and slop "+
			"creates a new one",
			ErrTokens, path, minTokenChars, maxTokenChars)
	}
	return token, nil
}

func notVisible(r rune) bool { return r <= ' ' || r > '~' }
