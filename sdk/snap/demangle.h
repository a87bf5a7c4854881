/* demangle.h - symbols as people write them, by binutils' own demanglers (demangle.c). */
#ifndef SNAP_DEMANGLE_H
#define SNAP_DEMANGLE_H

/* "app::serve(int)" of _ZN3app5serveEi, malloc'd; NULL: it is no mangled name, or would be longer than 64 KiB. */
char *demangle(const char *mangled);

#endif
