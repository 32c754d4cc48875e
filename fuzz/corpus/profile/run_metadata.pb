
o
5
/job:x/device:GPU:0
ad(Ba = Conv2D(x)h†çÄº7
6
/device:GPU:0/stream:all
kh(FBgemm @@a:Conv2D#1graph