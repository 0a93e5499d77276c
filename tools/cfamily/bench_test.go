package cfamily_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/cfamily"
	"manualslop/tools/syntax"
)

// big is about 200 kB of C++: a real header where there is one, else the sample many times over.
func big(b *testing.B) string {
	b.Helper()
	if raw, err := os.ReadFile("/usr/include/nlohmann/json.hpp"); err == nil {
		return string(raw)
	}
	raw, err := os.ReadFile("testdata/read/plus.hpp")
	require.NoError(b, err)
	return strings.Repeat(string(raw), 200_000/len(raw))
}

// BenchmarkRead200kB is our structure of a C++ file of 200 kB; the target is 100 ms.
func BenchmarkRead200kB(b *testing.B) {
	text := big(b)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if len(cfamily.Read(text, cfamily.CPP, cfamily.Macros{}).Symbols) == 0 {
			b.Fatal("no symbols")
		}
	}
}

// BenchmarkTreeSitter200kB is what the parser alone takes for the same text, raw and cleaned.
func BenchmarkTreeSitter200kB(b *testing.B) {
	text := big(b)
	language, _ := syntax.ByName("cpp")
	cleaned := cfamily.Read(text, cfamily.CPP, cfamily.Macros{}).Cleaned()
	for name, src := range map[string][]byte{"raw": []byte(text), "cleaned": cleaned} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				damage, err := syntax.DamageOf(b.Context(), language, src)
				require.NoError(b, err)
				b.ReportMetric(float64(len(damage)), "damaged")
			}
		})
	}
}

// BenchmarkReadOneFile is the structure of a file of ordinary size.
func BenchmarkReadOneFile(b *testing.B) {
	raw, err := os.ReadFile("testdata/read/plus.hpp")
	require.NoError(b, err)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		cfamily.Read(string(raw), cfamily.CPP, cfamily.Macros{})
	}
}
