package bus

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"manualslop/events"
)

// Durabilities: what an acknowledged append survives.
const (
	// Sync: the death of the process and the loss of power.
	Sync = "sync"
	// Relaxed: the death of the process. A loss of power may take the last
	// seconds or minutes, always a suffix of the log.
	Relaxed = "relaxed"
)

// ErrConfig says that a setting makes no sense.
var ErrConfig = errors.New("bus: bad configuration")

// defaultBudget bounds the disk that all streams may use together, where the
// disk has room for that.
const defaultBudget = 10 << 30

// MinBudget is the least disk budget: every stream must hold some messages.
const MinBudget = 8 << 20

// Config is what [Open] needs. The zero value of each field but Dir is usable.
type Config struct {
	// Dir is the data folder; the store is <Dir>/bus. Made if missing.
	Dir string
	// Durability of acknowledged appends. Default Sync.
	Durability string
	// Listen is "host:port" on which other processes may connect with their
	// tokens; port 0 takes a free one. Default: no listener at all.
	Listen string
	// MaxBytes is the disk budget in bytes; half of it is for events. Default
	// 10 GiB, or nine tenths of the free disk where that is less; at least
	// MinBudget. It is settled when the store is made; later it can be raised
	// and never lowered.
	MaxBytes int64
	// Serves says what the process does, for the message that a second
	// process on the same folder gets.
	Serves string
	// Project whose queues of work the server makes. Default: none.
	Project string
	// Pools are the queues of work. Default [Pools] of Project.
	Pools []Pool
	// People and Agents are the actors for whom WriteKeys writes tokens.
	People, Agents []string
	// Host names this machine in the names of workers. Default: its host name.
	Host string
	// Repair replaces a damaged record of begun calls: every open call that may
	// have begun then goes to a person. Without it such a store is refused.
	Repair bool
	// Thorough reads every stored message at the start, also where an orderly
	// stop left no reason for doubt.
	Thorough bool
	// Logger takes what the server says. Default: nothing is logged.
	Logger *slog.Logger
}

func (cfg *Config) complete() error {
	switch {
	case cfg.Dir == "":
		return fmt.Errorf("%w: no data folder", ErrConfig)
	case cfg.Durability == "":
		cfg.Durability = Sync
	case cfg.Durability != Sync && cfg.Durability != Relaxed:
		return fmt.Errorf("%w: durability %q is neither %q nor %q", ErrConfig, cfg.Durability, Sync, Relaxed)
	}
	if cfg.MaxBytes != 0 && cfg.MaxBytes < MinBudget {
		return fmt.Errorf("%w: disk budget of %d bytes, at least %d", ErrConfig, cfg.MaxBytes, MinBudget)
	}
	if cfg.Project != "" && !events.ValidToken(cfg.Project) {
		return fmt.Errorf("%w: project %.80q is no token", ErrConfig, cfg.Project)
	}
	if cfg.Pools == nil && cfg.Project != "" {
		cfg.Pools = Pools(cfg.Project)
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Host == "" {
		if name, err := os.Hostname(); err == nil {
			cfg.Host = events.Token(name)
		} else {
			cfg.Host = "host"
		}
	}
	return nil
}

func (cfg *Config) store() string { return filepath.Join(cfg.Dir, "bus") }

// budget is the disk that a new store may use.
func (cfg *Config) budget() int64 {
	if cfg.MaxBytes > 0 {
		return cfg.MaxBytes
	}
	free, _, err := diskRoom(cfg.Dir)
	if err != nil {
		return defaultBudget
	}
	return max(min(defaultBudget, free/10*9), MinBudget)
}
