// Package openapi describes a table of HTTP operations as an OpenAPI 3.0.3 document.
//
// # Contract
//
//   - The same operations make the same bytes: members are in the order in which
//     they were added, never in that of a map.
//   - Schemas come from Go types by the rules of encoding/json, each named struct
//     once. An optional member is not required; a member that may be null is
//     nullable.
package openapi
