package engine

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// smapsOf is one mapping as the system lists it.
func smapsOf(head, anonymous, swap string) string {
	return head + "\nSize:      64 kB\nRss:       64 kB\nAnonymous: " + anonymous +
		" kB\nAnonHugePages: 0 kB\nSwap:      " + swap + " kB\nSwapPss:   0 kB\nVmFlags: rd ex mr\n"
}

func TestOnlyUnchangedPagesOfTheProgramAreUnmapped(t *testing.T) {
	t.Parallel()
	const tail = " 00002000 fe:00 9978061                            /opt/my tools/slop"
	smaps := smapsOf("00402000-026f7000 r-xp"+tail, "0", "0") +
		smapsOf("026f7000-0728e000 r--p"+tail, "0", "0") +
		smapsOf("0728e000-072a4000 r--p"+tail, "84", "0") + // the loader's
		smapsOf("072a4000-072a6000 r--p"+tail, "0", "4") + // and swapped out
		smapsOf("072a6000-074a5000 rw-p"+tail, "0", "0") +
		smapsOf("074a5000-074a6000 r--p"+tail+" (deleted)", "0", "0") +
		smapsOf("7f0000000000-7f0000001000 r-xp 00026000 fe:00 326269 /usr/lib/libc.so.6", "0", "0") +
		smapsOf("7f0000002000-7f0000003000 r--p 00000000 00:00 0", "0", "0")
	got, err := unchanged(strings.NewReader(smaps), "/opt/my tools/slop")
	require.NoError(t, err)
	require.Equal(t, []mapping{{0x402000, 0x26f7000}, {0x26f7000, 0x728e000}}, got)
}

func TestTheProgramRunsOnBehindUnmapping(t *testing.T) {
	t.Parallel()
	program, err := os.Readlink("/proc/self/exe")
	require.NoError(t, err)
	smaps, err := os.ReadFile("/proc/self/smaps")
	require.NoError(t, err)
	got, err := unchanged(strings.NewReader(string(smaps)), program)
	require.NoError(t, err)
	require.NotEmpty(t, got)
	require.NoError(t, unmapProgram())
}
