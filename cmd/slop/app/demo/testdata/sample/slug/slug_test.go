package slug

import "testing"

func TestMake(t *testing.T) {
	for title, want := range map[string]string{
		"Release 2":       "release-2",
		"Hello, World!":   "hello-world",
		"  spaced   out ": "spaced-out",
		"":                "",
	} {
		if got := Make(title); got != want {
			t.Errorf("Make(%q) = %q, want %q", title, got, want)
		}
	}
}
