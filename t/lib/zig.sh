# zig.sh - a `zig` in PATH: the machine's own, or the one that PyPI has. Status 1 where there is none.
command -v zig >/dev/null && return
python=$(sh "$SRC/t/lib/venv.sh" zig ziglang==0.17.1) || return 1
mkdir -p "$scratch/bin"
printf '#!/bin/sh\nexec "%s" -m ziglang "$@"\n' "$python" >"$scratch/bin/zig"
chmod +x "$scratch/bin/zig"
PATH=$scratch/bin:$PATH
export PATH ZIG_GLOBAL_CACHE_DIR="${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/corotrace/zig-cache"
