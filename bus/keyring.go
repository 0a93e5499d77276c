package bus

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nats-server/v2/server"

	"manualslop/bus/durable"
)

// keyring knows who may connect: for each token's SHA-256 its role. Tokens of
// this process live as long as it does; those for other processes are kept on
// disk by digest, never in the clear.
type keyring struct {
	path    string
	pools   []string
	outside *outside

	mu     sync.Mutex
	minted map[string]Role
	kept   map[string]keptToken
}

var _ server.Authentication = (*keyring)(nil)

// keptToken is a token in a file under Dir; written anew, the files of a folder
// replace all that were there.
type keptToken struct {
	SHA256 string `json:"sha256"`
	Dir    string `json:"dir"`
	Role
}

func openKeyring(data string, pools []string, log *slog.Logger) (*keyring, error) {
	k := &keyring{path: filepath.Join(data, "bus-tokens.json"), pools: pools, outside: openOutside(data, log),
		minted: map[string]Role{}, kept: map[string]keptToken{}}
	body, err := os.ReadFile(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		// The file is there from the first start on, so that nobody can bring
		// one later by adding a file to the folder.
		return k, durable.WriteFile(k.path, []byte("[]\n"))
	}
	if err != nil {
		return nil, fmt.Errorf("tokens: %w", err)
	}
	var list []keptToken
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("tokens: %s: %w", k.path, err)
	}
	for _, t := range list {
		if err := t.Check(); err != nil {
			return nil, fmt.Errorf("tokens: %s: %w", k.path, err)
		}
		k.kept[t.SHA256] = t
	}
	return k, nil
}

func newToken() string { return rand.Text() + rand.Text() }

func digest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// mint makes a token that is valid while this process lives.
func (k *keyring) mint(r Role) string {
	token := newToken()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.minted[digest(token)] = r
	return token
}

// knows tells whether token is kept for exactly this role.
func (k *keyring) knows(token string, r Role) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept, ok := k.kept[digest(token)]
	return ok && kept.Role == r
}

// replace makes tokens the only valid ones of the files under dir, also after
// a restart.
func (k *keyring) replace(dir string, tokens map[string]Role) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	next := map[string]keptToken{}
	for sum, t := range k.kept {
		if t.Dir != dir {
			next[sum] = t
		}
	}
	for token, r := range tokens {
		sum := digest(token)
		next[sum] = keptToken{sum, dir, r}
	}
	list := slices.SortedFunc(maps.Values(next), func(a, b keptToken) int { return strings.Compare(a.SHA256, b.SHA256) })
	body, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return fmt.Errorf("tokens: %w", err)
	}
	if err := durable.WriteFile(k.path, append(body, '\n')); err != nil {
		return err
	}
	k.kept = next
	return nil
}

// Check lets a connection in whose token is known and gives it its rights.
func (k *keyring) Check(c server.ClientAuthentication) bool {
	token := c.GetOpts().Token
	if token == "" {
		return false
	}
	sum := digest(token)
	k.mu.Lock()
	r, inside := k.minted[sum]
	kept, ok := k.kept[sum]
	k.mu.Unlock()
	switch {
	case inside:
	case ok:
		r = kept.Role
		k.outside.add(r.Kind) // waits for the disk
	default:
		return false
	}
	c.RegisterUser(&server.User{Username: r.String(), Permissions: rightsOf(r, k.pools).permissions()})
	return true
}
