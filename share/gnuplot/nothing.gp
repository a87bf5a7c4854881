# nothing.gp - a picture that says why there is none.
set title title_of('Nothing to draw')
unset key
set yrange [0:1]
unset ytics
set label 1 why at graph 0.5, graph 0.5 center
plot NaN notitle
