#!/bin/sh
# Install what is missing to build corotrace and to run its demo, through the system's package manager; with the argument
# `check` what its tests need, too, with `check-all` also a cross compiler and qemu. Silent and rootless when all is there.
# DEPS_DRY=1 only says what it would run.
# `deps.sh --name LIB...` prints what the packages of these are called here.
. "${0%/*}/libs.sh"
missing=
need() { missing="$missing $1"; }			# one of the names that translate() knows
have() { command -v "$1" >/dev/null 2>&1; }

look_for_build() {
	have "${CC:-cc}" || need cc
	have "${CXX:-c++}" || need c++
	have make || need make
	for lib in $libs; do lib_there "$lib" || need "$lib"; done
}
look_for_check() {
	have prove || need prove
	have sqlite3 || need sqlite3
	have jq || need jq
	have zstd || need zstd
	have mandoc || need mandoc
	have python3 || need python3
	have gnuplot || need gnuplot
	have xmllint || need xmllint
	have cmake || need cmake
	have pkg-config || need pkg-config
	have cmark-gfm || ! have apt-get || need cmark-gfm	# others do not package it
	python3 -c 'import jsonschema' 2>/dev/null || need jsonschema
	python3 -m pip --version >/dev/null 2>&1 || need pip
	echo '#include <asio.hpp>' | ${CXX:-c++} -E -x c++ - >/dev/null 2>&1 || need asio
	have tmux || need tmux
	[ "$pm" != apt ] || echo '#include <st.h>' | "${CC:-cc}" -E - >/dev/null 2>&1 || need state-threads
	echo '#include <boost/fiber/fiber.hpp>' | "${CXX:-c++}" -E -x c++ - >/dev/null 2>&1 || need boost-fiber
	{ have initdb || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; } && have psql || need postgresql
	{ have mariadbd || [ -x /usr/sbin/mariadbd ]; } && have mariadb || need mariadb
	have spin || need spin		# checks the protocol's models
	have cppcheck || need cppcheck
	have valgrind || need valgrind
	have node || need nodejs
	have chromium || have chromium-browser || have google-chrome || need chromium
	sh "${0%/*}/jdk.sh" >/dev/null || ! packages_jdk || need jdk
}

# Virtual threads came with JDK 21: Debian has one from 13 on. Where there is none, the agent is left out, and said to be.
packages_jdk() {
	(
		. /etc/os-release
		case ${ID:-}:${VERSION_ID:-} in
		debian:1[3-9]* | debian: | ubuntu:2[4-9]* | fedora:* | arch:* | alpine:* | opensuse*:*) ;;
		*) exit 1 ;;
		esac
	) 2>/dev/null
}

look_for_check_all() {	# elsewhere these tests are skipped
	have apt-get || return 0
	have aarch64-linux-gnu-gcc && have aarch64-linux-gnu-g++ || need aarch64-c++
	have qemu-aarch64 || need qemu-user
	have clang || need clang
}

translate() {	# $1: package manager; the rest: our names. Prints its packages.
	pm=$1; shift
	for name; do
		case $pm:$name in
		apt:cc) echo gcc libc6-dev;;	apt:c++) echo g++;;	apt:prove) echo perl;;
		apt:aarch64-c++) echo gcc-aarch64-linux-gnu g++-aarch64-linux-gnu;;
		apt:libsqlite3) echo libsqlite3-dev;;	apt:libjq) echo libjq-dev;;
		dnf:cc) echo gcc;;		dnf:c++) echo gcc-c++;;	dnf:prove) echo perl-Test-Harness;;
		apt:zlib) echo zlib1g-dev;;	dnf:zlib|zypper:zlib) echo zlib-devel;;	apk:zlib) echo zlib-dev;;
		apt:libzstd) echo libzstd-dev;;	dnf:libzstd|zypper:libzstd) echo libzstd-devel;;	apk:libzstd) echo zstd-dev;;
		pacman:libzstd) echo zstd;;
		apt:libdw) echo libdw-dev libelf-dev;;
		apt:libiberty) echo libiberty-dev;;	apk:libiberty) echo binutils-dev;;	pacman:libiberty) echo binutils;;
		dnf:libiberty|zypper:libiberty) echo binutils-devel;;
		apt:ncurses) echo libncurses-dev;;	dnf:ncurses|zypper:ncurses) echo ncurses-devel;;	apk:ncurses) echo ncurses-dev;;
		apt:mariadb|dnf:mariadb) echo mariadb-server $([ $pm = apt ] && echo mariadb-client || echo mariadb);;
		apk:mariadb|zypper:mariadb) echo mariadb mariadb-client;;
		dnf:postgresql|zypper:postgresql) echo postgresql-server postgresql;;
		apt:asio) echo libasio-dev;;	dnf:asio|zypper:asio) echo asio-devel;;	apk:asio) echo asio-dev;;
		apt:gnuplot) echo gnuplot-nox;;	apt:xmllint|apk:xmllint) echo libxml2-utils;;
		zypper:xmllint) echo libxml2-tools;;	*:xmllint) echo libxml2;;
		pacman:jsonschema) echo python-jsonschema;;	pacman:pip) echo python-pip;;
		apk:jsonschema) echo py3-jsonschema;;	apk:pip) echo py3-pip;;
		*:jsonschema) echo python3-jsonschema;;	*:pip) echo python3-pip;;
		apt:libbpf|apt:libcapstone|apk:libbpf) echo "$name"-dev;;	dnf:libbpf|zypper:libbpf) echo libbpf-devel;;
		apk:libcapstone) echo capstone-dev;;	dnf:libcapstone) echo capstone-devel;;
		zypper:libcapstone) echo libcapstone-devel;;	pacman:libcapstone) echo capstone;;
		dnf:libdw) echo elfutils-devel;;
		dnf:pkg-config) echo pkgconf-pkg-config;;	pacman:pkg-config|apk:pkg-config) echo pkgconf;;
		dnf:libjq) echo jq-devel oniguruma-devel;;
		dnf:libsqlite3) echo sqlite-devel;;	dnf:sqlite3) echo sqlite;;
		pacman:cc|pacman:c++) echo gcc;; pacman:prove) echo perl;;
		pacman:libjq) echo jq;;	pacman:libdw) echo libelf;;
		pacman:libsqlite3|pacman:sqlite3) echo sqlite;;	pacman:python3) echo python;;
		apk:cc) echo gcc musl-dev;;	apk:c++) echo g++;;	apk:prove) echo perl-utils;;
		apk:libjq) echo jq-dev;;	apk:libdw) echo elfutils-dev;;
		apk:libsqlite3) echo sqlite-dev;;	apk:sqlite3) echo sqlite;;
		zypper:cc) echo gcc;;		zypper:c++) echo gcc-c++;; zypper:prove) echo perl;;
		zypper:libsqlite3) echo sqlite3-devel;;	zypper:libjq) echo libjq-devel;;
		zypper:libdw) echo libdw-devel libelf-devel;;
		apt:state-threads) echo libst-dev;;
		apt:boost-fiber) echo libboost-fiber-dev libboost-context-dev;;	dnf:boost-fiber) echo boost-devel;;
		pacman:boost-fiber) echo boost;;	apk:boost-fiber) echo boost-dev;;
		zypper:boost-fiber) echo libboost_fiber-devel libboost_context-devel;;
		apt:jdk) echo openjdk-21-jdk-headless;;	apk:jdk) echo openjdk21-jdk;;
		pacman:jdk) echo jdk21-openjdk;;	dnf:jdk|zypper:jdk) echo java-21-openjdk-devel;;
		*) echo "$name";;
		esac
	done
}
manager() { for pm in apt-get dnf pacman apk zypper; do have $pm && { echo "${pm%-get}"; return; }; done; }
pm=$(manager)

if [ "${1:-}" = --name ]; then
	shift
	[ -n "$pm" ] || { echo "$@"; exit 0; }
	echo $(translate "$pm" "$@")
	exit 0
fi
look_for_build
case ${1:-} in check*) look_for_check ;; esac
[ "${1:-}" != check-all ] || look_for_check_all
[ -n "$missing" ] || exit 0
sudo=
[ "$(id -u)" -eq 0 ] || { have sudo && sudo=sudo; }
run() {
	echo "deps: $*" >&2
	[ -n "${DEPS_DRY:-}" ] || "$@" || { echo "deps: could not install:$missing" >&2; exit 1; }
}
case $pm in
apt)
	export DEBIAN_FRONTEND=noninteractive
	run $sudo apt-get update -qq
	run $sudo apt-get install -y -qq --no-install-recommends $(translate apt $missing) ;;
dnf) run $sudo dnf install -y $(translate dnf $missing) ;;
pacman) run $sudo pacman -S --needed --noconfirm $(translate pacman $missing) ;;
apk) run $sudo apk add $(translate apk $missing) ;;
zypper) run $sudo zypper install -y $(translate zypper $missing) ;;
*)
	echo "deps: no package manager that I know; please install:$missing" >&2
	exit 1 ;;
esac
