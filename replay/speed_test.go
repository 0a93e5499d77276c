package replay_test

import (
	"encoding/json"
	"fmt"
	"syscall"
	"testing"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
	scripted "manualslop/tiers/llm/script"
)

// oneTicket is a session of a single ticket of so many rounds, as slop run
// writes it: a call, its result, and a prompt that holds all of them.
func oneTicket(rounds, padding int) script {
	s := benchScript(1, 1, rounds)
	s.padding, s.bodies = padding, true
	s.settings = func(s *events.Settings) {
		for i := range s.Tiers {
			s.Tiers[i].MaxRounds = rounds + 1
		}
	}
	s.models = events.ModelsOffered{Models: []events.ModelOffer{{Provider: "script", Model: "*", ContextWindow: 1 << 40,
		MaxOutputTokens: 1000}}}
	return s
}

// cpuTime is the processor time that the process has taken.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// measured is the time on the clock and on the processors that some work took.
type measured struct{ clock, cpu time.Duration }

func (m *measured) add(work func()) {
	cpu, clock := cpuTime(), time.Now()
	work()
	m.clock, m.cpu = m.clock+time.Since(clock), m.cpu+cpuTime()-cpu
}

func (m *measured) report(b *testing.B, name string, events int) {
	b.Helper()
	b.ReportMetric(float64(events*b.N)/m.clock.Seconds(), name+"-events/s")
	b.ReportMetric(float64(m.cpu.Microseconds())/float64(events*b.N), name+"-cpu-µs/event")
}

// enveloped is the yardstick of the goals: one json.Unmarshal of each event into
// its envelope, and nothing else.
func enveloped(session [][]byte) error {
	for _, b := range session {
		var e wireEnvelope
		if err := json.Unmarshal(b, &e); err != nil {
			return err
		}
	}
	return nil
}

// wireEnvelope is the envelope of an event, as its JSON has it.
type wireEnvelope struct {
	SpecVersion, ID, Source, Type, Subject, DataContentType, DataSchema, Session, Cause, Corr string
	Time                                                                                      time.Time
	V, N, Tier                                                                                int
	Data                                                                                      json.RawMessage
}

// bodied builds the body of every prompt again.
func bodied(session [][]byte) error {
	history, err := read(events.Catalogue(), session)
	if err != nil {
		return err
	}
	seen, bad := llm.CheckBodies(history, map[string]llm.Provider{scripted.Name: scripted.Provider{}}, texts)
	if bad != nil {
		return fmt.Errorf("position %d: %s %w", bad.Position, bad.Want, bad.Err)
	}
	if seen.Same == 0 {
		return fmt.Errorf("no prompt was compared: %+v", seen)
	}
	return nil
}

// BenchmarkReplay is refold and verify of many sessions, and of single tickets.
func BenchmarkReplay(b *testing.B) {
	for name, r := range map[string]func() record{
		"sessions":   func() record { return truthfulRecord(b, 200) },
		"rounds=50":  func() record { return record{wireOf(b, play(1, oneTicket(50, 5200)))} },
		"rounds=300": func() record { return record{wireOf(b, play(1, oneTicket(300, 5200)))} },
		"rounds=900": func() record { return record{wireOf(b, play(1, oneTicket(900, 5200)))} },
	} {
		b.Run(name, func(b *testing.B) {
			all := r()
			n, bytes := all.size()
			var plain, refold, verify, prompts measured
			for b.Loop() {
				plain.add(func() { all.parallel(b, enveloped) })
				refold.add(func() { all.parallel(b, rebuilt) })
				verify.add(func() { all.parallel(b, verified) })
				prompts.add(func() { all.parallel(b, bodied) })
			}
			plain.report(b, "envelope", n)
			refold.report(b, "refold", n)
			verify.report(b, "verify", n)
			prompts.report(b, "prompts", n)
			b.ReportMetric(float64(bytes)/float64(n), "bytes/event")
		})
	}
}
