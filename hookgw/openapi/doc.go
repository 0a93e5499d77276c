// Package openapi describes a table of HTTP operations as an OpenAPI 3.0.3
// document.
//
// # Contract
//
//   - The same operations make the same bytes: members stand in the order in
//     which they were made, never in that of a map.
//   - Schemas come from Go types by the rules of encoding/json, each named struct
//     once. A member that may be left out is not required; one that may be null
//     says so.
package openapi
