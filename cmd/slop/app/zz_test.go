package app

import (
	"fmt"
	"testing"
	"time"
)

func hops(b *testing.B, all []seen) {
	by := map[string][]time.Duration{}
	size := map[string]int{}
	for i := 1; i < len(all); i++ {
		by[all[i].Type] = append(by[all[i].Type], all[i].at.Sub(all[i-1].at))
		size[all[i].Type] += len(all[i].Data)
	}
	for k, v := range by {
		if n := len(v); n > 20 {
			fmt.Printf("%-20s n=%d p50=%.0f first=%.0f last=%.0f avgbytes=%d\n", k, n, quantile(v, .5), quantile(v[:20], .5), quantile(v[n-20:], .5), size[k]/n)
		}
	}
}
