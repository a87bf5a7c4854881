"""An engine that knows version 1 only: old-engine.py STATIONS PROGRAM... runs it and prints what its stations hold."""
import os, socket, struct, subprocess, sys, tempfile

stations = int(sys.argv[1])
with tempfile.TemporaryDirectory() as d:
    shm, sock = d + "/shm", d + "/sock"
    with open(shm, "wb") as f:
        f.write(struct.pack("<QIIII", 0x434F524F54524352, 1, stations, 0, 0).ljust(1024 + 1024 * stations, b"\0"))
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sock)
    listener.listen()
    env = dict(os.environ, CTP_SHM_PATH=shm, CTP_SOCK_PATH=sock, CTP_MAX_STATIONS=str(stations))
    status = subprocess.run(sys.argv[2:], env=env).returncode
    with open(shm, "rb") as f:
        data = f.read()
print("status", status, "asked for", struct.unpack_from("<I", data, 0x10)[0])
for i in range(stations):
    at = 1024 + 1024 * i
    probe_id, birth, dead = struct.unpack_from("<QQB", data, at)
    slots = [struct.unpack_from("<QQQQ31s?", data, at + 64 + 64 * k) for k in range(8)]
    seen = [("resume" if active else "suspend") + (" at 0" if not addr else "") for ts, tid, addr, seq, _, active in slots
            if seq and ts >= birth and tid]
    print(i, "born" if birth and probe_id else "unused", "dead" if dead else "alive", *seen, sep=", ")
