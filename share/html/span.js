// span.js - a span of time in numbers: who ran and waited in it, who woke whom; of what is shown one by one.

const TOP = 12;

// The chosen span, or, where none is chosen, the time that is shown.
function spanOf() {
	const [from, length] = view.span.split(',').map(Number);
	return view.span && Number.isFinite(from) && length > 0
		? [from, from + length]
		: [range.goalFrom, range.goalTo];
}

function chooseSpan(a, b) {
	const from = Math.round(Math.min(a, b)),
		length = Math.round(Math.abs(b - a));
	look({ span: length > 0 ? from + ',' + length : '' });
}

// Durations, and the part of them that lies in the span.
class Spread {
	constructor() {
		this.list = [];
		this.time = 0;
		this.sorted = true;
	}
	add(t) {
		this.list.push(t);
		this.sorted = false;
	}
	at(share) {
		if (!this.sorted) this.list.sort((a, b) => a - b);
		this.sorted = true;
		return this.list[Math.min(this.list.length - 1, Math.floor(share * this.list.length))];
	}
}

class Stats {
	constructor(run, a, b) {
		Object.assign(this, { run, a, b });
		this.here = new Uint8Array(run.n);
		this.ran = new Float64Array(run.n);
		this.waited = new Float64Array(run.n);
		this.runs = new Uint32Array(run.n);
		this.all = [new Spread(), new Spread(), new Spread(), new Spread()];
		this.sites = new Map();
		this.threads = new Map();
		this.wakes = new Map();
		this.woken = 0;
		this.unknown = 0; // stretches in which events are missing: nobody knows what they were
		for (let k = 0; k < run.stretchFrom[run.n]; k++) {
			const i = run.stretch[k];
			if (run.start[i] < b && run.stop[i] > a) this.take(i);
		}
		this.takeParked();
		this.takeWakes();
	}
	site(p) {
		if (!this.sites.has(p)) this.sites.set(p, [0, 1, 2, 3].map(() => new Spread()));
		return this.sites.get(p);
	}
	thread(tid) {
		if (!this.threads.has(tid)) this.threads.set(tid, { busy: 0, parked: 0, runs: 0 });
		return this.threads.get(tid);
	}
	// A stretch counts with the time that it has in the span; its whole length is of the spread where it ends in there.
	take(i) {
		const { run, a, b } = this,
			kind = run.kind(i),
			r = run.rec[i],
			t = Math.min(b, run.stop[i]) - Math.max(a, run.start[i]);
		const p = this.site(run.col.site[i])[kind],
			torn = run.col.kind[i] & TORN,
			ends = run.stop[i] <= b && !(run.col.kind[i] & OPEN);
		this.here[r] = 1;
		if (kind === RUNNING) {
			this.runs[r]++;
			this.thread(run.col.tid[i]).runs++;
		}
		if (torn) {
			this.unknown += t;
			return;
		}
		p.time += t;
		this.all[kind].time += t;
		if (ends) {
			p.add(run.stop[i] - run.start[i]);
			this.all[kind].add(run.stop[i] - run.start[i]);
		}
		if (kind === SUSPENDED) this.waited[r] += t;
		if (kind !== RUNNING) return;
		this.ran[r] += t;
		this.thread(run.col.tid[i]).busy += t;
	}
	takeParked() {
		const { run, a, b } = this;
		for (const w of run.worker)
			for (let k = Math.max(0, run.before(w.items, a) - 1); k < w.items.length; k++) {
				const i = w.items[k];
				if (run.start[i] >= b) break;
				if (run.kind(i) === PARKED && run.stop[i] > a)
					this.thread(Number(w.tid)).parked +=
						Math.min(b, run.stop[i]) - Math.max(a, run.start[i]);
			}
	}
	// By where the waker stands and where the woken one waited.
	takeWakes() {
		const { run } = this,
			to = run.before(run.wakes, this.b);
		for (let k = run.before(run.wakes, this.a); k < to; k++) {
			const i = run.wakes[k],
				r = run.rec[i],
				at = run.before(run.stretch, run.start[i], run.stretchFrom[r], run.stretchFrom[r + 1]) - 1,
				point = at < run.stretchFrom[r] ? 0 : run.col.site[run.stretch[at]],
				by = run.col.site[i] ? 'p' + run.col.site[i] : run.col.by[i] ? 'c' : 't' + run.col.tid[i];
			const key = by + ' ' + point;
			this.wakes.set(key, (this.wakes.get(key) ?? 0) + 1);
			this.woken++;
		}
	}
}

// What is shown may reach beyond the run, where nothing is to be counted.
function countedSpan(run) {
	const [from, to] = spanOf(),
		a = Math.max(from, run.first),
		b = Math.min(to, run.end);
	return b > a ? [a, b] : [from, to];
}

let stats_ = null;
function stats(run) {
	const [a, b] = countedSpan(run);
	if (!stats_ || stats_.run !== run || stats_.a !== a || stats_.b !== b) stats_ = new Stats(run, a, b);
	return stats_;
}

// ---- what the tab shows ----

function spanHead(run, s) {
	const chip = (text, onclick) => h('button', { type: 'button', class: 'chip', onclick }, text),
		steps_ = (s.b - s.a) / 1000;
	return h(
		'p',
		{ class: 'spanhead' },
		h('b', {}, duration(s.b - s.a)),
		' from ' + moment(run, s.a, steps_) + ' to ' + moment(run, s.b, steps_) + ', ',
		view.span ? 'chosen. ' : 'the time shown. ',
		view.span
			? [
					chip('Show it', () => send(run, s.a, s.b)),
					' ',
					chip('Clear', () => look({ span: '' })),
				]
			: chip('Keep it', () => chooseSpan(s.a, s.b)),
		run.dropped && s.a < run.exact_from
			? h('span', { class: 'bad' }, ' Only what comes after ' + moment(run, run.exact_from) + ' is counted.')
			: null,
		h('span', { class: 'dim' }, ' Drag along the time axis, or with Shift in the lanes, to choose another.')
	);
}

function spanFigures(s) {
	const [, run_, wait, queue] = s.all,
		some = (p, share) => (p.list.length ? duration(p.at(share)) : '\u2013'),
		length = s.b - s.a;
	const rows = [
		['coroutines seen', group3(s.here.reduce((a, b) => a + b, 0))],
		['running on average', count(run_.time / length)],
		['suspended on average', count(wait.time / length)],
		['runnable on average', count(queue.time / length)],
		...(s.unknown ? [['not known, as events are missing', count(s.unknown / length)]] : []),
		['wakes', group3(s.woken)],
		['waits that ended', group3(wait.list.length)],
		['their p50, p90, p99', [0.5, 0.9, 0.99].map(q => some(wait, q)).join(', ')],
		['the longest', some(wait, 1)],
		['from wake to run p50, p99', [0.5, 0.99].map(q => some(queue, q)).join(', ')],
		['runs p50, p99, longest', [0.5, 0.99, 1].map(q => some(run_, q)).join(', ')],
	];
	return h(
		'section',
		{},
		h('h3', {}, 'Figures'),
		h(
			'dl',
			{ class: 'figures' },
			rows.flatMap(([k, v]) => [h('dt', {}, k), h('dd', {}, v)])
		)
	);
}

function shareBar(part, all) {
	const bar = svg('svg', { viewBox: '0 0 100 6', preserveAspectRatio: 'none', class: 'bar', 'aria-hidden': 'true' });
	bar.append(svg('rect', { x: 0, y: 0, width: all ? Math.max(0.5, (100 * part) / all) : 0, height: 6 }));
	return bar;
}

// The coroutines with most of a time, with bars.
function most(run, title, time) {
	const list = [];
	for (let r = 1; r < run.n; r++) if (time[r] > 0) list.push(r);
	list.sort((a, b) => time[b] - time[a]);
	return h(
		'section',
		{},
		h('h3', {}, title),
		h(
			'table',
			{},
			h(
				'tbody',
				{},
				list
					.slice(0, TOP)
					.map(r =>
						h(
							'tr',
							{},
							h('th', { scope: 'row' }, coroutineButton(run, run.idOf(r))),
							h('td', { class: 'n' }, duration(time[r])),
							h('td', { class: 'wide' }, shareBar(time[r], time[list[0]]))
						)
					)
			)
		),
		list.length ? null : h('p', { class: 'none' }, 'Nobody.'),
		list.length > TOP ? h('p', { class: 'note' }, plural(list.length - TOP, 'more', 'more')) : null
	);
}

function wakers(run, s) {
	const list = [...s.wakes].sort((a, b) => b[1] - a[1]);
	const name = by =>
		by[0] === 'p'
			? h('bdi', { title: run.site(Number(by.slice(1))) }, cutSite(run.site(Number(by.slice(1))), 60))
			: by === 'c'
				? 'a coroutine'
				: run.thread(by.slice(1));
	return h(
		'section',
		{},
		h('h3', {}, 'Who woke whom'),
		h(
			'table',
			{},
			h(
				'tbody',
				{},
				list.slice(0, TOP).map(([key, n]) => {
					const [by, point] = key.split(' ');
					return h(
						'tr',
						{},
						h('td', { class: 'n' }, group3(n)),
						h('td', {}, name(by)),
						h('td', {}, '\u2192 ', Number(point) ? name('p' + point) : 'site not known')
					);
				})
			)
		),
		list.length ? null : h('p', { class: 'none' }, 'No wake is recorded in it.'),
		list.length > TOP ? h('p', { class: 'note' }, plural(list.length - TOP, 'more pair')) : null
	);
}

const spreadColumns = (title, at, value) =>
	[
		['50', 'p50', 0.5],
		['99', 'p99', 0.99],
		['max', 'longest', 1],
	].map(([key, name, q], i) => [
		title.toLowerCase() + key,
		i ? name : title + ' ' + name,
		x => value(x)[at].at(q) ?? -1,
		x => (value(x)[at].list.length ? duration(value(x)[at].at(q)) : ''),
		true,
	]);

// Sites by what happened at them in the span.
function spanSites(run, s) {
	const rows = [...s.sites.keys()].filter(p => p && (!view.site || String(p) === view.site)),
		value = p => s.sites.get(p),
		time = (key, title, kind) => [
			key,
			title,
			p => value(p)[kind].time,
			p => (value(p)[kind].time ? duration(value(p)[kind].time) : ''),
			true,
		];
	if (!view.sort) rows.sort((a, b) => value(b)[SUSPENDED].time - value(a)[SUSPENDED].time);
	return sortedTable(
		run,
		[
			[
				'at',
				'Site',
				p => run.site(p),
				p => siteCell(run.site(p)),
			],
			time('waited', 'Suspended', SUSPENDED),
			['waits', 'waits', p => value(p)[SUSPENDED].list.length, p => group3(value(p)[SUSPENDED].list.length), true],
			...spreadColumns('Wait', SUSPENDED, value),
			...spreadColumns('Queued', RUNNABLE, value),
			time('ran', 'Ran', RUNNING),
			...spreadColumns('Run', RUNNING, value),
		],
		rows,
		'Sites by what happened at them in this time'
	);
}

function spanTab(run) {
	const s = stats(run);
	return [
		spanHead(run, s),
		h(
			'div',
			{ class: 'columns' },
			spanFigures(s),
			most(run, 'Ran most', s.ran),
			most(run, 'Waited most', s.waited),
			wakers(run, s)
		),
		...spanSites(run, s),
	];
}
