package cfamily_test

import "flag"

var update = flag.Bool("update", false, "rewrite the goldens")
