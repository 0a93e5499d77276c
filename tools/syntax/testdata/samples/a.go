// Package a does things.
package a

import "fmt"

// Max is a bound.
const Max = 3

const (
	// One is one.
	One = iota
	Two
)

var counter int

// Server serves.
// It is safe for concurrent use.
type Server struct {
	name string
}

type (
	// ID names things.
	ID   string
	Doer interface {
		Do(x int) error
	}
)

// New makes a server.
func New(name string) *Server {
	return &Server{name}
}

// Do does.
func (s *Server) Do(x int) error { return fmt.Errorf("%d", x) }

func (p Pair[K, V]) Key() K { return p.k }

func Map[T any](xs []T) {}

// several names of one declaration
var first, second = 1, 2

const (
	third, fourth = iota, iota
	fifth, sixth
)
