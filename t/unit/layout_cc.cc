// layout_cc.cc - the same checks, by a C++20 compiler.
#include "layout.c"
