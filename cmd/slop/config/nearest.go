package config

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// keyHint suggests the valid key that was probably meant: the nearest in the same table, else the same name elsewhere,
// else the list of the table's keys.
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

// nearest finds the key whose name takes the fewest edits, if they are few for its length;
// nil otherwise. The first of equals wins.
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

// EditDistance returns the least number of characters to insert, delete or replace that turns a into b, ignoring case.
func EditDistance(a, b string) int {
	if len(a) > maxComparedName || len(b) > maxComparedName {
		return max(len(a), len(b))
	}
	return levenshtein.ComputeDistance(strings.ToLower(a), strings.ToLower(b))
}
