package term

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// armored are n lines that look like those of a key.
func armored(n, width int) string {
	var b strings.Builder
	for i := range n {
		line := strings.Repeat(fmt.Sprintf("nA%d+r/t", i%10), width/7+1)
		b.WriteString(line[:width] + "\n")
	}
	return b.String() + "uQ==\n"
}

// privateKeys are blocks of every kind, by kind; nothing in them is a key.
func privateKeys() map[string]string {
	pem := func(kind, headers string, width int) string {
		return "-----BEGIN " + kind + "-----\n" + headers + armored(6, width) + "-----END " + kind + "-----"
	}
	return map[string]string{
		"PKCS 8":           pem("PRIVATE KEY", "", 64),
		"encrypted PKCS 8": pem("ENCRYPTED PRIVATE KEY", "", 64),
		"RSA":              pem("RSA PRIVATE KEY", "", 64),
		"elliptic":         pem("EC PRIVATE KEY", "", 64),
		"encrypted RSA": pem("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: "+
			"AES-256-CBC,0123456789ABCDEF0123456789ABCDEF\n\n", 64),
		"OpenSSH": pem("OPENSSH PRIVATE KEY", "", 70),
		"OpenPGP": pem("PGP PRIVATE KEY BLOCK", "Version: GnuPG v2.4.1 (GNU/Linux)\nComment: "+
			"https://example.org/a?b=c\n\n", 64),
		"OpenPGP, checksum": strings.Replace(pem("PGP PRIVATE KEY BLOCK", "\n", 64), "uQ==\n", "uQ==\n=njUN\n", 1),
		"SSH2": "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"2048-bit\"\n" + armored(5, 70) +
			"---- END SSH2 ENCRYPTED PRIVATE KEY ----",
		"one line": "-----BEGIN PRIVATE KEY-----" + strings.Repeat("A1b2", 40) + "-----END PRIVATE KEY-----",
		"with blanks": "-----BEGIN PRIVATE KEY----- " + strings.ReplaceAll(strings.TrimSpace(armored(4, 64)), "\n", " ") +
			" -----END PRIVATE KEY-----",
	}
}

// spellings are how a block may stand in a text.
func spellings() map[string]func(string) string {
	each := func(prefix string) func(string) string {
		return func(key string) string { return prefix + strings.ReplaceAll(key, "\n", "\n"+prefix) }
	}
	return map[string]func(string) string{
		"as it is": func(key string) string { return key },
		"CRLF":     func(key string) string { return strings.ReplaceAll(key, "\n", "\r\n") },
		"indented": each("    "), "a diff's new lines": each("+"), "a diff's old lines": each("-"), "quoted": each("> "),
		"numbered": func(key string) string {
			lines := strings.Split(key, "\n")
			for i := range lines {
				lines[i] = fmt.Sprintf("%d: %s", i+8, lines[i])
			}
			return strings.Join(lines, "\n")
		},
		"escaped line ends":       func(key string) string { return strings.ReplaceAll(key, "\n", `\n`) },
		"escaped CRLF":            func(key string) string { return strings.ReplaceAll(key, "\n", `\r\n`) },
		"escaped twice":           func(key string) string { return strings.ReplaceAll(key, "\n", `\\n`) },
		"escaped by number":       func(key string) string { return strings.ReplaceAll(key, "\n", `\u000d\u000A`) },
		"escaped slashes as well": func(key string) string { return strings.NewReplacer("\n", `\n`, "/", `\/`).Replace(key) },
	}
}

// TestNothingOfAPrivateKeyIsLeft holds for every kind in every spelling, whole
// and cut after any line and in the middle of one.
func TestNothingOfAPrivateKeyIsLeft(t *testing.T) {
	t.Parallel()
	mask := NewMask(nil)
	for kind, key := range privateKeys() {
		for spelling, spell := range spellings() {
			if kind == "SSH2" && strings.HasPrefix(spelling, "escaped") {
				continue // of which the quotes are escaped, too: below
			}
			got := string(mask([]byte("see\n" + spell(key) + "\nthere.")))
			require.NotContains(t, got, "nA", "%s, %s", kind, spelling)
			require.NotContains(t, got, "uQ==", "%s, %s", kind, spelling)
			require.NotContains(t, got, "PRIVATE KEY", "%s, %s", kind, spelling)
			require.Contains(t, got, "see\n")
			require.Contains(t, got, "\nthere.")
			require.Less(t, len(got), 40, "%s, %s: %q", kind, spelling, got)
		}
	}
}

func TestAPrivateKeyThatIsCutIsHiddenToo(t *testing.T) {
	t.Parallel()
	mask := NewMask(nil)
	for kind, key := range privateKeys() {
		if kind == "one line" {
			continue // below
		}
		for _, line := range []string{"\n", "\r\n", `\n`, `\r\n`} {
			if kind == "SSH2" && strings.HasPrefix(line, `\`) {
				continue
			}
			spelled := strings.ReplaceAll(key, "\n", line)
			body := strings.Index(spelled, "nA0+")
			for _, at := range []int{body + 64, body + 100, body + 200, len(spelled) - 70} {
				head, tail := spelled[:at], spelled[at:]
				for _, got := range []string{string(mask([]byte("see " + head))),
					string(mask([]byte("see " + head + "\n… [300 bytes left out] …\n" + tail + " there.")))} {
					require.NotRegexp(t, `[nAr0-9+/t]{20}`, got, "%s %q cut at %d", kind, line, at)
					require.NotContains(t, got, "BEGIN", "%s %q cut at %d", kind, line, at)
				}
				got := string(mask([]byte(tail + " there.")))
				require.NotRegexp(t, `[nAr0-9+/t]{20}`, got, "%s %q cut at %d", kind, line, at)
				require.Contains(t, got, " there.")
			}
		}
	}
	one := "-----BEGIN PRIVATE KEY-----" + strings.Repeat("A1b2", 40)
	require.Equal(t, "see [secret]", string(mask([]byte("see "+one))))
	require.Equal(t, `{"a":"[secret]","b":"c"}`, string(mask([]byte(`{"a":"`+one+`","b":"c"}`))))
}

func TestAMaskedKeyLeavesJSONAsItIs(t *testing.T) {
	t.Parallel()
	mask := NewMask(nil)
	for kind, key := range privateKeys() {
		for _, text := range []string{key, key[:len(key)/2], key[len(key)/2:], "a\n" + key + "\nb", strings.ReplaceAll(key,
			"\n", "\r\n"), `"` + key + `"`, `\` + key} {
			for _, html := range []bool{true, false} {
				var out strings.Builder
				enc := json.NewEncoder(&out)
				enc.SetEscapeHTML(html)
				require.NoError(t, enc.Encode(map[string]string{"a": text, "b": "stays"}))
				got := mask([]byte(out.String()))
				var back map[string]string
				require.NoError(t, json.Unmarshal(got, &back), "%s: %s", kind, got)
				require.Equal(t, "stays", back["b"])
				require.NotRegexp(t, `[nAr0-9+/t]{20}`, back["a"], "%s: %q", kind, text)
			}
		}
	}
}

func TestAPuTTYKeyLosesItsPrivateLines(t *testing.T) {
	t.Parallel()
	key := "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: ada\nPublic-Lines: " +
		"2\nAAAAC3NzaC1lZDI1NTE5\nAAAA\nPrivate-Lines: 7\n" + armored(6, 64) + "Private-MAC: 0123456789abcdef\n"
	want := key[:strings.Index(key, "Private-Lines")] + "[secret]\nPrivate-MAC: 0123456789abcdef\n"
	require.Equal(t, want, string(NewMask(nil)([]byte(key))))
}

func TestWhatOnlySpeaksOfKeysStays(t *testing.T) {
	t.Parallel()
	mask := NewMask(nil)
	for _, text := range []string{
		"-----BEGIN PUBLIC KEY-----\n" + armored(3, 64) + "-----END PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----\n" +
			armored(3, 64) + "-----END CERTIFICATE-----",
		"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n" + armored(3, 64) + "-----END PGP PUBLIC KEY BLOCK-----",
		"A file that begins with -----BEGIN PRIVATE KEY----- is one; never commit it.",
		"-----BEGIN RSA PRIVATE KEY-----\nfoo bar, baz",
		"strings.Contains(text, \"-----BEGIN PRIVATE KEY-----\") || strings.Contains(text, \"-----END PRIVATE KEY-----\")",
		"PRIVATE KEY", "Private-Lines: 4\nno.",
		"look for the END of the PRIVATE KEY",
	} {
		require.Equal(t, text, string(mask([]byte(text))))
	}
	two := "a -----BEGIN PRIVATE KEY-----\n" + armored(2, 64) + "-----END PRIVATE KEY-----\n-----BEGIN " +
		"CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n-----BEGIN EC PRIVATE KEY-----\n" + armored(2, 64) +
		"-----END EC PRIVATE KEY----- b"
	require.Equal(t, "a [secret]\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n[secret] b",
		string(mask([]byte(two))))
}

// TestHidingKeysIsBoundedWork would run into the time limit if an attempt at a
// block could look at the rest of the text.
func TestHidingKeysIsBoundedWork(t *testing.T) {
	t.Parallel()
	mask, random := NewMask(nil), rand.New(rand.NewPCG(3, 4))
	pieces := []string{"-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "\n", `\n`, "A1b2 ",
		strings.Repeat("A1b2", 16) + "\n", "-", "Private-Lines: 3\n", "Proc-Type: 4,ENCRYPTED\n", `"`}
	for _, hostile := range append(pieces, "") {
		var b strings.Builder
		for b.Len() < 64<<10 {
			if b.WriteString(hostile); hostile == "" {
				b.WriteString(pieces[random.IntN(len(pieces))])
			}
		}
		got := mask([]byte(b.String() + " PRIVATE KEY"))
		require.LessOrEqual(t, len(got), b.Len()+len(" PRIVATE KEY"))
	}
}
