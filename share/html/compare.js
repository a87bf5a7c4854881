// compare.js - this run beside another of the file, such as before and after a change: figures and sites.

const compare = { number: '', other: null };

const blockOf = number => document.querySelector(`script.run[data-run="${CSS.escape(number)}"]`);

// "2: after.jsonl"
function runName(block, of = '') {
	const from = block.dataset.source;
	return block.dataset.run + of + (from && from !== '<stdin>' ? ': ' + shown(cut(from, 40)) : '');
}

async function compareWith(run, number) {
	compare.number = number;
	compare.other = null;
	showPanel(run);
	const other = new Trace(await unpack(blockOf(number)));
	if (compare.number !== number) return;
	compare.other = other;
	showPanel(run);
}

// The upper edge of the step of all sites' distributions below which that share lies.
function overall(run, name, share_) {
	const sum = new Float64Array(160),
		steps_ = run.col[name];
	for (let i = 0; i < steps_.length; i++) sum[i % 160] += steps_[i];
	const all = sum.reduce((a, b) => a + b, 0);
	for (let k = 0, n = 0; k < 160; k++) if ((n += sum[k]) >= all * share_ && all) return STEP_EDGE(k);
	return NaN;
}

const COMPARED = [
	['Findings, proven', run => sums(run).proven, group3],
	['suspected', run => sums(run).suspected, group3],
	['Time traced', run => run.end - run.first, duration],
	['Events', total, group3],
	['Events lost', run => run.health.lost, group3],
	['Coroutines created', run => run.events.create ?? 0, group3],
	['ended', run => run.events.destroy ?? 0, group3],
	['alive at the end', run => run.live, group3],
	['Wakes', run => run.events.wake ?? 0, group3],
	['Waits p50', run => overall(run, 'p_wait', 0.5), duration],
	['Waits p99', run => overall(run, 'p_wait', 0.99), duration],
	['From wake to run p50', run => overall(run, 'p_delay', 0.5), duration],
	['From wake to run p99', run => overall(run, 'p_delay', 0.99), duration],
	['Runs p99', run => overall(run, 'p_run', 0.99), duration],
];

function change(a, b) {
	if (!Number.isFinite(a) || !Number.isFinite(b) || a === b) return '';
	if (!a) return 'new';
	if (!b) return 'gone';
	const times = b / a;
	return times > 2 || times < 0.5
		? '\u00d7\u202f' + times.toFixed(times < 0.1 ? 3 : times < 10 ? 2 : 0)
		: (times > 1 ? '+' : '\u2212') + Math.abs(100 * (times - 1)).toFixed(0) + '\u202f%';
}

const figure = (v, show) => (typeof v === 'string' || Number.isFinite(v) ? show(v) : '\u2013');

function comparedFigures(a, b, names) {
	return h(
		'table',
		{ class: 'compared' },
		h('caption', { class: 'hush' }, 'Both runs in figures'),
		h(
			'thead',
			{},
			h(
				'tr',
				{},
				['', ...names, 'Change'].map((t, i) => h(i ? 'th' : 'td', { scope: i ? 'col' : null, class: i && 'n' }, t))
			)
		),
		h(
			'tbody',
			{},
			COMPARED.map(([what, get, show]) =>
				h(
					'tr',
					{},
					h('th', { scope: 'row' }, what),
					h('td', { class: 'n' }, figure(get(a), show)),
					h('td', { class: 'n' }, figure(get(b), show)),
					h('td', { class: 'n' }, change(get(a), get(b)))
				)
			)
		)
	);
}

// How many were suspended, over each run from its beginning to its end; on one scale.
function comparedCurve(run, most_) {
	const v = run.col.s_suspended,
		picture = svg('svg', { viewBox: '0 0 400 60', preserveAspectRatio: 'none', class: 'curve', 'aria-hidden': 'true' });
	let d = 'M0 60';
	for (let x = 0; x <= 400; x++) {
		const a = Math.floor((x * v.length) / 401),
			b = Math.max(a + 1, Math.floor(((x + 1) * v.length) / 401));
		let y = 0;
		for (let i = a; i < b && i < v.length; i++) y = Math.max(y, v[i]);
		d += `L${x} ${60 - (58 * y) / Math.max(most_, 1e-9)}`;
	}
	picture.append(svg('path', { d: d + 'L400 60Z' }));
	return picture;
}

function comparedSites(a, b, names) {
	const by = new Map(),
		put = (run, side) =>
			run.sites.forEach((p, i) => {
				if (!i || !(p.suspends || p.now)) return;
				const key = run.site(i);
				if (!by.has(key)) by.set(key, { key, sides: [null, null] });
				by.get(key).sides[side] = p;
			});
	put(a, 0);
	put(b, 1);
	const rows = [...by.values()],
		value = (row, side, f) => (row.sides[side] ? f(row.sides[side]) : NaN),
		pair = (key, title, f, show) =>
			[0, 1].map(side => [
				key + side,
				(side ? '' : title + ' ') + names[side].split(':')[0],
				row => (Number.isFinite(value(row, side, f)) ? value(row, side, f) : -1),
				row => figure(value(row, side, f), show),
				true,
			]),
		p99 = p => (p.wait[0] ? p.wait[3] : NaN);
	const weight = row => Math.max(0, ...row.sides.map(p => p?.now ?? 0));
	if (!view.sort) rows.sort((x, y) => weight(y) - weight(x));
	return sortedTable(
		a,
		[
			['at', 'Site', row => row.key, row => siteCell(row.key)],
			...pair('now', 'Here at the end', p => p.now, group3),
			...pair('suspends', 'Suspends', p => p.suspends, group3),
			...pair('p99', 'Wait p99', p99, duration),
			[
				'change',
				'Change of p99',
				row => value(row, 1, p99) / value(row, 0, p99) || 0,
				row => change(value(row, 0, p99), value(row, 1, p99)),
				true,
			],
		],
		rows,
		'Sites of both runs'
	);
}

function compareTab(run) {
	const others = [...document.querySelectorAll('script.run')].filter(b => b.dataset.run !== String(run.run)),
		mine = blockOf(String(run.run));
	if (!others.length)
		return [h('p', { class: 'none' }, 'There is one run only. ct-html before.jsonl after.jsonl makes a page of two.')];
	const choice = h(
		'select',
		{ 'aria-label': 'The run to compare with', onchange: e => compareWith(run, e.target.value) },
		others.map(b => h('option', { value: b.dataset.run, selected: b.dataset.run === compare.number }, runName(b)))
	);
	if (!compare.number) compareWith(run, others[0].dataset.run);
	const head = h('p', { class: 'spanhead' }, 'Run ' + runName(mine) + ' beside run ', choice);
	if (!compare.other) return [head, h('p', { class: 'none' }, 'Unpacking it.')];
	// In the order of the file.
	const [a, b] = compare.other.run < run.run ? [compare.other, run] : [run, compare.other],
		names = [a, b].map(r => runName(blockOf(String(r.run)))),
		most_ = [a, b].reduce((m, r) => r.col.s_suspended.reduce((x, y) => Math.max(x, y), m), 0);
	return [
		head,
		h(
			'div',
			{ class: 'columns' },
			comparedFigures(a, b, names),
			h(
				'section',
				{},
				[a, b].map((r, i) => [
					h('h3', {}, 'Suspended in ' + names[i]),
					comparedCurve(r, most_),
					h('p', { class: 'note' }, 'up to ' + count(most_) + ', over ' + duration(r.end - r.first)),
				])
			)
		),
		...comparedSites(a, b, names),
	];
}
