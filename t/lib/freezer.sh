# freezer.sh - sourced, behind lib.sh: a cgroup of a case's own that can be frozen. In a case: in_freezer DIR puts $pid into one below
# DIR, and fails where none can be made; freeze; thaw. As the case ends it is thawed and removed.
freezers=$(ls -d /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/unified/cgroup.procs /sys/fs/cgroup/freezer/cgroup.procs 2>/dev/null | sed 's|/[^/]*$||')
cat >>"$scratch/.case-lib" <<'EOT'
in_freezer() {
	group=$1/corotrace-t.$$ state=cgroup.freeze cold=1 warm=0
	mkdir $group 2>/dev/null || return 1
	trap 'thaw; echo $pid 2>/dev/null >$group/../cgroup.procs || :; rmdir $group || :' EXIT
	[ -e $group/$state ] || { state=freezer.state cold=FROZEN warm=THAWED; [ -e $group/$state ]; } || return 1
	echo $pid >$group/cgroup.procs
}
freeze() {
	echo $cold >$group/$state
	until grep -qsx 'frozen 1\|FROZEN' $group/cgroup.events $group/$state; do sleep 0.01; done
}
thaw() { echo $warm >$group/$state; }
EOT
