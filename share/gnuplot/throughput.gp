# throughput.gp - what happens a second, over time. $data: time, resumes, wakes, creates, ends; top: the greatest.
set title title_of('Throughput')
set ylabel 'events a second'
set yrange [0:top > 0 ? top * 1.05 : 1]
set format y '%.0s%c'
plot $data using 1:2 with lines linewidth 2 linecolor rgb blue title 'resumes', \
	'' using 1:3 with lines linewidth 1.5 linecolor rgb orange title 'wakes', \
	'' using 1:4 with lines linewidth 1.5 linecolor rgb green title 'creates', \
	'' using 1:5 with lines linewidth 1.5 linecolor rgb red title 'ends'
