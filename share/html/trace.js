// trace.js - a run made ready: coroutines, their stretches with sums, lanes of threads, wakes in order of time.

const CREATED = 0,
	RUNNING = 1,
	SUSPENDED = 2,
	RUNNABLE = 3,
	ENDED = 4,
	PARKED = 5,
	WAKE = 8;
const STATES = ['created', 'running', 'suspended', 'runnable', 'ended'];
const KINDS = [
	...STATES,
	'parked',
	'',
	'',
	'woken',
	'opened',
	'closed',
	'notified',
	'level of',
	'acquired',
	'released',
];
// By the numbers of ctt_wait_kind(): html.t compares.
const ON = [
	'',
	'coro',
	'fd',
	'timer',
	'mutex',
	'cond',
	'sem',
	'chan',
	'join',
	'user',
	'syscall',
	'sched',
	'never',
	'runtime',
	'room',
	'other',
	'any of several',
	'all of several',
];
const SEVERAL = 16,
	onClass = kind => 'on-' + (ON[kind] || 'none').split(' ')[0];
const LIVES = 1,
	WAS_CREATED = 2,
	HAS_ENDED = 4,
	TOLD_DONE = 8,
	DONE = 16,
	VERSION_1 = 32,
	SYSTEM = 64,
	GONE = 128;
const OPEN = 16,
	KNOWN = 32,
	NUMBER = 64,
	TORN = 128;

class Trace {
	constructor(run) {
		Object.assign(this, run);
		const c = run.col;
		this.id = ids(c.id);
		this.n = this.id.length;
		this.name = c.name;
		this.flags = c.flags;
		this.placeItems();
		this.sumUp();
		this.makeLanes();
		this.findStates();
		this.byId = null;
		this.threadOf = new Map(this.threads.map(t => [t.tid, t]));
		this.findingOf = new Map(this.findings.map(f => [f.rec, f]));
		this.findingsOf = new Map();
		for (const f of this.findings) addTo(this.findingsOf, f.group + 1, f);
		this.groups.forEach((g, i) => {
			g.number = i + 1;
		});
		this.causes = causesOf(this, this.groups);
		this.causes.forEach((c, i) => {
			c.number = i + 1;
		});
		this.nextInRing = new Map();
		for (const f of this.findings)
			(f.cycle ?? []).forEach((id, i, ring) => {
				const r = this.find(id);
				if (!this.findingOf.has(r)) this.findingOf.set(r, f);
				if (!f.component) this.nextInRing.set(r, this.find(ring[(i + 1) % ring.length]));
			});
	}

	// Items stand by coroutine and time; each holds how far from the end of the one before it begins.
	placeItems() {
		const { items, gap, span, line } = this.col,
			n = gap.length,
			from = new Uint32Array(this.n + 1),
			rec = new Uint32Array(n);
		const start = new Float64Array(n),
			stop = new Float64Array(n),
			lines = new Float64Array(n);
		for (let r = 0, i = 0; r < items.length; r++) {
			let end = 0,
				at = 0;
			for (const last = i + items[r]; i < last; i++) {
				start[i] = end + gap[i];
				stop[i] = end = start[i] + span[i];
				lines[i] = at += line[i];
				rec[i] = r;
			}
			from[r + 1] = i;
		}
		Object.assign(this, { start, stop, rec, from, line: lines });
	}
	kind(i) {
		return this.col.kind[i] & 15;
	}

	// Stretches alone, with the running sum of each state's time before them: any column of pixels is two look-ups.
	sumUp() {
		const { start, stop, from } = this,
			n = start.length,
			kind = this.col.kind;
		const stretch = new Uint32Array(n),
			stretchFrom = new Uint32Array(this.n + 1);
		const ran = new Float64Array(n + 1),
			queued = new Float64Array(n + 1),
			waited = new Float64Array(n + 1);
		let k = 0;
		for (let r = 1; r < stretchFrom.length - 1; r++) {
			for (let i = from[r]; i < from[r + 1]; i++) {
				const s = kind[i] & 15,
					t = stop[i] - start[i];
				if (s > RUNNABLE) continue;
				stretch[k] = i;
				ran[k + 1] = ran[k] + (s === RUNNING ? t : 0);
				queued[k + 1] = queued[k] + (s === RUNNABLE ? t : 0);
				waited[k + 1] = waited[k] + (s === SUSPENDED ? t : 0);
				k++;
			}
			stretchFrom[r + 1] = k;
		}
		Object.assign(this, { stretch, stretchFrom, ran, queued, waited });
	}

	// Items by time: into as many buckets as there are, which are then sorted each.
	inOrder(list) {
		const start = this.start,
			n = list.length,
			out = new Uint32Array(n),
			order = (a, b) => start[a] - start[b] || a - b;
		const first = list.reduce((a, i) => Math.min(a, start[i]), Infinity),
			last = list.reduce((a, i) => Math.max(a, start[i]), -Infinity);
		const bucket = i => (last > first ? Math.floor(((start[i] - first) / (last - first)) * (n - 1)) : 0),
			ends = new Uint32Array(n + 1);
		for (const i of list) ends[bucket(i) + 1]++;
		for (let k = 0; k < n; k++) ends[k + 1] += ends[k];
		const at = ends.slice();
		for (const i of list) out[at[bucket(i)]++] = i;
		for (let k = 0; k < n; k++)
			if (ends[k + 1] - ends[k] === 2 && order(out[ends[k]], out[ends[k] + 1]) > 0)
				[out[ends[k]], out[ends[k] + 1]] = [out[ends[k] + 1], out[ends[k]]];
			else if (ends[k + 1] - ends[k] > 2) out.subarray(ends[k], ends[k + 1]).sort(order);
		return out;
	}

	// What each thread ran and when it slept; wakes.
	makeLanes() {
		const by = new Map(),
			wakes = [],
			{ start, stop, rec } = this,
			{ kind: kinds, tid: tids } = this.col;
		for (let i = 0; i < start.length; i++) {
			const kind = kinds[i] & 15;
			if (kind === WAKE && rec[i]) wakes.push(i);
			if (kind !== RUNNING && kind !== PARKED) continue;
			const tid = tids[i]; // below 2^32
			let list = by.get(tid);
			if (!list) by.set(tid, (list = []));
			list.push(i);
		}
		this.wakes = this.inOrder(wakes);
		const cells = new Map();
		let at = 0;
		for (const l of this.lanes) {
			cells.set(l.tid, { ...l.cells, at });
			at += l.cells.n;
		}
		this.worker = this.threads
			.map(t => ({ ...t, cells: cells.get(t.tid), items: this.inOrder(by.get(Number(t.tid)) ?? []) }))
			.filter(w => w.cells || w.items.length);
		for (const w of this.worker) {
			w.busy = new Float64Array(w.items.length + 1);
			w.slept = new Float64Array(w.items.length + 1);
			w.items.forEach((i, k) => {
				const t = stop[i] - start[i],
					park = (kinds[i] & 15) === PARKED;
				w.busy[k + 1] = w.busy[k] + (park ? 0 : t);
				w.slept[k + 1] = w.slept[k] + (park ? t : 0);
			});
		}
		this.workerOf = new Map(this.worker.map((w, i) => [w.tid, i]));
		at = 0;
		for (const p of this.sites)
			if (p.cells) {
				p.levels = this.col.p_level.subarray(at, at + p.cells.n);
				p.most = p.levels.reduce((a, b) => Math.max(a, b), 0);
				at += p.cells.n;
			}
	}

	// Where each coroutine is at the end: the item, its state and site.
	findStates() {
		this.last = new Int32Array(this.n).fill(-1);
		this.state = new Uint8Array(this.n).fill(ENDED);
		for (let r = 1; r < this.n; r++) {
			const k = this.stretchFrom[r + 1] - 1;
			if (k < this.stretchFrom[r]) continue;
			this.last[r] = this.stretch[k];
			if (this.flags[r] & LIVES) this.state[r] = this.kind(this.last[r]);
		}
		this.own = 0;
		for (let r = 1; r < this.n; r++) this.own += this.isOwn(r);
	}

	// Is it the runtime's, and nobody accuses it?
	isOwn(r) {
		return !!(this.flags[r] & SYSTEM) && !this.col.group[r];
	}

	find(id) {
		if (!this.byId) {
			this.byId = new Map();
			for (let r = 1; r < this.n; r++) this.byId.set(digits(this.id, r), r);
		}
		return this.byId.get(String(id)) ?? 0;
	}
	idOf(r) {
		return digits(this.id, r);
	}
	siteOf(r) {
		return this.last[r] < 0 ? this.col.spawn[r] : this.col.site[this.last[r]];
	}
	nameOf(r) {
		return this.name[r] ? shown(this.name[r]) : '';
	}
	label(r, name = this.nameOf(r)) {
		return r ? beside(this.idOf(r), name) : 'a coroutine';
	}
	// A goroutine's name is its function's.
	shortName(r) {
		return this.meta?.go_trace ? withoutFolders(this.nameOf(r)) : this.nameOf(r);
	}
	shortLabel(r) {
		return this.label(r, this.shortName(r));
	}

	site(p) {
		const s = this.sites[p];
		if (!s || !p) return '';
		if (!s.func && !s.file) return 'site ' + s.site;
		return shown((s.func ? s.func + ' ' : '') + (s.file ? s.file + ':' + s.line : ''));
	}
	on(i) {
		const kind = this.col.on_kind[i],
			flags = this.col.kind[i],
			value = this.col.on[i];
		if (!kind) return '';
		const legs = this.legs(i);
		if (legs) return (legs.all ? 'all of ' : 'any of ') + legs.of.map(l => shown(l[0])).join(', ') + (legs.count > legs.of.length ? ', \u2026' : '');
		if (kind >= SEVERAL) return ON[kind];
		if (!(flags & KNOWN)) return ON[kind] + ':';
		if (!(flags & NUMBER)) return shown(this.texts[value] ?? '');
		if (((kind >= 4 && kind <= 7) || kind === 14) && value > 0xffff)
			return ON[kind] + ':0x' + BigInt(digits(this.col.on, i)).toString(16).padStart(16, '0');
		return ON[kind] + ':' + digits(this.col.on, i);
	}
	// Of one that waits for several things: each, as long as it does.
	legs(i) {
		const r = this.rec[i];
		return i === this.last[r] ? this.living[r]?.legs : null;
	}
	thread(tid) {
		const t = this.threadOf.get(String(tid));
		return (
			(t?.role === 'worker' ? 'worker thread ' : 'thread ') +
			tid +
			(t?.name ? ' \u201c' + shown(t.name) + '\u201d' : '')
		);
	}
	since(r) {
		return this.last[r] < 0 ? this.col.created[r] : this.start[this.last[r]];
	}
	began(r) {
		return this.flags[r] & WAS_CREATED
			? this.col.created[r]
			: this.from[r] < this.from[r + 1]
				? this.start[this.from[r]]
				: 0;
	}
	ended(r) {
		return this.flags[r] & HAS_ENDED
			? this.col.ended[r] + (this.flags[r] & WAS_CREATED ? this.col.created[r] : 0)
			: this.end;
	}
	endWord(r) {
		return !(this.flags[r] & TOLD_DONE) ? 'ended' : this.flags[r] & DONE ? 'finished' : 'cancelled';
	}
	awaits(r) {
		// the coroutine that it waits on, or who holds what it waits on; 0: nobody known
		const i = this.last[r],
			kind = i < 0 ? 0 : this.col.on_kind[i];
		if (this.state[r] !== SUSPENDED) return 0;
		if ((kind === 1 || kind === 8) && this.col.kind[i] & KNOWN) return this.find(digits(this.col.on, i));
		const held = this.living[r]?.held;
		return this.nextInRing.get(r) ?? (held ? this.find(held[3]) : 0);
	}
	before(list, t, from = 0, to = list.length) {
		// how many of list[from..to) start before t
		let a = from,
			b = to;
		while (a < b) {
			const m = (a + b) >> 1;
			if (this.start[list[m]] < t) a = m + 1;
			else b = m;
		}
		return a;
	}
	worst() {
		return this.groups.findIndex(g => g.certainty === 'proven');
	}
}
