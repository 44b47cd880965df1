package main
import ("testing";"os";"io")
func BenchmarkRec(b *testing.B){
 for _,f:=range []string{"skia_varied.json","bench1.txt","bench10.txt"}{ for _,as:=range []string{"jsonl","csv"}{
  b.Run(f+as,func(b *testing.B){ for range b.N {
   t:=newTool(os.Stdin,io.Discard,io.Discard)
   if st:=t.run([]string{"records","--as",as,"-q","/tmp/cols/"+f}); st!=0 {b.Fatal(st)}
  }})
 }}
}
