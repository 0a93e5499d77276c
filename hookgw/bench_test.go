package hookgw_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/hookgw/access"
)

// BenchmarkAnswerReleasesTheAskThatWaits measures from sending an answer to
// having what the waiting program received, while others wait too: two
// publishes, approval's and the person's, and two requests.
func BenchmarkAnswerReleasesTheAskThatWaits(b *testing.B) {
	for _, others := range []int{0, 1000} {
		b.Run(fmt.Sprintf("%d others wait", others), func(b *testing.B) {
			f := open(b)
			f.approve()
			for i := range others {
				f.ask(fmt.Sprintf(`{"request_id":"other%d"}`, i))
			}
			for i := range others {
				f.awaitRaised(fmt.Sprintf("other%d", i))
			}
			b.ResetTimer()
			for i := range b.N {
				b.StopTimer()
				id := fmt.Sprintf("r%d", i)
				waiting := f.ask(`{"request_id":"` + id + `"}`)
				f.awaitRaised(id)
				b.StartTimer()
				go f.trySend(f.request(http.MethodPost, "/api/ask/respond", access.RightHuman, `{"request_id":"`+id+
					`","response":true}`))
				require.Equal(b, http.StatusOK, (<-waiting).status)
			}
		})
	}
}
