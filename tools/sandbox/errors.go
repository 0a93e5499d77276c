package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// Sentinels for errors.Is.
var (
	// ErrDenied matches every *DeniedError.
	ErrDenied = errors.New("access denied")
	// ErrConflict means that a file no longer has the expected content.
	ErrConflict = errors.New("the file changed in the meantime")
	// ErrTooLarge means that a file is over the size limit of the workspace.
	ErrTooLarge = errors.New("file too large")
	// ErrNotRegular means that a path names a pipe, socket or device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrIsDirectory means that a path names a directory, but a file was expected.
	ErrIsDirectory = errors.New("is a directory")
	// ErrBusy means that another writer held the lock on a directory for too long.
	ErrBusy = errors.New("locked by another writer")
)

// DeniedError means that the sandbox denied access.
type DeniedError struct {
	Path    string   // as requested, with control characters escaped
	Reason  string   // one sentence, safe for a model
	Allowed []string // the base directories, for the operator only
}

// ModelText returns one line that starts with ACCESS DENIED and does not name the allowed directories.
func (e *DeniedError) ModelText() string {
	return "ACCESS DENIED: " + e.Path + ": " + e.Reason
}

// OperatorText returns ModelText and the allowed directories.
func (e *DeniedError) OperatorText() string {
	return e.ModelText() + " (allowed directories: " + strings.Join(e.Allowed, ", ") + ")"
}

// Error returns ModelText, so that a wrapped error does not leak the directories either.
func (e *DeniedError) Error() string { return e.ModelText() }

// Is matches ErrDenied.
func (e *DeniedError) Is(target error) bool { return target == ErrDenied }

// FileError is a failure caused by the file system or a limit, worded for a model.
type FileError struct {
	Path    string // as tools show it: relative to the primary base if possible
	Problem string // such as "does not exist"
	Err     error  // the cause, for errors.Is
}

// Error returns path and problem in one line.
func (e *FileError) Error() string { return e.Path + ": " + e.Problem }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// fileError converts err for the file shown as path, without the absolute names inside err.
func fileError(path string, err error) error {
	var known *FileError
	var denied *DeniedError
	if err == nil || errors.As(err, &known) || errors.As(err, &denied) {
		return err
	}
	problem := err.Error()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		problem = "does not exist"
	case errors.Is(err, fs.ErrPermission):
		problem = "permission denied by the operating system"
	case errors.Is(err, syscall.ENOTDIR):
		problem = "a parent of this path is not a directory"
	case errors.Is(err, syscall.ENAMETOOLONG):
		problem = "the name is too long for the file system"
	default:
		var inner *fs.PathError
		if errors.As(err, &inner) {
			problem = inner.Err.Error()
		}
	}
	return &FileError{Path: path, Problem: problem, Err: err}
}

func tooLarge(path string, size, limit int64) error {
	return &FileError{
		Path: path, Err: ErrTooLarge,
		Problem: fmt.Sprintf("%d bytes are more than the limit of %d bytes", size, limit),
	}
}
