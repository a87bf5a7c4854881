// health.js - what of the trace is missing, and the numbers that matter.

// ---- health ----

function healthLines(run) {
	const s = run.health,
		list = [];
	const add = (level, text) => list.push([level, text]);
	if (s.v1)
		add(
			'unsure',
			'Version 1 lines: no wakes, sites or ends are reported, so a stuck coroutine can be seen, but its cause not proven.'
		);
	else if (!s.ended)
		add(
			'bad',
			'No end line: the trace was cut off at ' +
				moment(run, run.end) +
				'. What came after is not known.'
		);
	else add('good', 'Complete: it has its end line.');
	if (s.lost)
		add(
			'bad',
			plural(s.lost, 'event was', 'events were') +
				(s.astray ? ' lost, out of order or there twice' : ' lost') +
				(s.exact ? '; the last state of every live coroutine is known all the same.' : '.')
		);
	else if (!s.cut) add('good', 'No event is known to be lost.');
	if (s.cut) add('unsure', 'A filter left lines out: what is not here is no loss, and proves nothing.');
	if (s.bad) add('bad', plural(s.bad, 'line') + ' could not be read.');
	if (s.doubt) add('unsure', 'So findings may be hidden or false where ' + s.doubt + '.');
	if (run.runs > 1) add('info', 'One of ' + run.runs + ' runs; each is judged by itself.');
	if (run.events.unknown)
		add('info', plural(run.events.unknown, 'line') + " of other kinds, such as a garbage collector's: not shown here.");
	if (run.dropped)
		add(
			'info',
			plural(run.dropped, 'stretch or mark', 'stretches and marks') +
				' before ' +
				moment(run, run.exact_from) +
				' are summed up in cells; coroutines that live keep their last ones.'
		);
	if (run.hidden)
		add(
			'info',
			plural(run.hidden, 'coroutine') +
				', those without a finding first, are counted in charts and sites, but have no lane.'
		);
	return list;
}

function showHealth(run) {
	const box = h(
		'ul',
		{ class: 'health' },
		healthLines(run).map(([level, text]) => h('li', { class: level }, text))
	);
	$('health').replaceChildren(box);
	const bad = run.health.bad_lines;
	if (bad.length)
		$('health').append(
			h(
				'details',
				{},
				h('summary', {}, 'Lines that could not be read'),
				h(
					'ul',
					{},
					bad.map(([n, why]) => h('li', {}, 'line ' + n + ': ' + shown(why)))
				)
			)
		);
	const gaps = run.health.gaps;
	if (gaps.length)
		$('health').append(
			h(
				'details',
				{},
				h('summary', {}, 'Where events were lost'),
				h(
					'ul',
					{},
					gaps
						.slice(0, 50)
						.map(([a, b, n]) =>
							h(
								'li',
								{},
								h(
									'button',
									{
										type: 'button',
										class: 'time',
										onclick: () =>
											send(
												run,
												a - (b - a) - 1000,
												b + (b - a) + 1000
											),
									},
									moment(run, a)
								),
								' ' + plural(n, 'event') + ' in ' + duration(b - a)
							)
						)
				)
			)
		);
}

function showNumbers(run) {
	const seconds = (run.end - run.first) / 1e9,
		all = total(run),
		rates = chart.rows[3];
	const sum = key => run.sites.reduce((s, p) => s + (p[key][0] ?? 0), 0);
	const most = key => run.sites.reduce((a, p) => ((p[key][4] ?? 0) > (a[key][4] ?? 0) ? p : a), run.sites[0]);
	const jump = (p, key) =>
		p[key][0]
			? h(
					'button',
					{ type: 'button', class: 'time', onclick: () => toMost(run, p[key]) },
					duration(p[key][4])
				)
			: '\u2013';
	const rows = [
		['events', group3(all)],
		['events a second', seconds ? count(all / seconds) + ', most ' + count(Math.max(rates.most, all / seconds)) : '\u2013'],
		['coroutines created', group3(run.events.create ?? 0)],
		['ended', group3(run.events.destroy ?? 0)],
		['alive at the end', group3(run.live)],
		['wakes', group3(run.events.wake ?? 0)],
		['threads', group3(run.threads.length)],
		['waits that ended', group3(sum('wait'))],
		['longest of these', jump(most('wait'), 'wait')],
		['longest from wake to run', jump(most('delay'), 'delay')],
		['longest run', jump(most('run'), 'run')],
	];
	$('numbers').replaceChildren(...rows.flatMap(([k, v]) => [h('dt', {}, k), h('dd', {}, v)]));
}

// To the moment of a distribution's longest.
function toMost(run, [, , , , most, , at, id]) {
	const r = run.find(id);
	send(run, at - most * 1.2, at + most * 0.2);
	if (r) look({ sel: id });
}
