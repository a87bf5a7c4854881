/* ctp.h - the corotrace protocol (cTP): the shared memory between a target and ct-record, versions
 * 1 and 2.
 *
 * This header is layout and names only; both sides include it and nothing else of each other. The
 * specification, with the memory-ordering argument for every shared field, is ctp(7). All integers
 * are little-endian and naturally aligned. Shared fields are plain integers: the accessors at the
 * end make the accesses atomic, from C11 and from C++.
 *
 * Trust: a target may write anything anywhere in the region. The recorder checks every index it
 * reads here.
 */
#ifndef CTP_H
#define CTP_H

#include <stddef.h>
#include <stdint.h>

#define CTP_MAGIC	0x434F524F54524352ull	/* "COROTRCR": the header of version 1, unchanged */
#define CTP_VERSION	1u			/* stays 1: coroTracer's SDKs check nothing else */
#define CTP2_MAGIC	0x32504354524F4F43ull	/* version 2 is here, behind the stations (bytes "COORTCP2") */
#define CTP2_MINOR	2u			/* a writer that does not know this minor uses version 1 */

#define CTP2_MINOR_BOX	3u			/* as CTP2_MINOR, and rings overwrite: ctp(7), "Boxes" */

#define CTP_ENV_BOX	"CTP_BOX"		/* 1: the target makes the region itself, in memory; /DIR: in a file there; 0: never */
#define CTP_BOX_NAME	"corotrace-box"		/* of its memfd, found in /proc/PID/fd; of its file, before .PID.XXXXXX */
#define CTP_FLAG_NAME	"corotrace-flag"	/* of a memfd that holds a struct ctp_flag */
#define CTP_ENV_SHM	"CTP_SHM_PATH"		/* file to map */
#define CTP_ENV_SOCK	"CTP_SOCK_PATH"		/* stream socket; one byte '1' wakes a sleeping recorder */
#define CTP_HELLO_MS	250			/* how long to wait behind a connect for the byte of CTP_F_STACKS */
#define CTP_MEMORY_MS	2000			/* how long to wait behind 'F' for the memory's descriptor */
#define CTP_ENV_STATIONS "CTP_MAX_STATIONS"	/* version 1 stations, decimal */

/* ---- the event: one cache line, the same in a version 1 slot, a ring and a version 2 station
 * ---- */

/* ctp_event.kind; the fields each one uses beside timestamp and tid */
enum ctp_kind {
	CTP_V1 = 0,		/* a version 1 writer (or an empty slot) */
	/* probe_id, n, addr = frame, arg = parent's probe_id or 0, site = where spawned; arg =
	 * CTP_UNKNOWN: born before anything was recorded, and first seen here */
	CTP_CREATE,
	CTP_RESUME,		/* probe_id, n, addr = 0 */
	/* probe_id, n, addr = frame, site = the await, arg/arg_kind = what it waits on */
	CTP_SUSPEND,
	/* probe_id = who is woken, arg = probe_id of the waker or 0, addr/arg_kind = for what,
	 * site */
	CTP_WAKE,
	CTP_DESTROY,		/* probe_id, n, addr = frame, arg: 1 finished, 3 with a result
				 * that may own what it had, 0 not, else ? */
	CTP_NAME,		/* probe_id, arg = string */
	/* probe_id = current coroutine or 0, arg/arg_kind = the resource, addr = name string or 0,
	 * site */
	CTP_OPEN,
	/* probe_id = current coroutine or 0, arg/arg_kind = the resource, site */
	CTP_CLOSE,
	/* probe_id = current or 0, arg/arg_kind = the resource, addr = waiters woken, site */
	CTP_NOTIFY,
	/* probe_id = current or 0, arg/arg_kind = the resource, addr = items, permits, 1 =
	 * unlocked */
	CTP_LEVEL,
	/* probe_id = holder (0: a plain thread, tid says which), arg/arg_kind = the lock, site */
	CTP_ACQUIRE,
	CTP_RELEASE,		/* as CTP_ACQUIRE */
	CTP_WAKER_CLONE,	/* probe_id = the task it wakes, arg = current coroutine or 0 */
	CTP_WAKER_DROP,		/* as CTP_WAKER_CLONE */
	/* this worker found nothing and goes to sleep; addr = its queue length or CTP_UNKNOWN */
	CTP_PARK,
	CTP_UNPARK,		/* it woke up; addr = its queue length or CTP_UNKNOWN */
	CTP_THREAD,		/* arg = enum ctp_role, addr = name string or 0; n = pid */
	/* this ring dropped: arg = how many, addr = timestamp of the first, timestamp = of the
	 * last; minor 3: seq = dropped, ever */
	CTP_LOST,
	/* from here on: where the header's `kinds` says that the recorder knows them */
	/* probe_id = who was taken from a run queue and is not run, arg = current or 0, site */
	CTP_DEQUEUE,
	/* probe_id = who waits, arg/arg_kind = its deadline from now on (CTP_UNKNOWN: none), addr =
	 * current or 0, site */
	CTP_DEADLINE,
	/* n = pid: from here on that process records nothing of its coroutines, and counts it as
	 * dropped */
	CTP_STOP,
	CTP_START,		/* n = pid: and from here on it does */
	/* one of several that a suspend waits for: right before it in its ring. probe_id, n = that
	 * suspend's, arg/arg_kind = what, site */
	CTP_LEG,
	CTP_KINDS
};

/* ctp_event.arg_kind, low 7 bits: what kind of thing the value in arg names */
enum ctp_on {
	CTP_ON_NONE = 0,	/* nothing said */
	CTP_ON_CORO,		/* probe_id: awaits this coroutine's result */
	CTP_ON_FD,		/* file descriptor */
	CTP_ON_TIMER,		/* deadline, CLOCK_MONOTONIC ns */
	CTP_ON_MUTEX,		/* address or any number that names one lock */
	CTP_ON_COND,
	CTP_ON_SEM,
	CTP_ON_CHAN,
	CTP_ON_JOIN,		/* probe_id: waits for its end, not for its value */
	CTP_ON_USER,		/* string */
	/* from here on: where the header's `on_kinds` says that the recorder knows them */
	CTP_ON_ROOM,		/* room in the channel of that value; CTP_ON_CHAN: its items */
	CTP_ON_ANY_OF,		/* of a suspend: any of so many legs, the events before it */
	CTP_ON_ALL_OF,		/* all of them */
	CTP_ON_KINDS
};
#define CTP_ON_ANY	0x80u	/* arg_kind bit: the kind is known, the object is not; printed as "KIND:" */
#define CTP_UNTRACED	(~0ull - 1)	/* arg of create: a wait of a task that is not traced */
#define CTP_UNKNOWN	(~0ull)	/* addr of park and unpark: no queue length known; arg of create: nor parent nor birth */

/* ENDED: the thread ends; its last event. A writer need not emit it. */
enum ctp_role { CTP_ROLE_OTHER = 0, CTP_ROLE_WORKER, CTP_ROLE_BLOCKING, CTP_ROLE_ENDED };

struct ctp_event {
	/* 0x00 ticks of the region's clock: CTP_F_TSC, else CLOCK_MONOTONIC ns */
	uint64_t timestamp;
	uint64_t tid;		/* 0x08 OS thread id */
	uint64_t addr;		/* 0x10 coroutine frame; by kind, above */
	/* 0x18 atomic; odd while being written, even when complete; version 2: 2 * n */
	uint64_t seq;
	uint64_t probe_id;	/* 0x20 the coroutine */
	uint64_t arg;		/* 0x28 by kind, above */
	/* 0x30 the coroutine's own event number from 1 (create, resume, suspend, destroy), its low
	 * half: all of it is in seq, and a leg's high half in addr */
	uint32_t n;
	uint32_t site;		/* 0x34 index into the site table, 0 = none */
	uint8_t  kind;		/* 0x38 enum ctp_kind */
	uint8_t  arg_kind;	/* 0x39 enum ctp_on, CTP_ON_ANY */
	/* 0x3A u32, not aligned: the call stack, a string; 0 = none. See CTP_STACK_MAX */
	uint8_t  stack[4];
	uint8_t  spare;		/* 0x3E zero */
	uint8_t  is_active;	/* 0x3F 1 running, 0 suspended */
};

/* ---- version 1: header, then max_stations stations ---- */

struct ctp_v1_station {
	uint64_t probe_id;	/* 0x00 */
	uint64_t birth_ts;	/* 0x08 CLOCK_MONOTONIC ns, as all version 1 times */
	uint8_t  is_dead;	/* 0x10 1 = destroyed */
	uint8_t  pad[47];
	/* 0x40 event k (from 0) in slot k % 8, seq = 2 * (k / 8 + 1) */
	struct ctp_event slots[8];
	uint8_t  reserved[448];
};

/* ---- the header; everything from 0x40 is version 2 and zero under an old recorder ---- */

#define CTP_F_TSC	1u	/* timestamps are rdtsc / cntvct_el0 ticks */
#define CTP_F_BLOCK	2u	/* a full ring waits for room instead of dropping */
#define CTP_F_FENCE	4u	/* recorder has no membarrier: writers fence between publishing and reading tracer_sleeping */
#define CTP_F_QUIET	16u	/* writers make no system call once they are attached, and the recorder never sleeps */
#define CTP_F_STACKS	8u	/* suspends and wakes are to come with their call stack; a writer that cannot leaves it 0. The
				 * recorder answers each connection by one byte when it has read
				 * where the process's code lies, and the process waits for that
				 * before it goes on: else a short one would be gone */

struct ctp_header {
	uint64_t magic;			/* 0x000 CTP_MAGIC */
	uint32_t version;		/* 0x008 CTP_VERSION */
	uint32_t max_stations;		/* 0x00C version 1 stations */
	/* 0x010 atomic; may pass max_stations: the excess were not traced */
	uint32_t allocated_count;
	/* 0x014 atomic; 1: whoever swaps it to 0 writes one byte to the socket */
	uint32_t tracer_sleeping;
	uint8_t  pad0[0x28];
	/* 0x040: constant once the target runs */
	/* 0x040 CTP2_MAGIC, the last field that the recorder writes */
	uint64_t v2_magic;
	uint32_t v2_minor;		/* 0x048 */
	uint32_t flags;			/* 0x04C CTP_F_* */
	/* 0x050 all offsets below are from the file's start and lie within */
	uint64_t file_size;
	uint32_t ring_count;		/* 0x058 */
	uint32_t ring_slots;		/* 0x05C a power of two */
	uint64_t rings_off;		/* 0x060 ring_count * struct ctp_ring */
	/* 0x068 ring i: ring_slots events at slots_off + i * ring_slots * 64 */
	uint64_t slots_off;
	uint64_t stations_off;		/* 0x070 station_count * struct ctp_event */
	uint64_t sites_off;		/* 0x078 site_count * struct ctp_site; entry 0 unused */
	/* 0x080 strings_size bytes; a string is named by its offset / 8, 0 = none */
	uint64_t strings_off;
	uint64_t strings_size;		/* 0x088 */
	uint32_t station_count;		/* 0x090 at most 1 << 24 */
	uint32_t site_count;		/* 0x094 */
	/* minor 3, constant: */
	/* 0x098 while nobody reads, a writer looks at session once in so many events */
	uint32_t look_slots;
	/* 0x09C the process that made the region, as it sees itself; 0: a recorder did */
	uint32_t box_pid;
	uint64_t birth_ticks;		/* 0x0A0 one moment in the writers' clock, */
	uint64_t birth_ns;		/* 0x0A8 in CLOCK_MONOTONIC ns, */
	uint64_t birth_wall;		/* 0x0B0 in CLOCK_REALTIME ns */
	/* 0x0B8 of the machine: /proc/sys/kernel/random/boot_id; zero: not known */
	uint8_t  boot_id[16];
	uint64_t births_off;		/* 0x0C8 station_count * struct ctp_birth */
	uint64_t pid_ns;		/* 0x0D0 inode of box_pid's pid namespace; 0: not known */
	/* 0x0D8 1: coroutines older than the region are first seen when they move */
	uint32_t born_late;
	uint32_t pad9;
	/* 0x0E0 as the recorder sees itself; 0 = not said. See CTP_NUMBERS */
	uint32_t recorder_pid;
	uint8_t  pad8[0x14];
	/* 0x0F8 CTP_KINDS and CTP_ON_KINDS of who reads; 0: those of before these fields, up to
	 * CTP_LOST and CTP_ON_USER. A writer stores no others */
	uint32_t kinds;
	uint32_t on_kinds;		/* 0x0FC */
	/* 0x100: shared by writers, a cache line each */
	uint64_t next_probe_id;		/* 0x100 atomic; ids are taken in blocks; starts at 1 */
	uint8_t  pad2[0x38];
	/* 0x140 atomic stack: (tag << 32) | (index + 1); a free station's arg is the next */
	uint64_t stations_free;
	/* 0x148 atomic; stations below this were taken at least once */
	uint32_t stations_used;
	uint8_t  pad3[0x34];
	uint32_t sites_used;		/* 0x180 atomic; starts at 1 */
	uint8_t  pad4[0x3C];
	uint64_t strings_used;		/* 0x1C0 atomic, bytes; starts at 8 */
	uint8_t  pad5[0x38];
	/* 0x200 atomic; rings below this were claimed at least once */
	uint32_t rings_used;
	uint8_t  pad6[0x3C];
	uint64_t lost_no_ring;		/* 0x240 atomic: events of threads that got no ring */
	/* 0x248 atomic: coroutines that got no station (their history is still recorded) */
	uint64_t lost_no_station;
	/* 0x250 atomic: sites and strings that found the tables full */
	uint64_t lost_no_string;
	/* 0x258 atomic: events without their call stack, which found no room */
	uint64_t lost_no_stack;
	uint32_t next_number;		/* 0x260 atomic; starts at CTP_NUMBERS */
	/* 0x264 atomic: processes that write without a connection */
	uint32_t unconnected;
	uint8_t  pad7[0x18];
	/* 0x280: minor 3, of the recorder */
	/* 0x280 atomic; odd: a recorder reads, rings respect tail; even: they overwrite. Only
	 * rises */
	uint32_t session;
	/* 0x284 atomic; as the recorder sees itself: for messages only */
	uint32_t reader_pid;
	/* 0x288 atomic, enum ctp_leave */
	uint32_t leave;
	uint8_t  pad10[0x34];
	/* 0x2C0: minor 3, of writers: a late moment in both clocks, for who reads when all is
	 * over */
	uint32_t late_lock;		/* 0x2C0 atomic; odd while the two are written */
	uint32_t pad11;
	uint64_t late_ticks;		/* 0x2C8 atomic */
	uint64_t late_ns;		/* 0x2D0 atomic */
	/* minor 3, of the process that switched its probe on again: what is older is not to be
	 * believed. 0x2D8 atomic: coroutines with ids up to here; 0x2E0 atomic: events */
	uint64_t forget_ids;
	uint64_t forget_ticks;
	/* 0x2E8 in a copy that the process made itself: when; else 0 */
	uint64_t dump_ticks;
	uint8_t  pad12[0x110];
};

/* A ring: one writer thread, one reader (the recorder). Positions only rise; slot = position &
 * (ring_slots - 1). */
#define CTP_RING_FREE 0u	/* -> owned, by a writer's compare-and-swap */
#define CTP_OWNER(pid, tid)	((uint64_t)(pid) << 32 | (tid))
#define CTP_OWNER_PID(owner)	((uint32_t)((owner) >> 32) & 0x7fffffffu)
#define CTP_OWNER_TID(owner)	((uint32_t)(owner))
#define CTP_RING_RETIRED (1ull << 63)	/* beside the owner: it has ended -> free by the recorder when it has read everything;
				 * minor 3: -> owned by a writer, where nobody reads */

/* A process of another pid namespace than the recorder's takes numbers from here on for itself and
 * its threads, in owner and in its events: Linux gives no task so high a number (PID_MAX_LIMIT). */
#define CTP_NUMBERS	(1u << 22)

/* What is no coroutine: its site, 0 from 2^22 on, and bits 8 to 49 of the time when it began. */
#define CTP_CALLBACK_TIME	(((1ull << 42) - 1) << 8)
#define CTP_CALLBACK_SITE(callback)	((uint32_t)((callback) >> 42))
#define CTP_CALLBACK(site, ts)	\
	((uint64_t)((site) >> 22 ? 0 : (site)) << 42 | ((ts) & CTP_CALLBACK_TIME) >> 8)

struct ctp_ring {
	/* 0x00 atomic; writer: events below this are complete; kept when the ring changes hands */
	uint64_t head;
	/* 0x08 atomic; writer: events dropped, ever; those not yet reported by CTP_LOST are
	 * pending */
	uint64_t dropped;
	uint64_t drop_first;	/* 0x10 atomic; timestamp of the first pending drop */
	uint64_t drop_last;	/* 0x18 atomic; timestamp of the last pending drop */
	/* 0x20 atomic; CTP_RING_FREE, CTP_OWNER(), or that with CTP_RING_RETIRED: one word, so that
	 * nobody ever sees the process of one owner with the thread of another */
	uint64_t owner;
	/* 0x28 atomic; writer: what it is inside of, CTP_CALLBACK(); 0: nothing */
	uint64_t callback;
	/* 0x30 atomic; minor 3, writer: it writes below this without another look at session */
	uint64_t limit;
	/* 0x38 atomic; minor 3, writer: of dropped, how many a CTP_LOST has reported */
	uint64_t reported;
	/* 0x40 atomic; recorder: events below this are read, their slots may be written again */
	uint64_t tail;
	uint32_t role;		/* 0x48 atomic; minor 3, writer: as its last CTP_THREAD said */
	uint32_t name;		/* 0x4C atomic; minor 3, writer: string */
	uint8_t  pad1[0x30];
};

#define CTP_BIRTH_UNSEEN 0x80000000u	/* in site: born while recording was stopped */

/* What create and name events alone say, for who comes when they are overwritten. births[i] is of
 * station i's coroutine, where the ids are the same. */
struct ctp_birth {
	uint64_t id;		/* 0x00 atomic; 0 while the rest changes */
	uint64_t ts;		/* 0x08 atomic */
	uint64_t parent;	/* 0x10 atomic; CTP_UNKNOWN: born before anything was recorded */
	uint32_t site;		/* 0x18 atomic; and CTP_BIRTH_UNSEEN */
	uint32_t name;		/* 0x1C atomic; string, may be stored later */
};

/* In a page of its own in a process without a region, so that a recorder can ask for a box. */
enum ctp_asked {
	CTP_FLAG_OFF,
	CTP_FLAG_ON,
	CTP_FLAG_ASKED, /* by a recorder: the next event makes a box, or goes on with it */
	CTP_FLAG_LENT /* on, because a recorder asked: it may have it switched off again */
};

/* A recorder that asked for a box leaves: a writer that sees it switches its process's probe off. */
enum ctp_leave {
	CTP_STAY,
	CTP_LEAVE, /* by the recorder */
	CTP_LEFT, /* by the process: what its stations show is old from here on */
	CTP_KEPT /* by the process: it keeps the box, whoever asked for it */
};
struct ctp_flag {
	uint32_t on;		/* atomic, enum ctp_asked */
};

struct ctp_site {
	uint32_t ready;		/* 0x00 atomic; 1 when the rest is complete */
	uint32_t line;		/* 0x04 */
	uint32_t func;		/* 0x08 string */
	uint32_t file;		/* 0x0C string */
};

struct ctp_string {		/* at strings_off + 8 * number */
	uint32_t len;		/* atomic, bytes + 1, stored last; 0: not written yet */
	char text[4];		/* len - 1 bytes, no terminator needed; entries are padded to 8 */
};

/* A call stack is a string of 1 to CTP_STACK_MAX return addresses (u64, not aligned), innermost
 * first, from the function that called the probe. Of a function that a signal interrupted, the
 * address is one more than where it stood, so that one less lies within it for all. Deeper ones are
 * cut at the outer end. Like all strings it is written once and then named: by the process that
 * wrote it, and its children. Stacks leave the arena's last quarter to names: none begins beyond
 * CTP_STACKS_END. */
#define CTP_STACK_MAX	128u
/* A runtime whose code has no addresses that stay writes the numbers of sites instead, each with this
 * bit set, and no others in that stack. */
#define CTP_SITE_FRAME	(1ull << 63)
#define CTP_STACKS_END(strings_size) ((strings_size) - (strings_size) / 4)

#if defined __cplusplus
#define CTP_ASSERT_(e) static_assert(e, #e)
#else
#define CTP_ASSERT_(e) _Static_assert(e, #e)
#endif
#define CTP_AT_(s, f, o) CTP_ASSERT_(offsetof(struct s, f) == (o))

CTP_ASSERT_(sizeof(struct ctp_event) == 64);
CTP_AT_(ctp_event, timestamp, 0x00);
CTP_AT_(ctp_event, tid, 0x08);
CTP_AT_(ctp_event, addr, 0x10);
CTP_AT_(ctp_event, seq, 0x18);
CTP_AT_(ctp_event, probe_id, 0x20);
CTP_AT_(ctp_event, arg, 0x28);
CTP_AT_(ctp_event, n, 0x30);
CTP_AT_(ctp_event, site, 0x34);
CTP_AT_(ctp_event, kind, 0x38);
CTP_AT_(ctp_event, arg_kind, 0x39);
CTP_AT_(ctp_event, stack, 0x3A);
CTP_AT_(ctp_event, spare, 0x3E);
CTP_AT_(ctp_event, is_active, 0x3F);
CTP_ASSERT_(sizeof(struct ctp_v1_station) == 1024);
CTP_AT_(ctp_v1_station, probe_id, 0x00); CTP_AT_(ctp_v1_station, birth_ts, 0x08);
CTP_AT_(ctp_v1_station, is_dead, 0x10);	CTP_AT_(ctp_v1_station, slots, 0x40);
CTP_ASSERT_(sizeof(struct ctp_header) == 1024);
CTP_AT_(ctp_header, magic, 0x00);
CTP_AT_(ctp_header, version, 0x08);
CTP_AT_(ctp_header, max_stations, 0x0C);
CTP_AT_(ctp_header, allocated_count, 0x10); CTP_AT_(ctp_header, tracer_sleeping, 0x14);
CTP_AT_(ctp_header, v2_magic, 0x40);
CTP_AT_(ctp_header, v2_minor, 0x48);
CTP_AT_(ctp_header, flags, 0x4C);
CTP_AT_(ctp_header, file_size, 0x50);
CTP_AT_(ctp_header, ring_count, 0x58);
CTP_AT_(ctp_header, ring_slots, 0x5C);
CTP_AT_(ctp_header, rings_off, 0x60);
CTP_AT_(ctp_header, slots_off, 0x68);
CTP_AT_(ctp_header, stations_off, 0x70);
CTP_AT_(ctp_header, sites_off, 0x78);
CTP_AT_(ctp_header, strings_off, 0x80);
CTP_AT_(ctp_header, strings_size, 0x88);
CTP_AT_(ctp_header, station_count, 0x90); CTP_AT_(ctp_header, site_count, 0x94);
CTP_AT_(ctp_header, next_probe_id, 0x100); CTP_AT_(ctp_header, stations_free, 0x140);
CTP_AT_(ctp_header, stations_used, 0x148); CTP_AT_(ctp_header, sites_used, 0x180);
CTP_AT_(ctp_header, strings_used, 0x1C0); CTP_AT_(ctp_header, rings_used, 0x200);
CTP_AT_(ctp_header, lost_no_ring, 0x240); CTP_AT_(ctp_header, lost_no_station, 0x248);
CTP_AT_(ctp_header, lost_no_string, 0x250); CTP_AT_(ctp_header, lost_no_stack, 0x258);
CTP_AT_(ctp_header, kinds, 0xF8); CTP_AT_(ctp_header, on_kinds, 0xFC);
CTP_AT_(ctp_header, recorder_pid, 0xE0); CTP_AT_(ctp_header, next_number, 0x260);
CTP_AT_(ctp_header, unconnected, 0x264);
CTP_ASSERT_(sizeof(struct ctp_ring) == 128);
CTP_AT_(ctp_ring, head, 0x00);
CTP_AT_(ctp_ring, dropped, 0x08);
CTP_AT_(ctp_ring, drop_first, 0x10);
CTP_AT_(ctp_ring, drop_last, 0x18);
CTP_AT_(ctp_ring, owner, 0x20);
CTP_AT_(ctp_ring, callback, 0x28);
CTP_AT_(ctp_ring, tail, 0x40);
CTP_AT_(ctp_ring, limit, 0x30);
CTP_AT_(ctp_ring, reported, 0x38);
CTP_AT_(ctp_ring, role, 0x48);
CTP_AT_(ctp_ring, name, 0x4C);
CTP_AT_(ctp_header, look_slots, 0x98);
CTP_AT_(ctp_header, box_pid, 0x9C);
CTP_AT_(ctp_header, birth_ticks, 0xA0);
CTP_AT_(ctp_header, birth_ns, 0xA8);
CTP_AT_(ctp_header, birth_wall, 0xB0);
CTP_AT_(ctp_header, boot_id, 0xB8);
CTP_AT_(ctp_header, births_off, 0xC8);
CTP_AT_(ctp_header, pid_ns, 0xD0);
CTP_AT_(ctp_header, born_late, 0xD8);
CTP_AT_(ctp_header, session, 0x280);
CTP_AT_(ctp_header, reader_pid, 0x284);
CTP_AT_(ctp_header, leave, 0x288);
CTP_AT_(ctp_header, forget_ids, 0x2D8);
CTP_AT_(ctp_header, forget_ticks, 0x2E0);
CTP_AT_(ctp_header, dump_ticks, 0x2E8);
CTP_AT_(ctp_header, late_lock, 0x2C0);
CTP_AT_(ctp_header, late_ticks, 0x2C8);	CTP_AT_(ctp_header, late_ns, 0x2D0);
CTP_ASSERT_(sizeof(struct ctp_birth) == 32);
CTP_AT_(ctp_birth, id, 0x00);
CTP_AT_(ctp_birth, ts, 0x08);
CTP_AT_(ctp_birth, parent, 0x10);
CTP_AT_(ctp_birth, site, 0x18);		CTP_AT_(ctp_birth, name, 0x1C);
CTP_ASSERT_(sizeof(struct ctp_site) == 16);
CTP_ASSERT_(sizeof(struct ctp_string) == 8);
#if defined __BYTE_ORDER__
CTP_ASSERT_(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
#endif

/* Accessors: GCC's and Clang's __atomic builtins, so that C and C++ see the same plain structs. */
#define ctp_load(p)		__atomic_load_n(p, __ATOMIC_RELAXED)
#define ctp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define ctp_store(p, v)		__atomic_store_n(p, v, __ATOMIC_RELAXED)
#define ctp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define ctp_add(p, v)		__atomic_fetch_add(p, v, __ATOMIC_RELAXED)

#endif
