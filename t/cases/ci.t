#!/bin/sh
# What share/ci has for CI systems, run as they run it; what share/packaging has for packagers, as far as it can be checked.
. "${0%/*}/../lib/lib.sh"
cat >>"$scratch/.case-lib" <<'EOT'
# A test suite whose coroutine waits on what was closed; with an argument it hangs, with none it ends after a while.
suite() {
	cat >suite.c <<'EOF'
#include "ct.h"
#include <unistd.h>
int main(int argc, char **argv)
{
	static struct ct_coro c;

	ct_init();
	ct_thread(CT_WORKER, "w");
	ct_create(&c, 0, CT_HERE, &c, "x");
	ct_resume(&c);
	ct_suspend(&c, CT_HERE, ct_fd(5));
	if (argc > 1)
		ct_close(ct_fd(5));
	else
		ct_destroy(&c, 1);
	usleep(300000);
	ct_park(0);
	while (argc > 1 && argv[1][0] == 'h')
		pause();
	return argc > 1 && argv[1][0] == 'f' ? 7 : 0;
}
EOF
	${CC:-cc} -I"$O/dropin" ${SAN:+-fsanitize=address} -o suite suite.c "$O/dropin/ct.c" -lpthread
}
reports() { for f in trace.jsonl report.md corotrace.sarif corotrace-junit.xml; do [ -s "$1/$f" ] || { echo "no $f" >&2; return 1; }; done; }
EOT

test_case 'a suite that ends well, one that lost a wakeup, one that fails, one that hangs, one without a probe' <<'EOT'
suite; run=$SRC/share/ci/corotrace.sh
status 0 sh "$run" ./suite >out; reports corotrace; has 'none forgotten' out
status 1 sh "$run" -o bad ./suite lost >out; reports bad; has 'closed-resource (proven)' out
grep -q '<failure' bad/corotrace-junit.xml; jq -e '.runs[0].results[0].ruleId == "closed-resource"' bad/corotrace.sarif >jq
status 7 sh "$run" -- ./suite fails >out; has 'closed-resource' out
status 124 sh "$run" -t 2 ./suite hangs >out 2>err; has 'closed-resource (proven)' out; has 'interrupted after 2 seconds' err
tail -1 corotrace/trace.jsonl >last; has '"ev":"end"' last
status 0 sh "$run" true >out 2>err; has 'nothing was recorded: no probe attached' err
status 2 sh "$run" 2>err; has '^usage: ' err
echo "suite.c:11\$" >allowed; status 0 env COROTRACE_ALLOW=allowed sh "$run" ./suite lost >out
EOT

test_case "GitHub's action: its step as it stands, with the summary" <<'EOT'
suite
sed -n '/^      run: |/,$p' "$SRC/share/ci/action.yml" | sed '1d;s/^        //' >step; [ -s step ]
export GITHUB_ACTION_PATH=$SRC/share/ci GITHUB_STEP_SUMMARY=$PWD/summary COMMAND='./suite lost' LIMIT=60 COROTRACE_ALLOW= COROTRACE_FAIL_ON=suspected
status 1 sh -e step >out; has '^# corotrace report' summary; has 'closed-resource (proven)' summary; reports corotrace
for v in COMMAND LIMIT COROTRACE_ALLOW COROTRACE_FAIL_ON; do has "^        $v: \${{ inputs\." "$SRC/share/ci/action.yml"; done
EOT

test_case "GitLab's job: its script as it stands; the artifacts that it names are there" <<'EOT'
suite; mkdir ci; cp "$SRC/share/ci/corotrace.sh" ci
sed -n 's/^    - \(sh ci.*\)/\1/p' "$SRC/share/ci/gitlab-ci.yml" >step; [ -s step ]
status 1 env COMMAND='./suite lost' LIMIT=60 sh -e step >out
[ -s "$(sed -n 's/^      junit: //p' "$SRC/share/ci/gitlab-ci.yml")" ]
EOT

test_case 'the versions of all packages are that of the program' <<'EOT'
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$SRC/sdk/rust/Cargo.toml"); [ -n "$version" ]
has "^Version: *$version\$" "$SRC/share/packaging/corotrace.spec"
has "corotrace-$version.tar.gz" "$SRC/share/packaging/corotrace.rb"
EOT

if command -v rpmlint >/dev/null; then
	test_case 'rpmlint finds no error in the spec' <<'EOT'
rpmlint "$SRC/share/packaging/corotrace.spec" >out 2>&1 || :; has ' 0 errors' out
EOT
else skip_case 'rpmlint finds no error in the spec' 'no rpmlint'; fi
if command -v ruby >/dev/null; then
	test_case 'the formula and the YAML of CI systems parse' <<'EOT'
ruby -c "$SRC/share/packaging/corotrace.rb"
ruby -ryaml -e 'ARGV.each { |f| YAML.load_file(f).is_a?(Hash) or exit 1 }' "$SRC/share/ci/action.yml" "$SRC/share/ci/gitlab-ci.yml"
EOT
else skip_case 'the formula and the YAML of CI systems parse' 'no ruby'; fi
if command -v hadolint >/dev/null; then
	test_case 'hadolint finds nothing in the container file' <<'EOT'
hadolint "$SRC/share/packaging/Containerfile"
EOT
else skip_case 'hadolint finds nothing in the container file' 'no hadolint'; fi

if [ -z "${CHECK_ALL:-}" ]; then
	skip_case 'two builds in different directories are the same, byte by byte' 'CHECK_ALL=1 was not asked for (make reproducible)'
elif git -C "$SRC" rev-parse --is-inside-work-tree >/dev/null 2>&1 && [ -z "$SAN" ]; then
	test_case 'two builds in different directories are the same, byte by byte' <<'EOT'
sh "$SRC/share/packaging/reproducible.sh" build/libct.a build/ct-record build/dropin/ct.c >out
has '^8 files, the same' out
EOT
else skip_case 'two builds in different directories are the same, byte by byte' 'no git work tree, or sanitizers'; fi
done_testing
