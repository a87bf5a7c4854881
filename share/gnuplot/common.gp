# common.gp - what all plots of ct-plot share. The program that this ends up in has set before it: the terminal; ansi (1: it
# is a terminal of characters), unit and span of the time axis, note and missing, and the data of the kind.
set encoding utf8
# Okabe and Ito's colours: everyone can tell them apart.
blue = '#0072b2'; sky = '#56b4e9'; green = '#009e73'; orange = '#e69f00'; red = '#d55e00'; pink = '#cc79a7'; grey = '#999999'
array colour[8] = [blue, orange, green, red, sky, pink, '#000000', grey]
set border 3 linecolor rgb '#444444'
set tics nomirror out textcolor rgb '#222222'
set grid ytics linetype 1 linecolor rgb '#dddddd'
if (ansi) { unset grid }
set key outside below center horizontal samplen 2 noenhanced height 1
if (ansi) { set key outside top center horizontal noenhanced }
set style fill solid 1 noborder
set xlabel 'time since the start ('.unit.')' offset 0,0.5
set xrange [0:span]
title_of(what) = what."\n".note.(strlen(missing) ? "\nincomplete: ".missing[1:strlen(missing) - 2] : '')
# Durations on a logarithmic axis, in seconds: a tic each power of ten.
array power[16] = ['1 ns', '10 ns', '100 ns', '1 us', '10 us', '100 us', '1 ms', '10 ms', '100 ms', '1 s', '10 s', '100 s', \
	'1000 s', '2.8 h', '28 h', '11.6 d']
