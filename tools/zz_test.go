package tools
import ("testing";"strings";"time";"fmt";"runtime")
func TestZZ(t *testing.T){
 for _, deep := range []string{strings.Repeat("(", 99_000), strings.Repeat("$(", 49_000), strings.Repeat("\"$(", 33_000), strings.Repeat("{ ", 49_000), strings.Repeat("`", 99000), strings.Repeat("$((", 33000), strings.Repeat("${a:-", 20000), strings.Repeat("a<<E\n", 20000), strings.Repeat("if a; then ", 9000), strings.Repeat("a|", 49000)+"a", strings.Repeat("a;", 49000), strings.Repeat("@'\n", 33000), strings.Repeat("if (", 24000)} {
  b:=time.Now(); s:=powershellSign(deep); 
  var m runtime.MemStats; runtime.ReadMemStats(&m)
  fmt.Printf("%.10q %q %v stack %d MB\n", deep, s, time.Since(b), m.StackSys>>20)
 }
}
