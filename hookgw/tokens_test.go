package hookgw_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
)

// config is a usable configuration with a folder of tokens of its own.
func config(t *testing.T) core.Config {
	t.Helper()
	log := eventstest.NewMemory()
	same := func(string) events.Log { return log }
	return core.Config{
		Listen: "127.0.0.1:0", Tokens: filepath.Join(t.TempDir(), "tokens"), Project: project, Person: person,
		Log: log, PersonLog: same, AgentLog: same, Models: openModels(t, log, 1000),
	}
}

// start makes a gateway and gives its address back at once.
func start(t *testing.T, cfg core.Config) error {
	t.Helper()
	gw, err := hookgw.New(t.Context(), cfg)
	if err != nil {
		return err
	}
	return gw.Close()
}

var rights = []access.Right{access.RightHuman, access.RightAsk, access.RightRead}

func TestTokensAreThreeDifferentSecretsThatOthersCannotRead(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	require.NoError(t, start(t, cfg))
	dir, err := os.Stat(cfg.Tokens)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), dir.Mode().Perm())
	seen := map[string]bool{}
	for _, r := range rights {
		path := filepath.Join(cfg.Tokens, access.TokenFile(r))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), path)
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(strings.TrimSpace(string(raw))), 43, "256 bits")
		seen[string(raw)] = true
	}
	require.Len(t, seen, 3)
	files, err := os.ReadDir(cfg.Tokens)
	require.NoError(t, err)
	require.Len(t, files, 3, "no draft is left behind")
}

func TestTokensThatAreThereAreUsedAgain(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	require.NoError(t, start(t, cfg))
	before := readTokens(t, cfg.Tokens)
	require.NoError(t, start(t, cfg))
	require.Equal(t, before, readTokens(t, cfg.Tokens))
}

func TestGatewaysThatStartTogetherAgreeOnTheTokens(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	var all sync.WaitGroup
	failed := make(chan error, 16)
	for range cap(failed) {
		all.Go(func() {
			gw, err := hookgw.New(context.WithoutCancel(t.Context()), cfg)
			if err == nil {
				err = gw.Close()
			}
			failed <- err
		})
	}
	all.Wait()
	for range cap(failed) {
		require.NoError(t, <-failed)
	}
	require.Len(t, readTokens(t, cfg.Tokens), 3)
}

func TestTokensThatCannotBeTrustedAreRefused(t *testing.T) {
	t.Parallel()
	human := access.TokenFile(access.RightHuman)
	for name, spoil := range map[string]func(dir string) error{
		"others may enter the folder": func(dir string) error { return os.Chmod(dir, 0o750) },
		"others may read a token":     func(dir string) error { return os.Chmod(filepath.Join(dir, human), 0o640) },
		"an empty token":              func(dir string) error { return os.WriteFile(filepath.Join(dir, human), nil, 0o600) },
		"a short token": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, human), []byte(strings.Repeat("x", 31)), 0o600)
		},
		"a token over the limit": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, human), []byte(strings.Repeat("x", 257)), 0o600)
		},
		"a token with a space": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, human), []byte(strings.Repeat("x ", 20)+"x"), 0o600)
		},
		"a link": func(dir string) error {
			if err := os.Rename(filepath.Join(dir, human), filepath.Join(dir, "elsewhere")); err != nil {
				return err
			}
			return os.Symlink("elsewhere", filepath.Join(dir, human))
		},
		"the same token twice": func(dir string) error {
			raw, err := os.ReadFile(filepath.Join(dir, access.TokenFile(access.RightRead)))
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, human), raw, 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := config(t)
			require.NoError(t, start(t, cfg))
			require.NoError(t, spoil(cfg.Tokens))
			require.ErrorIs(t, start(t, cfg), access.ErrTokens)
		})
	}
}

func readTokens(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, r := range rights {
		raw, err := os.ReadFile(filepath.Join(dir, access.TokenFile(r)))
		require.NoError(t, err)
		out[string(r)] = string(raw)
	}
	return out
}
