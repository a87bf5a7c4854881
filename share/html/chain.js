// chain.js - who should have woken a coroutine, whom it awaits, and what it did: parts of details.js.

// What the trace knows of who could have woken it: of this very wait first, then of others at the same site.
function blame(run, r, f) {
	const list = [],
		i = run.last[r],
		told = run.living[r],
		on = run.col.on_kind[i],
		p = run.sites[run.siteOf(r)];
	if (run.state[r] === CREATED) return ['It has never run: whoever created it should have put it into a queue.'];
	if (run.state[r] === RUNNABLE) {
		const wake = lastWake(run, r);
		return [
			[
				'It was woken',
				...(wake < 0 ? [' at ', timeButton(run, run.start[i])] : factOfWake(run, wake)),
				': a worker should have taken it out of a queue.',
			],
		];
	}
	if (f?.cause && f.cause[1] && !f.cycle) list.push(['The cause: ', ...factLine(run, f.cause)]);
	const ring = (f?.cycle ?? []).filter(id => id !== run.idOf(r));
	if (ring.length)
		list.push([
			f.component ? 'One of its component: ' : 'One of its cycle: ',
			ring.slice(0, 12).map((id, i) => [i ? ', ' : '', coroutineButton(run, id)]),
			ring.length > 12 ? ' and ' + plural(ring.length - 12, 'more', 'more') : null,
		]);
	const awaited = run.awaits(r);
	if (awaited)
		list.push([
			'The coroutine that it awaits, ',
			coroutineButton(run, run.idOf(awaited)),
			', ' +
				(run.state[awaited] === ENDED
					? 'which ' + run.endWord(awaited)
					: 'which is ' + STATES[run.state[awaited]]) +
				'.',
		]);
	if (told?.held) list.push(['Its holder: ', ...factLine(run, told.held), '.']);
	if (on === 3 && run.col.kind[i] & NUMBER) {
		const due = Number(BigInt(digits(run.col.on, i)) - BigInt(run.zero));
		list.push([
			'A timer, due at ' +
				moment(run, due) +
				(due > run.end
					? ', after the end of the trace.'
					: ', ' + duration(run.end - due) + ' before the end.'),
		]);
	}
	if (told?.last) list.push(['Last about it: ', ...factLine(run, told.last)]);
	if (told?.closed && !f) list.push(['It was closed: ', ...factLine(run, told.closed)]);
	if (p.wakes)
		for (const [site, tid, by, n] of p.wakers.sort((a, b) => b[3] - a[3]).slice(0, 2))
			list.push([
				'Others that waited here were woken by ',
				run.thread(tid),
				by !== '0' ? ' (in a coroutine)' : '',
				site ? [' in ', sourceOf(run, site)] : '',
				h(
					'span',
					{ class: 'dim' },
					' at least ' +
						Math.round((100 * n) / p.wakes) +
						'\u202f% of ' +
						plural(p.wakes, 'wake')
				),
			]);
	return list.length ? list : ['The trace does not tell: no wake, holder or signal for this is known.'];
}

function lastWake(run, r) {
	for (let i = run.from[r + 1] - 1; i >= run.from[r]; i--) if (run.kind(i) === WAKE) return i;
	return -1;
}

function factOfWake(run, i) {
	return [
		' ',
		timeButton(run, run.start[i]),
		...who(run, [0, 0, digits(run.col.tid, i), digits(run.col.by, i), run.col.site[i]]),
		h('span', { class: 'dim' }, ' line ' + run.line[i]),
	];
}

// From it to whom it waits on, to whom that waits on, and so on; and who waits on it.
function chain(run, r) {
	const list = [],
		seen = new Set();
	for (let at = r; at && !seen.has(at) && seen.size < 40; at = run.awaits(at)) {
		seen.add(at);
		const i = run.last[at];
		list.push(
			h(
				'li',
				{},
				at === r ? h('b', {}, run.label(at)) : coroutineButton(run, run.idOf(at)),
				' ',
				stateBadge(run, at),
				run.state[at] === SUSPENDED
					? [' on ', h('code', {}, h('bdi', {}, cut(run.on(i) || '?', 80)))]
					: null,
				run.site(run.siteOf(at))
					? h('span', { class: 'dim' }, ' ' + cutSite(run.site(run.siteOf(at)), 80))
					: null
			)
		);
		if (seen.has(run.awaits(at)))
			list.push(h('li', { class: 'bad' }, 'back to ' + run.label(run.awaits(at)) + ': a cycle'));
	}
	const waiting = run.awaitersOf(r);
	return h(
		'div',
		{},
		h('ol', { class: 'chain' }, list),
		waiting.length
			? h(
					'p',
					{},
					'Awaited by ',
					waiting
						.slice(0, 20)
						.map((w, i) => [i ? ', ' : '', coroutineButton(run, run.idOf(w))]),
					waiting.length > 20
						? ' and ' + plural(waiting.length - 20, 'more', 'more')
						: null
				)
			: h('p', { class: 'dim' }, 'No live coroutine awaits it.')
	);
}

function history_(run, r) {
	const a = run.from[r],
		b = run.from[r + 1],
		rows = [];
	for (let i = b - 1; i >= a && rows.length < HISTORY_ROWS; i--) {
		const kind = run.kind(i),
			site = run.col.site[i];
		rows.push(
			h(
				'tr',
				{},
				h('td', { class: 'n' }, timeButton(run, run.start[i])),
				h(
					'td',
					{},
					h('span', {
						class: 'dot f-' + (kind <= RUNNABLE ? STATES[kind] : 'mark'),
						'aria-hidden': 'true',
					}),
					KINDS[kind],
					kind !== RUNNING && kind !== RUNNABLE && run.on(i)
						? [' ', h('code', {}, h('bdi', {}, cut(run.on(i), 60)))]
						: null,
					kind === WAKE && run.col.by[i]
						? [' by ', coroutineButton(run, digits(run.col.by, i))]
						: null,
					run.col.kind[i] & TORN
						? h('span', { class: 'bad' }, run.col.kind[i] & OPEN ? ' (whether to the end is not known)' : ' (events are missing in here)')
						: null,
					run.site(site) && kind !== RUNNING && kind !== RUNNABLE
						? h('div', { class: 'dim' }, cutSite(run.site(site), 90))
						: null
				),
				h('td', { class: 'n' }, kind <= RUNNABLE ? duration(run.stop[i] - run.start[i]) : ''),
				h('td', { class: 'n dim' }, String(run.line[i]))
			)
		);
	}
	const more = b - a - rows.length,
		older = run.col.older[r];
	const note = [
		more ? plural(more, 'older one') + ' in the timeline' : '',
		older ? plural(older, 'still older one') + ' summed up above' : '',
		!older && run.dropped && run.state[r] === ENDED
			? 'what lies before ' + moment(run, run.exact_from) + ' is summed up'
			: '',
	]
		.filter(s => s)
		.join('; ');
	return h(
		'div',
		{},
		h(
			'table',
			{ class: 'history' },
			h(
				'thead',
				{},
				h(
					'tr',
					{},
					['Time', 'What', 'For', 'Line'].map(t => h('th', { scope: 'col' }, t))
				)
			),
			h('tbody', {}, rows)
		),
		note ? h('p', { class: 'note' }, note + '.') : null
	);
}
