package planner

// OrSolo is the end of a prompt whose goal one ticket may be enough for.
const OrSolo = orSolo
