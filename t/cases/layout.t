#!/bin/sh
# Every offset of the protocol is the specification's, in C11 and in C++20.
. "${0%/*}/../lib/lib.sh"

test_case 'C11 lays the structures out as specified (t/unit/layout.c)' <<'EOT'
status 0 "$O/t/unit/layout" >out
has '^1\.\.' out
EOT

test_case 'C++20 does so too' <<'EOT'
status 0 "$O/t/unit/layout_cc" >out
has '^1\.\.' out
EOT

test_case 'the drop-in form compiles on its own and runs untraced without a word' <<'EOT'
sh "$SRC/sdk/c/dropin.sh" .
cat >main.c <<'E'
#include "ct.h"
int main(void)
{
	struct ct_coro c = { 0, 0, 0, 0, 0 };

	if (ct_init())
		return 1;
	ct_create(&c, 0, CT_HERE, &c, "x");
	ct_suspend(&c, CT_HERE, ct_fd(1));
	return c.id != 0;
}
E
${CC:-cc} -std=c11 -Wall -Wextra -Werror -o main main.c ct.c -lpthread
unset CTP_SHM_PATH CTP_SOCK_PATH CTP_MAX_STATIONS
status 0 ./main >out 2>&1
same /dev/null out
EOT
done_testing
