package config

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// keyHint suggests the valid key that was probably meant: the nearest one in the same table, or else the same name
// elsewhere. Otherwise it lists the table's keys.
func keyHint(schema, table *schemaKey, wrong string) string {
	if near := nearest(wrong, table.children); near != nil {
		return "did you mean `" + near.name + "`?"
	}
	for _, leaf := range schema.leaves() {
		if strings.EqualFold(leaf.name, wrong) {
			return "did you mean `" + leaf.path + "`?"
		}
	}
	if near := nearest(wrong, schema.leaves()); near != nil {
		return "did you mean `" + near.path + "`?"
	}
	names := make([]string, len(table.children))
	for i, child := range table.children {
		names[i] = child.name
	}
	return "valid here: " + strings.Join(names, ", ")
}

// nearest finds the key with the fewest edits, or nil if even that needs too many for its length. Among equals the
// first wins.
func nearest(wrong string, among []*schemaKey) *schemaKey {
	var best *schemaKey
	least := 0
	for _, key := range among {
		distance := EditDistance(wrong, key.name)
		if distance > max(2, len(key.name)/3) || distance >= len(key.name) {
			continue
		}
		if best == nil || distance < least {
			best, least = key, distance
		}
	}
	return best
}

// maxComparedName limits the cost of a hostile name, in bytes.
const maxComparedName = 64

// EditDistance returns the minimum number of characters to insert, delete or replace to turn a into b, ignoring case.
func EditDistance(a, b string) int {
	if len(a) > maxComparedName || len(b) > maxComparedName {
		return max(len(a), len(b))
	}
	return levenshtein.ComputeDistance(strings.ToLower(a), strings.ToLower(b))
}
