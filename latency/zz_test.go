package latency
import ("testing";"fmt";"math/rand/v2";"sort")
func TestExplore(t *testing.T){
 layouts:=map[string][]float64{"def":layoutDefault,"otel":layoutOTel,"log20":layoutLog20,"fine":logBounds(.001,20,120)}
 shapes:=map[string]shape{"ln.3":lognormal(.2,.3),"ln.8":lognormal(.1,.8),"ln1.5":lognormal(.05,1.5),"cache":twoModes(lognormal(.002,.4),lognormal(.04,.6),.1),"modes":twoModes(lognormal(.05,.5),lognormal(.8,.3),.05),"unif":uniform(.1,.5)}
 cuts:=map[string]cut{"none":cutNothing,"drop":cutDropped,"late1":cutLate(.001)}
 type key struct{cut string; n int; truth string; }
 res:=map[key]map[string]int{}
 bad:=0
 for ln,l:=range layouts{ for sn,s:=range shapes{ for _,p:=range []float64{.2,.05,.02,.005,.001,.0001}{ 
  q:=s.at(p)
  for _,snap:=range []bool{false,true}{
  T:=q
  if snap { best:=l[0]; for _,b:=range l{ if b>0&&(best<=0||abs(b/q-1)<abs(best/q-1)){best=b}}; T=best}
  tp:=s.survival(T)
  for cn,c:=range cuts{ for _,n:=range []int{1000,10000,50000}{
   r:=rand.New(rand.NewPCG(7,uint64(n)))
   tail:=ReadTail(experiment{bounds:l,shape:s,cut:c,timeout:T,n:n}.observe(r),TailOptions{Timeout:T})
   v:=string(tail.Compare(.01))
   side:="<1%"; if tp>.0105 {side=">1%"} else if tp>.0095 {continue}
   k:=key{cn,n,side}; if res[k]==nil{res[k]=map[string]int{}}
   cen:=""; for _,x:=range tail.Reasons{ if x==ReasonCensored{cen="+censored"}}
   res[k][v+cen]++; res[k]["n"]++
   rd:=""; for _,x:=range tail.Readings{rd+=fmt.Sprintf(" %s[%.4f %.4f %.4f %s cl=%.4f]",x.Recording,x.Lower,x.Point,x.Upper,x.Method,x.ClearLimit)}
   if (side==">1%"&&v=="below")||(side=="<1%"&&v=="above") {bad++; fmt.Printf("BAD %s %s %s n=%d T=%g p=%.5f -> %s %s spike=%v\n",ln,sn,cn,n,T,tp,v,rd,tail.Readings[0].Spike)}
   if len(tail.Readings)==1 && cn!="none" && tail.Readings[0].Recording==RecordingUncensored {res[k]["MISREAD"]++; fmt.Printf("MISREAD %s %s %s n=%d T=%g p=%.5f -> %s %s\n",ln,sn,cn,n,T,tp,v,rd)}
   if len(tail.Readings)==1 && cn=="none" {res[k]["read-unc"]++}
   if tp>=tail.Lower&&tp<=tail.Upper{res[k]["covered"]++}
  }}}}}}
 var ks []key; for k:=range res{ks=append(ks,k)}
 sort.Slice(ks,func(i,j int)bool{a,b:=ks[i],ks[j]; if a.truth!=b.truth{return a.truth<b.truth}; if a.cut!=b.cut{return a.cut<b.cut}; return a.n<b.n})
 for _,k:=range ks{fmt.Println(k,res[k])}
 fmt.Println("bad",bad)
}
func abs(x float64)float64{if x<0{return -x};return x}
