#!/bin/sh
# all.sh NAME.cc... - the zoo's programs of C++ as one, each in a namespace of its own, on stdout: zoo.hpp is the most that there is
# to compile of each. It is the one by whose name it is called.
cat <<'END'
#ifndef __clang__	// It takes the programs for headers of several files.
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#endif
#include "zoo.hpp"
END
for f; do
	printf 'namespace %s {\n#line 1 "%s"\n' "$(basename "$f" .cc | tr - _)" "$f"
	# It ends without a return, as main() alone may.
	sed 's/^int main(/static void run(/' "$f"
	echo '}'
done
cat <<'END'
#line 1 "t/zoo/all.sh"
#include <cstring>
int main(int argc, char **argv)
{
	struct { const char *name; void (*run)(int argc, char **argv); } all[] = {
END
for f; do printf '\t\t{ "%s", %s::run },\n' "$(basename "$f" .cc)" "$(basename "$f" .cc | tr - _)"; done
cat <<'END'
	};
	const char *slash = std::strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];

	for (auto &each : all)
		if (!std::strcmp(each.name, name))
			return each.run(argc, argv), 0;
	return 2;
}
END
