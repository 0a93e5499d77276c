package document

import (
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// codePage returns the page of a codec, given Python's name of the codec.
func codePage(name string) (paged, bool) {
	if name == "ascii" {
		return paged{ascii{}}, true
	}
	if p, ok := singlePage(name); ok {
		return paged{p}, true
	}
	p, ok := multiPage(name)
	return paged{p}, ok
}

// singlePage returns a single-byte page by name. All differences from Python's tables are listed:
// TestPagesAreThoseOfPython compares each byte.
func singlePage(name string) (single, bool) {
	iso := map[string]*charmap.Charmap{
		"iso8859-1": charmap.ISO8859_1, "iso8859-2": charmap.ISO8859_2, "iso8859-3": charmap.ISO8859_3,
		"iso8859-4": charmap.ISO8859_4, "iso8859-5": charmap.ISO8859_5, "iso8859-6": charmap.ISO8859_6,
		"iso8859-7": charmap.ISO8859_7, "iso8859-8": charmap.ISO8859_8, "iso8859-9": charmap.ISO8859_9,
		"iso8859-10": charmap.ISO8859_10, "iso8859-13": charmap.ISO8859_13, "iso8859-14": charmap.ISO8859_14,
		"iso8859-15": charmap.ISO8859_15, "iso8859-16": charmap.ISO8859_16,
	}
	if table, ok := iso[name]; ok {
		return single{table: table, controls: true}, true
	}
	tables := map[string]*charmap.Charmap{
		"cp437": charmap.CodePage437, "cp850": charmap.CodePage850, "cp852": charmap.CodePage852,
		"cp855": charmap.CodePage855, "cp858": charmap.CodePage858, "cp860": charmap.CodePage860,
		"cp862": charmap.CodePage862, "cp863": charmap.CodePage863, "cp865": charmap.CodePage865,
		"cp866": charmap.CodePage866, "cp874": charmap.Windows874, "cp1250": charmap.Windows1250,
		"cp1251": charmap.Windows1251, "cp1252": charmap.Windows1252, "cp1253": charmap.Windows1253,
		"cp1254": charmap.Windows1254, "cp1255": charmap.Windows1255, "cp1256": charmap.Windows1256,
		"cp1257": charmap.Windows1257, "cp1258": charmap.Windows1258, "koi8-r": charmap.KOI8R,
		"koi8-u": charmap.KOI8U, "mac-roman": charmap.Macintosh, "mac-cyrillic": charmap.MacintoshCyrillic,
	}
	other := map[string]map[byte]rune{
		"koi8-u": {0xAE: 0x255D, 0xBE: 0x256C},
		"cp1255": {0xCA: 0},
	}
	table, ok := tables[name]
	return single{table: table, other: other[name]}, ok
}

// multiPage returns a multi-byte page by name. The tables of golang.org/x/text are those of web browsers and have
// more characters than Python's: has excludes those, and other corrects the rest. GBK still has 82 rare
// characters that Python does not have. Private-use characters, and the Japanese characters of the Chinese pages
// big5 and cp950, are missing.
func multiPage(name string) (multi, bool) {
	p := multi{name: name, size: pairs}
	switch name {
	case "shift_jis", "cp932":
		p.table, p.size = japanese.ShiftJIS, sizeShiftJIS
		if name == "shift_jis" {
			p.has = func(lead, _ byte) bool { return lead != 0x87 && lead < 0xED }
			p.other = map[string]rune{"\x81\x60": 0x301C, "\x81\x61": 0x2016, "\x81\x7C": 0x2212, "\x81\x91": 0xA2,
				"\x81\x92": 0xA3, "\x81\xCA": 0xAC}
		}
	case "euc_jp":
		p.table, p.size = japanese.EUCJP, sizeEUCJP
		p.has = func(lead, _ byte) bool { return lead != 0xAD && lead < 0xF9 }
		p.other = map[string]rune{"\xA1\xC1": 0x301C, "\xA1\xC2": 0x2016, "\xA1\xDD": 0x2212, "\xA1\xF1": 0xA2,
			"\xA1\xF2": 0xA3, "\xA2\xCC": 0xAC, "\x8F\xA2\xB7": '~'}
	case "cp949":
		p.table = korean.EUCKR
	case "euc_kr":
		p.table = korean.EUCKR
		p.has = func(lead, trail byte) bool { return lead >= 0xA1 && trail >= 0xA1 }
	case "gbk":
		p.table = simplifiedchinese.GBK
	case "gb2312":
		p.table, p.has = simplifiedchinese.GBK, hasGB2312
		p.other = map[string]rune{"\xA1\xA4": 0x30FB, "\xA1\xAA": 0x2015}
	case "gb18030":
		p.table, p.size = simplifiedchinese.GB18030, sizeGB18030
		p.other = map[string]rune{"\xA3\xA0": 0xE5E5}
	case "big5":
		p.table, p.has = traditionalchinese.Big5, hasBig5
		p.other = map[string]rune{"\xA1\x45": 0x2022, "\xA1\x4E": 0xFF64, "\xA1\xC2": 0x203E, "\xA1\xE3": 0x223C,
			"\xA1\xF2": 0x2641, "\xA1\xF3": 0x2609, "\xA2\x41": 0xFF0F, "\xA2\x42": 0xFF3C, "\xA2\x44": 0xA5, "\xA2\x46": 0xA2,
			"\xA2\x47": 0xA3}
	case "cp950":
		p.table, p.has = traditionalchinese.Big5, hasCP950
		p.other = map[string]rune{"\xF9\xFE": 0x2593}
	default:
		return multi{}, false
	}
	p.units = p.table.NewDecoder()
	return p, true
}

func pairs([]byte) int { return 2 }

func sizeShiftJIS(data []byte) int {
	if lead := data[0]; lead == 0x80 || lead >= 0xA0 && lead < 0xE0 {
		return 1
	}
	return 2
}

func sizeEUCJP(data []byte) int {
	if data[0] == 0x8F {
		return 3
	}
	return 2
}

func sizeGB18030(data []byte) int {
	if len(data) > 1 && data[1] >= '0' && data[1] <= '9' {
		return 4
	}
	return 2
}

func hasGB2312(lead, trail byte) bool {
	switch {
	case lead < 0xA1 || lead > 0xF7 || trail < 0xA1:
		return false
	case lead == 0xA2: // the small Roman numerals are only in GBK
		return trail >= 0xB1 && trail != 0xE3
	case lead == 0xA6: // so are the vertical forms
		return trail < 0xE0
	case lead == 0xA8:
		return trail < 0xBB || trail >= 0xC5
	}
	return lead < 0xAA || lead >= 0xB0
}

// hasBig5 limits cp950 to Big5 itself, without the euro sign and the characters after 0xF9D5.
func hasBig5(lead, trail byte) bool {
	if lead == 0xA3 && trail == 0xE1 || lead == 0xF9 && trail >= 0xD6 {
		return false
	}
	return hasCP950(lead, trail)
}

func hasCP950(lead, trail byte) bool {
	switch lead {
	case 0xC6:
		return trail < 0xA1
	case 0xA3:
		return trail < 0xC0 || trail == 0xE1
	}
	return lead >= 0xA1 && lead < 0xFA && lead != 0xC7 && lead != 0xC8
}
