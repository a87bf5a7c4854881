# heatmap.gp - how busy each thread was with coroutines, over time. n threads, label[], more that are not shown, `used`
# columns. $data: a row a thread, percent; each row and column `twice` (1 or 2) times.
set title title_of('Share of time in which each thread ran a coroutine'.(more ? sprintf(' (%d of %d threads)', n, n + more) : ''))
set yrange [n + 0.5:0.5]
set ytics scale 0 ()
set for [i=1:n] ytics add (label[i] i)
unset grid
unset key
set cbrange [0:100]
set cblabel 'busy (%)'
# Viridis: even to the eye, and in grey too.
set palette defined (0 '#440154', 0.25 '#3b528b', 0.5 '#21918c', 0.75 '#5ec962', 1 '#fde725')
if (ansi) {
	glyph(v) = v >= 80 ? '#' : v >= 50 ? '+' : v >= 20 ? '-' : v >= 1 ? '.' : ' '
	set xlabel 'time since the start ('.unit.'); busy  . 1  - 20  + 50  # 80 % or more'
	unset colorbox
	# Twice, for there are more characters than columns.
	plot for [i=0:1] $data matrix using (($1 + 0.25 + 0.5 * i) * span / used / twice):(($2 + 0.5) / twice + 0.5):(glyph($3)) with labels
} else {
	plot $data matrix using (($1 + 0.5) * span / used / twice):(($2 + 0.5) / twice + 0.5):3 with image
}
