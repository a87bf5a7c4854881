#!/bin/sh
# plots.sh - draw the plot that the README shows, from a recording of the demo: plots.sh BUILD
O=${1:?usage: plots.sh BUILD}
here=$PWD
sh t/demo/demo.sh "$O" 1 >"$O/demo.log" || { cat "$O/demo.log"; exit 1; }
cd "$O" && ./ct-plot states -o "$here/share/doc/demo-states.svg" demo.jsonl && echo "plots: report/demo-states.svg"
