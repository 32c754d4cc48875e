
-
mergeMergeenternext*
T0*
N
$
nextNextIterationbody*
T0
#
bodyNegmerge^enter*
T0

enterEnterx*
T0

xPlaceholder*
dtype0

exitExitbody*
T0"†
