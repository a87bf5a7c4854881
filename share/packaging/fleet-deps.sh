#!/bin/sh
# Install the engines that the traces of a fleet are tested with. ClickHouse: Debian's packages, where there are such. With
# FLEET=1 also Spark and the ClickHouse engine of today, 1 GB from PyPI, in a directory of our own in the user's cache. Silent
# where all is there; what cannot be had is said, and its tests skip.
have() { command -v "$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$1" ]; }
say() { echo "deps: $*" >&2; }
sudo=
[ "$(id -u)" -eq 0 ] || { have sudo && sudo=sudo; }
apt() {	# PACKAGE... where Debian has the first
	[ -n "$(apt-cache madison "$1" 2>/dev/null)" ] || $sudo apt-get update -qq
	[ -n "$(apt-cache madison "$1" 2>/dev/null)" ] || { say "no $1 here"; return; }
	say "apt-get install $*"
	DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "$@" >/dev/null || say "could not install $*"
}

if have apt-get; then
	{ have clickhouse-server && have clickhouse-client; } || apt clickhouse-server clickhouse-client
	[ -z "${FLEET:-}" ] || have java || apt default-jre-headless
fi
[ -n "${FLEET:-}" ] || exit 0
where=${XDG_CACHE_HOME:-$HOME/.cache}/corotrace/fleet
for package in pyspark chdb; do
	PYTHONPATH=$where python3 -c "import $package" 2>/dev/null && continue
	[ $package = chdb ] && wanted=chdb-core || wanted='pyspark>=4.1,<5'
	say "python3 -m pip install --target $where $wanted"
	python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$where" "$wanted" ||
		say "could not install $wanted"
done
exit 0
