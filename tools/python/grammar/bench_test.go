package grammar_test

import (
	"strings"
	"testing"

	"manualslop/tools/python/grammar"
)

// ordinary is some ordinary Python.
var ordinary = strings.Repeat(`
class Reader(Base):
    """Reads what there is."""

    limit: int = 10

    def read(self, path, *, encoding="utf-8", errors=None):
        # the usual way
        with open(path, encoding=encoding) as file:
            for number, line in enumerate(file, start=1):
                if not line.strip() or line.startswith("#") and number > self.limit:
                    continue
                self.lines.append((number, [part.strip() for part in line.split(",")]))
        return {key: value for key, value in self.lines if key is not None}
`, 400)

func BenchmarkCheck(b *testing.B) {
	b.SetBytes(int64(len(ordinary)))
	for b.Loop() {
		grammar.Check(ordinary, 1)
	}
}

func BenchmarkAnalyze(b *testing.B) {
	b.SetBytes(int64(len(ordinary)))
	for b.Loop() {
		grammar.Analyze(ordinary)
	}
}

func BenchmarkCheckOfABrokenText(b *testing.B) {
	text := ordinary + "x = f(a b)\n"
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		grammar.Check(text, 1)
	}
}
