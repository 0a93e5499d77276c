package mcp

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"manualslop/bus/durable"
)

// maxLog is the size in bytes at which a server's log is renamed. The previously renamed log is dropped.
const maxLog = 1 << 20

// serverLog writes the error output of a server to disk.
type serverLog struct {
	mu   sync.Mutex
	name string
	mask func([]byte) []byte
	file *os.File
	size int64
	line []byte // an incomplete line
}

type discard struct{ io.Writer }

func (discard) Close() error { return nil }

// LogFile returns the path of a server's error log. The older log has the suffix ".old".
func LogFile(folder, server string) string { return filepath.Join(folder, slug(server, "_")+".log") }

// openLog opens the log of a server for appending.
func openLog(around Surroundings, server string) (io.WriteCloser, error) {
	if around.Logs == "" {
		return discard{io.Discard}, nil
	}
	if err := durable.MakeFolder(around.Logs); err != nil {
		return nil, err
	}
	l := &serverLog{name: LogFile(around.Logs, server), mask: around.Mask}
	return l, l.open()
}

func (l *serverLog) open() (err error) {
	if l.file, err = os.OpenFile(l.name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		return err
	}
	info, err := l.file.Stat()
	if err == nil {
		l.size = info.Size()
	}
	return err
}

// Write writes only whole lines, so that a secret is masked even if it arrives in two parts.
func (l *serverLog) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = append(l.line, data...)
	if end := bytes.LastIndexByte(l.line, '\n'); end >= 0 || len(l.line) > maxStderr {
		if end < 0 {
			end = len(l.line) - 1
		}
		whole := bytes.Clone(l.line[:end+1])
		l.line = append(l.line[:0], l.line[end+1:]...)
		return len(data), l.keep(whole)
	}
	return len(data), nil
}

func (l *serverLog) keep(lines []byte) error {
	if l.mask != nil {
		lines = l.mask(lines)
	}
	if l.size > 0 && l.size+int64(len(lines)) > maxLog {
		if err := errors.Join(l.file.Close(), os.Rename(l.name, l.name+".old")); err != nil {
			return err
		}
		if err := l.open(); err != nil {
			return err
		}
	}
	n, err := l.file.Write(lines)
	l.size += int64(n)
	return err
}

func (l *serverLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	if len(l.line) > 0 {
		err = l.keep(append(l.line, '\n'))
	}
	return errors.Join(err, l.file.Close())
}
