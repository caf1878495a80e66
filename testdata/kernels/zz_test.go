package kernels
import ("testing";"context";"os";"fmt";"syscall")
func cpu() float64 { var r syscall.Rusage; syscall.Getrusage(syscall.RUSAGE_SELF,&r); return float64(r.Utime.Nano()+r.Stime.Nano()) }
func TestZZ(t *testing.T){
 ctx:=context.Background()
 which:=os.Getenv("WHICH")
 var c contest
 switch which { case "pipeline": c=pipelineContest(ctx,64,64,4096); case "small": c=pipelineContest(ctx,16,64,512); case "seidel": c=seidelContest(ctx,50,2000); case "diffusion": c=diffusionContest(ctx,50,2000); case "adi": c=adiContest(ctx,16,2000)}
 n:=12; if which=="small"{n=300}
 best:=1e18
 run := func() { if err:=c.loopc();err!=nil{t.Fatal(err)} }
 if os.Getenv("LOOPC_KERNEL")=="plain" { run = c.plain }
 for range n { t0:=cpu(); run(); d:=cpu()-t0; if d<best{best=d} }
 fmt.Println(which, os.Getenv("LOOPC_KERNEL"), best/float64(c.points))
}
