package kernels
import ("testing";"fmt";"loopc/transform/plan";"loopc/testdata/emit/pipeline";"loopc/testdata/emit/seidel";"loopc/testdata/emit/diffusion";"loopc/testdata/emit/adi")
func TestZY(t *testing.T){
 for _,x := range []struct{n *plan.Nest; p []int}{{pipeline.Program.Nest,[]int{64,64,4096}},{pipeline.Program.Nest,[]int{16,64,512}},{seidel.Program.Nest,[]int{50,2000}},{diffusion.Program.Nest,[]int{50,2000}},{adi.Program.Nest,[]int{16,2000}}} {
 p,err:=plan.New(x.n,x.p,plan.Options{CPUs:1}); fmt.Println(err, p.Side, p.Map) }
}
