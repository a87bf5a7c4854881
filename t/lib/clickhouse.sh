# clickhouse.sh - sourced after lib.sh: ClickHouse servers of a test's own, two of them, which are also the two shards of
# a cluster named `fleet`. Each has its data in the scratch directory, listens on loopback and asks for a password. Whatever
# happens, they are stopped and their data is removed.
#
#	clickhouse_servers		# starts both; returns 1 where they cannot be had, and says why in $why
#	$scratch/ch a -q 'SELECT 1'	# a client of one: ch a, ch b; ct-tosql --client="ch a"
#	clickhouse_start a; clickhouse_kill a

ch_password=secret-$$
PATH=$PATH:/usr/sbin		# where Debian has the server
chmod 711 "$scratch"		# a server does not run as root, and must reach its own directory

ch_config() {	# SERVER PORT PORT: its own port is the one of its place among the two
	dir=$scratch/$1
	mkdir -p "$dir/data"
	[ "$1" = a ] && port=$2 || port=$3
	shards=
	for p in $2 $3; do
		shards="$shards<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>$p</port>
<user>corotrace</user><password>$ch_password</password></replica></shard>"
	done
	cat >"$dir/config.xml" <<-END
	<yandex>
	<logger><level>warning</level><log>$dir/log</log><errorlog>$dir/errors</errorlog></logger>
	<listen_host>127.0.0.1</listen_host><tcp_port>$port</tcp_port><mark_cache_size>67108864</mark_cache_size>
	<path>$dir/data/</path><tmp_path>$dir/data/tmp/</tmp_path>
	<users_config>$dir/users.xml</users_config>
	<default_profile>default</default_profile><default_database>default</default_database>
	<remote_servers><fleet>$shards</fleet></remote_servers>
	</yandex>
	END
	cat >"$dir/users.xml" <<-END
	<yandex>
	<profiles><default><max_memory_usage>${ch_memory:-2000000000}</max_memory_usage></default></profiles>
	<quotas><default/></quotas>
	<users><corotrace><password>$ch_password</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
	<quota>default</quota></corotrace></users>
	</yandex>
	END
	cat >"$dir/client.xml" <<-END
	<config><host>127.0.0.1</host><port>$port</port><user>corotrace</user><password>$ch_password</password></config>
	END
}

clickhouse_start() {	# SERVER: as it is configured
	(cd "$scratch/$1" && exec $ch_as clickhouse-server --config-file=config.xml) </dev/null >"$scratch/$1/out" 2>&1 &
	echo $! >"$scratch/$1.pid"
	for wait in $(seq 1200); do
		"$scratch/ch" $1 -q 'SELECT 1' >/dev/null 2>&1 && return 0
		kill -0 $(cat "$scratch/$1.pid") 2>/dev/null || break
		sleep 0.1
	done
	why="clickhouse-server does not start: $(tail -n 1 "$scratch/$1/out")"
	return 1
}

clickhouse_kill() { kill -9 $(cat "$scratch/$1.pid") 2>/dev/null; wait $(cat "$scratch/$1.pid") 2>/dev/null; rm -f "$scratch/$1.pid"; }

clickhouse_servers() {
	why='no clickhouse-server, clickhouse-client'
	command -v clickhouse-server >/dev/null && command -v clickhouse-client >/dev/null || return 1
	ch_as=
	printf '#!/bin/sh\ns=$1; shift\nexec clickhouse-client --config-file=%s/$s/client.xml "$@"\n' "$scratch" >"$scratch/ch"
	chmod 755 "$scratch/ch"
	for try in 1 2 3 4 5; do
		first=$((20000 + ($$ * 17 + try * 2003) % 12000))
		rm -rf "$scratch/a" "$scratch/b"
		for s in a b; do ch_config $s $first $((first + 1)); done
		if [ "$(id -u)" -eq 0 ]; then
			chown -R nobody "$scratch/a" "$scratch/b"
			ch_as="setpriv --reuid=nobody --regid=$(id -g nobody) --clear-groups"
		fi
		clickhouse_start a && clickhouse_start b && return 0
		clickhouse_kill a; clickhouse_kill b
	done
	return 1
}
clickhouse_stop() { for s in a b; do [ ! -e "$scratch/$s.pid" ] || clickhouse_kill $s; done; }
trap 'clickhouse_stop; cd /; rm -rf "$scratch"' EXIT
