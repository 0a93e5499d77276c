package bus

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"manualslop/bus/durable"
)

// survey describes the files on disk before the server starts, because the server changes files that it cannot read.
type survey struct {
	store string
	log   *slog.Logger
	// thorough makes it read every block.
	thorough bool
	ends     ends
	found    map[string]bool // folders of streams
	scan     map[string]streamScan
	// remarks describe, for people, what was lost or discarded.
	remarks []string
}

// surveyStore examines the store before the server changes it. Damaged data that can be recomputed is removed;
// other damage is a [DamageError].
func surveyStore(cfg *Config) (*survey, error) {
	store := cfg.store()
	s := &survey{store: store, thorough: cfg.Thorough, log: cfg.Logger, found: map[string]bool{},
		scan: map[string]streamScan{}}
	if err := s.readEnds(cfg.Repair); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(streamsFolder(store))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("survey of the store: %w", err)
	}
	for _, e := range entries {
		s.found[e.Name()] = true
	}
	if !s.ends.Made {
		unfinished, err := s.removeUnfinished(cfg.Repair)
		if unfinished || err != nil {
			return s, err
		}
	}
	if cfg.Repair {
		if err := s.setClaimsAside(); err != nil {
			return nil, err
		}
	}
	for _, check := range []func() error{s.checkStreams, s.dropBrokenPools, s.dropBrokenSnapshots} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func streamsFolder(store string) string { return filepath.Join(store, "jetstream", "$G", "streams") }

func (s *survey) folder(stream string) string { return filepath.Join(streamsFolder(s.store), stream) }

// remark records something that a person should know.
func (s *survey) remark(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.remarks = append(s.remarks, text)
	s.log.Warn("store: " + text)
}

// readEnds reads the record of the store. A repair continues without a damaged record: as after a crash, and with
// claims that may be incomplete.
func (s *survey) readEnds(repair bool) (err error) {
	s.ends, err = readEnds(s.store)
	var damage *DamageError
	if repair && errors.As(err, &damage) {
		s.takeAsItIs()
		return nil
	}
	return err
}

// takeAsItIs replaces a lost record.
func (s *survey) takeAsItIs() {
	s.ends = ends{Made: true, ClaimsLost: true}
	s.remark("%s was damaged or missing; the store is accepted as it is", endsPath(s.store))
}

// removeUnfinished removes what an incomplete creation of a store left behind. Nothing is acknowledged before the
// creation ends. Therefore a store that holds messages was complete and has lost its record, and is not removed.
func (s *survey) removeUnfinished(repair bool) (unfinished bool, err error) {
	for name := range s.found {
		scan, err := scanStream(s.folder(name), name, true)
		switch {
		case err != nil:
			return false, fmt.Errorf("survey of the store: %w", err)
		case scan.bytes == 0:
		case repair:
			s.takeAsItIs()
			return false, nil
		default:
			return false, lostEnds(s.store, fmt.Sprintf("is missing, but stream %s has messages", name))
		}
	}
	old := filepath.Join(s.store, "jetstream")
	if _, err := os.Lstat(old); err == nil {
		s.log.Info("the store was not completely created; creating it again", "store", s.store)
	}
	s.found = map[string]bool{}
	return true, os.RemoveAll(old)
}

// checkStreams rejects a store in which a stream that cannot be recomputed is missing, is shorter than before, or
// is unreadable where the server would drop messages.
func (s *survey) checkStreams() error {
	for _, name := range []string{StreamEvents, streamClaims, streamBlobs} {
		if name == streamClaims && s.ends.ClaimsLost && !s.found[name] {
			continue // being recreated
		}
		if err := s.checkStream(name); err != nil {
			return err
		}
	}
	return nil
}

func (s *survey) checkStream(name string) error {
	dir := s.folder(name)
	if !s.found[name] || !metaHolds(dir, name) {
		return s.damage(name, fmt.Sprintf("%s is missing or its description is damaged", dir))
	}
	all := s.thorough || name == streamClaims || !s.ends.Closed || !indexHolds(dir, name)
	scan, err := scanStream(dir, name, all)
	if err != nil {
		return fmt.Errorf("survey of stream %s: %w", name, err)
	}
	s.scan[name] = scan
	end := s.ends.of(name)
	switch {
	case scan.damage != nil && (!s.ends.powerLost() || scan.damage.after < end.Synced):
		return s.damage(name, scan.damage.String())
	case scan.last >= end.Seq:
		if scan.torn || scan.damage != nil {
			s.remark("the newest record of %s, after sequence %d, is incomplete and is dropped", titles[name], scan.last)
		}
	case s.ends.powerLost() && scan.last >= end.Synced:
		s.remark("the end of %s was lost in a power failure: it ends at sequence %d but had reached %d; "+
			`durability "sync" prevents that`, titles[name], scan.last, end.Seq)
	case name == streamClaims && s.ends.ClaimsLost:
	default:
		return s.damage(name, fmt.Sprintf("it ends at sequence %d but had reached %d", scan.last, end.Seq))
	}
	return nil
}

// titles are the names of the streams in messages.
var titles = map[string]string{
	StreamEvents: "the log", streamClaims: "the record of started calls", streamBlobs: "the store of large texts",
}

// setClaimsAside moves damaged claims out of the way. The record says that they are lost until every open call
// has a new one.
func (s *survey) setClaimsAside() error {
	var damage *DamageError
	if err := s.checkStream(streamClaims); !errors.As(err, &damage) {
		return err
	}
	s.ends.ClaimsLost = true
	if err := s.ends.write(s.store); err != nil {
		return err
	}
	aside := filepath.Join(s.store, "damaged")
	if err := durable.MakeFolder(aside); err != nil {
		return fmt.Errorf("set damaged claims aside: %w", err)
	}
	to := filepath.Join(aside, streamClaims+"-"+time.Now().UTC().Format("20060102T150405.000"))
	if err := os.Rename(s.folder(streamClaims), to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("set damaged claims aside: %w", err)
	}
	s.found[streamClaims] = false
	s.remark("%s was damaged and was moved to %s", titles[streamClaims], to)
	return durable.SyncFolder(aside)
}

// dropBrokenPools removes the files of pools that the server could not read. If a pool has delivered an event that
// the log does not hold, the log has lost its end, unless the log was closed by an orderly stop.
func (s *survey) dropBrokenPools() error {
	dirs, err := os.ReadDir(filepath.Join(s.folder(StreamEvents), "obs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("survey of the pools: %w", err)
	}
	last := s.scan[StreamEvents].last
	for _, d := range dirs {
		dir := filepath.Join(s.folder(StreamEvents), "obs", d.Name())
		at, readable := readPoolState(dir)
		whole := readable && metaHolds(dir, StreamEvents+"/"+d.Name())
		if whole && at.delivered <= last {
			continue
		}
		if whole && !s.ends.powerLost() && !s.ends.Closed {
			return s.damage(StreamEvents, fmt.Sprintf("it ends at sequence %d, but pool %s was given event %d "+
				"(if %s is damaged "+
				"instead, remove that folder)",
				last, d.Name(), at.delivered, dir))
		}
		s.remark("the position of pool %s was damaged and is being rebuilt", d.Name())
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("remove pool %s: %w", d.Name(), err)
		}
	}
	return nil
}

// dropBrokenSnapshots removes the snapshots if the server could not read them.
func (s *survey) dropBrokenSnapshots() error {
	dir := s.folder(streamSnapshots)
	if s.found[streamSnapshots] && metaHolds(dir, streamSnapshots) {
		return nil
	}
	s.remark("the snapshots were damaged or removed and are being rebuilt")
	s.found[streamSnapshots] = false
	return os.RemoveAll(dir)
}
