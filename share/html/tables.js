// tables.js - coroutines, sites and threads as tables that sort: what the canvases show, as text.

const PAGE = 100;
const table = { page: 0 };

// columns: [key, title, value for sorting, cell content, numeric]. Sorted by view.sort, "key" or "-key".
function sortedTable(run, columns, rows, caption, onrow) {
	const [, minus, key] = /^(-?)(.*)$/.exec(view.sort),
		by = columns.find(c => c[0] === key);
	if (by) {
		const value = new Map(rows.map(r => [r, by[2](r)]));
		rows = rows.slice().sort((a, b) => {
			const x = value.get(a),
				y = value.get(b),
				order = x < y ? -1 : x > y ? 1 : 0;
			return minus ? -order : order;
		});
	}
	const pages = Math.ceil(rows.length / PAGE);
	table.page = Math.max(0, Math.min(table.page, pages - 1));
	const head = h(
		'tr',
		{},
		columns.map(([k, title, , , n]) =>
			h(
				'th',
				{
					scope: 'col',
					class: n && 'n',
					'aria-sort': k !== key ? null : minus ? 'descending' : 'ascending',
				},
				h(
					'button',
					{
						type: 'button',
						'data-sort': k,
						onclick: () =>
							look({
								sort:
									key === k
										? minus
											? ''
											: '-' + k
										: n
											? '-' + k
											: k,
							}),
					},
					title,
					h(
						'span',
						{ 'aria-hidden': 'true' },
						k !== key ? '' : minus ? ' \u25be' : ' \u25b4'
					)
				)
			)
		)
	);
	const body = rows.slice(table.page * PAGE, (table.page + 1) * PAGE).map(r => {
		const tr = h(
			'tr',
			{},
			columns.map(([k, , , cell, n], i) =>
				h(i ? 'td' : 'th', { class: n ? 'n' : k === 'at' && k, scope: i ? null : 'row' }, cell(r))
			)
		);
		onrow?.(tr, r);
		return tr;
	});
	const turn = (by, text) =>
		h(
			'button',
			{
				type: 'button',
				class: 'chip',
				disabled: table.page + by < 0 || table.page + by >= pages,
				onclick: () => {
					table.page += by;
					showPanel(run);
					$('panel').focus();
				},
			},
			text
		);
	const whole_ = [
		h(
			'table',
			{ class: 'sorted' },
			h('caption', { class: 'hush' }, caption),
			h('thead', {}, head),
			h('tbody', {}, body)
		),
		pages > 1
			? h(
					'p',
					{ class: 'pages' },
					turn(-1, 'Previous'),
					' ' +
						group3(table.page * PAGE + 1) +
						'\u2013' +
						group3(Math.min(rows.length, (table.page + 1) * PAGE)) +
						' of ' +
						group3(rows.length) +
						' ',
					turn(1, 'Next')
				)
			: '',
		rows.length ? '' : h('p', { class: 'none' }, 'Nothing matches.'),
	];
	columns.forEach(([k], i) => columnEdge(head.children[i], k));
	return whole_;
}

// As text that sorts by its numbers: fd:9 before fd:10.
const byNumber = s => s.replace(/0x[0-9a-f]+|\d+/g, n => BigInt(n).toString().padStart(20, '0'));

function coroutineTable(run) {
	const rows = [];
	const only = view.only ? stats(run) : null,
		ran = r => (only ? only.ran[r] : run.col.in1[r]),
		runs = r => (only ? only.runs[r] : run.col.runs[r]);
	for (let r = 1; r < run.n; r++) if (isListed(run, r) && (!only || only.here[r])) rows.push(r);
	const weight = r => (run.col.group[r] ? 0 : run.state[r] === ENDED ? 2 : 1);
	if (!view.sort) rows.sort((a, b) => weight(a) - weight(b) || run.since(a) - run.since(b) || a - b);
	const age = r => (run.state[r] === ENDED ? run.ended(r) - run.began(r) : run.end - run.since(r));
	const waits = r => (run.state[r] === SUSPENDED || run.state[r] === RUNNABLE ? run.on(run.last[r]) : '');
	const verdict = r => (run.col.group[r] ? run.groups[run.col.group[r] - 1].verdict : '');
	return sortedTable(
		run,
		[
			[
				'id',
				'Coroutine',
				r => run.id[r],
				r =>
					h(
						'button',
						{
							type: 'button',
							class: 'pick inline',
							'data-sel': run.idOf(r),
							onclick: () => showCoroutine(run, r),
						},
						h('bdi', { title: run.label(r) }, cut(run.shortLabel(r), 44))
					),
			],
			['state', 'State', r => run.state[r], r => stateBadge(run, r)],
			[
				'on',
				'Waits on',
				r => byNumber(waits(r)),
				r => (waits(r) ? h('code', {}, h('bdi', {}, cut(waits(r), 60))) : ''),
			],
			[
				'at',
				'Site',
				r => run.site(run.siteOf(r)),
				r => siteCell(run.site(run.siteOf(r))),
			],
			[
				'since',
				'Since',
				r => run.since(r),
				r => timeButton(run, run.state[r] === ENDED ? run.ended(r) : run.since(r)),
				true,
			],
			['age', 'For', age, r => aged(run, age(r)), true],
			['ran', 'Ran', ran, r => duration(ran(r)), true],
			['runs', 'Runs', runs, r => group3(runs(r)), true],
			[
				'finding',
				'Finding',
				verdict,
				r =>
					verdict(r)
						? h(
								'span',
								{
									class:
										'badge ' +
										run.groups[run.col.group[r] - 1]
											.certainty,
								},
								verdict(r)
							)
						: '',
			],
		],
		rows,
		'Coroutines: state, what they wait on, where and since when',
		(tr, r) => {
			if (run.idOf(r) === view.sel) tr.setAttribute('aria-current', 'true');
		}
	);
}

// A distribution over four steps to an octave, drawn from its first to its last, on one scale for all sites.
function spark(run, name, i, first, last) {
	const steps = run.col[name].subarray(i * 160, i * 160 + 160),
		most = steps.reduce((a, b) => Math.max(a, b), 0);
	if (!most) return '';
	const e = svg('svg', {
		viewBox: `0 0 ${last - first + 1} 16`,
		preserveAspectRatio: 'none',
		class: 'spark',
		'aria-hidden': 'true',
	});
	for (let k = first; k <= last; k++)
		if (steps[k]) {
			const y = Math.max(1.5, (16 * Math.log1p(steps[k])) / Math.log1p(most));
			e.append(svg('rect', { x: k - first, y: 16 - y, width: 0.9, height: y }));
		}
	return e;
}

const STEP_EDGE = k => (k < 4 ? k + 1 : (5 + (k % 4)) * 2 ** (Math.floor(k / 4) - 1));

function siteTable(run) {
	if (view.only) return spanSites(run, stats(run));
	const rows = run.sites
		.map((p, i) => i)
		.filter(i => i && (run.sites[i].suspends || run.sites[i].now || run.sites[i].run[0]));
	const ends = name => {
		let a = 160,
			b = 0;
		for (const i of rows)
			for (let k = 0; k < 160; k++)
				if (run.col[name][i * 160 + k]) [a, b] = [Math.min(a, k), Math.max(b, k)];
		return [a, b];
	};
	const waits = ends('p_wait'),
		runs = ends('p_run');
	const q = (key, title, name, at) => [
		key,
		title,
		i => run.sites[i][name][at] ?? -1,
		i =>
			run.sites[i][name][0]
				? at === 4
					? h(
							'button',
							{
								type: 'button',
								class: 'time',
								title: 'Show it',
								onclick: () => toMost(run, run.sites[i][name]),
							},
							duration(run.sites[i][name][4])
						)
					: duration(run.sites[i][name][at])
				: '',
		true,
	];
	if (!view.sort)
		rows.sort(
			(a, b) =>
				run.sites[b].now - run.sites[a].now || run.sites[b].suspends - run.sites[a].suspends
		);
	const scale = ([a, b]) =>
		a <= b ? duration(a ? STEP_EDGE(a - 1) : 0) + ' \u2013 ' + duration(STEP_EDGE(b)) : '';
	return [
		...sortedTable(
			run,
			[
				[
					'at',
					'Site',
					i => run.site(i),
					i =>
						h(
							'button',
							{
								type: 'button',
								class: 'pick inline',
								'data-site': String(i),
								title: 'Filter by it',
								onclick: () =>
									look({
										site:
											view.site === String(i)
												? ''
												: String(i),
									}),
							},
							siteCell(run.site(i))
						),
				],
				['now', 'Here now', i => run.sites[i].now, i => group3(run.sites[i].now), true],
				[
					'suspends',
					'Suspends',
					i => run.sites[i].suspends,
					i => group3(run.sites[i].suspends),
					true,
				],
				[
					'wait',
					'Waits',
					i => run.sites[i].wait[0] ?? 0,
					i => spark(run, 'p_wait', i, ...waits),
				],
				q('wait50', 'p50', 'wait', 1),
				q('wait99', 'p99', 'wait', 3),
				q('waitmax', 'longest', 'wait', 4),
				q('delay50', 'Queued p50', 'delay', 1),
				q('delay99', 'p99', 'delay', 3),
				q('delaymax', 'longest', 'delay', 4),
				['run', 'Runs', i => run.sites[i].run[0] ?? 0, i => spark(run, 'p_run', i, ...runs)],
				q('run50', 'p50', 'run', 1),
				q('run99', 'p99', 'run', 3),
				q('runmax', 'longest', 'run', 4),
			],
			rows,
			'Sites where coroutines suspend: how long they wait there, stand in a queue after their wake, and run after it',
			(tr, i) => {
				if (String(i) === view.site) tr.setAttribute('aria-current', 'true');
			}
		),
		h(
			'p',
			{ class: 'note' },
			'Wait: from suspend to wake (to resume, where no wake is reported). Queued: from wake to resume. Run: from resume to the next suspend. ' +
				(scale(waits) ? 'Waits are drawn from ' + scale(waits) + ', ' : '') +
				(scale(runs) ? 'runs from ' + scale(runs) + ', ' : '') +
				'both logarithmic in both directions. Quantiles are upper edges of steps a quarter of an octave wide.'
		),
	];
}

function threadTable(run) {
	const only = view.only ? stats(run) : null;
	const busy = w => {
		if (only) return (only.threads.get(Number(w.tid))?.busy ?? 0) / (only.b - only.a);
		const { at, n } = run.workerOf.has(w.tid) ? (run.worker[run.workerOf.get(w.tid)].cells ?? {}) : {};
		let sum = 0;
		for (let i = 0; i < (n ?? 0); i++) sum += run.col.w_running[at + i];
		return n ? sum / n / 255 : 0;
	};
	const runs = w => {
		if (only) return only.threads.get(Number(w.tid))?.runs ?? 0;
		const { at, n } = run.workerOf.has(w.tid) ? (run.worker[run.workerOf.get(w.tid)].cells ?? {}) : {};
		let sum = 0;
		for (let i = 0; i < (n ?? 0); i++) sum += run.col.w_runs[at + i];
		return sum;
	};
	return sortedTable(
		run,
		[
			['tid', 'Thread', t => Number(t.tid), t => t.tid],
			['name', 'Name', t => t.name ?? '', t => h('bdi', {}, cut(shown(t.name ?? ''), 60))],
			['role', 'Role', t => t.role ?? '', t => shown(t.role ?? '')],
			['pid', 'Process', t => Number(t.pid), t => t.pid || '', true],
			['busy', 'Busy', busy, t => (100 * busy(t)).toFixed(1) + '\u202f%', true],
			['runs', 'Runs', runs, t => group3(runs(t)), true],
			[
				'now',
				'At the end',
				t => (t.parked ? t.since : 0),
				t => (t.parked ? ['parked since ', timeButton(run, t.since)] : 'awake'),
			],
		],
		run.threads,
		'Threads: how busy they were and what they did at the end'
	);
}

function showPanel(run) {
	for (const b of $('tabs').children) {
		b.setAttribute('aria-selected', String(b.dataset.tab === view.tab));
		b.tabIndex = b.dataset.tab === view.tab ? 0 : -1;
	}
	const panel = $('panel');
	panel.setAttribute('aria-labelledby', 'tab-' + view.tab);
	panel.replaceChildren(
		...(
			{ coroutines: coroutineTable, sites: siteTable, tree: awaitTree, threads: threadTable, span: spanTab, flame: flameTab, compare: compareTab }[
				view.tab
			] ?? coroutineTable
		)(run)
	);
}

function tabEvents() {
	$('tabs').addEventListener('click', e => {
		if (e.target.dataset.tab) look({ tab: e.target.dataset.tab, sort: '' });
	});
	$('tabs').addEventListener('keydown', e => {
		const list = [...$('tabs').children].filter(b => !b.hidden),
			at = list.findIndex(b => b.dataset.tab === view.tab),
			by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
		if (!by) return;
		e.preventDefault();
		const next = list[(at + by + list.length) % list.length];
		look({ tab: next.dataset.tab, sort: '' });
		next.focus();
	});
}
