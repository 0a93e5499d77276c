package sandbox

// TempName tells tests the temporary name of a target.
func TempName(target string) string { return tempName(target) }
