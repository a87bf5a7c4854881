// details.js - one coroutine: where it is and why it was accused; the rest is in chain.js.

const HISTORY_ROWS = 120;

function timeButton(run, t, text) {
	return h(
		'button',
		{
			type: 'button',
			class: 'time',
			title: 'Show this moment',
			onclick: () =>
				centre(run, t, Math.min(range.goalTo - range.goalFrom, (run.end - run.first) / 4)),
		},
		text ?? moment(run, t)
	);
}

function coroutineButton(run, id) {
	const r = run.find(id);
	return r
		? h(
				'button',
				{ type: 'button', class: 'pick inline', onclick: () => showCoroutine(run, r) },
				h('bdi', { title: run.label(r) }, cut(run.shortLabel(r), 48))
			)
		: h('span', {}, 'coroutine ' + id);
}

function sourceOf(run, p) {
	const s = run.sites[p];
	if (!p || !run.site(p)) return h('span', { class: 'dim' }, 'not known');
	return h(
		'span',
		{ class: 'source' },
		h('code', {}, h('bdi', { title: run.site(p) }, cutSite(run.site(p), 200))),
		s.file
			? h(
					'button',
					{
						type: 'button',
						class: 'copy',
						title: 'Copy file and line',
						onclick: () => copy(s.file + ':' + s.line),
					},
					'copy'
				)
			: null
	);
}

// The lines around a site, where the page has them.
function sourceLines(run, p) {
	const s = run.sites[p];
	if (!s?.source) return null;
	const [first, ...lines] = s.source;
	return h(
		'pre',
		{ class: 'lines', tabindex: '0', 'aria-label': 'Source around ' + run.site(p) },
		lines.map((text, k) =>
			h(
				'span',
				{ class: first + k === s.line && 'here' },
				String(first + k).padStart(5) + '  ' + shown(text.replace(/\t/g, '    ')) + '\n'
			)
		)
	);
}

async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
		announce('Copied ' + text);
	} catch {
		prompt('Copy:', text);
	}
}

function stateBadge(run, r) {
	const state = run.state[r];
	return h('span', { class: 'state s-' + STATES[state] }, state === ENDED ? run.endWord(r) : STATES[state]);
}

function showDetails(run) {
	const r = run.find(view.sel),
		box = $('details');
	document.body.classList.toggle('chosen', !!view.sel);
	if (!r) {
		$('detail-title').textContent = 'Coroutine';
		box.replaceChildren(
			h(
				'p',
				{ class: 'none' },
				view.sel
					? 'The page does not have coroutine ' +
							shown(cut(view.sel, 40)) +
							': it ended before the part that is shown one by one, or never was.'
					: 'Choose one in the timeline, the findings or the tables.'
			)
		);
		return;
	}
	$('detail-title').replaceChildren(
		'Coroutine ' + run.idOf(r) + ' ',
		h('bdi', { class: 'name' }, cut(run.nameOf(r), 120))
	);
	const f = run.findingOf.get(r),
		g = run.col.group[r] ? run.groups[run.col.group[r] - 1] : null;
	box.replaceChildren(
		h(
			'p',
			{ class: 'badges' },
			stateBadge(run, r),
			g ? h('span', { class: 'badge ' + g.certainty }, g.certainty + ': ' + g.verdict) : null,
			h('button', { type: 'button', class: 'chip', onclick: () => frame(run, r) }, 'Show all of it'),
			h(
				'button',
				{
					type: 'button',
					class: 'chip',
					'aria-pressed': String(pinned(run.idOf(r))),
					onclick: () => pin(run.idOf(r)),
				},
				'Pin lane'
			),
			h('button', { type: 'button', class: 'chip', onclick: () => look({ sel: '' }) }, 'Close')
		),
		facts(run, r),
		share(run, r)
	);
	if (f) box.append(section('Why', why(run, f)));
	else if (g) box.append(section('Why', h('p', {}, 'As others of this finding: ' + shown(g.because) + '.')));
	if (g) box.append(section('What to do', h('p', {}, capital(shown(g.help)) + '.')));
	if (run.state[r] !== ENDED && run.state[r] !== RUNNING)
		box.append(
			section(
				'Who should have woken it',
				h(
					'ul',
					{ class: 'blame' },
					blame(run, r, f).map(b => h('li', {}, b))
				)
			)
		);
	box.append(section('Await chain', chain(run, r)));
	const told = run.living[r];
	if (told?.stack)
		box.append(
			section(
				'Call stack',
				h(
					'ol',
					{ class: 'stack' },
					told.stack.map(s => h('li', {}, h('code', {}, shown(s))))
				)
			)
		);
	box.append(section('History', history_(run, r)));
}

const section = (title, ...content) => h('section', {}, h('h3', {}, title), ...content);

function frame(run, r) {
	const a = run.began(r),
		b = run.state[r] === ENDED ? run.ended(r) : run.end;
	look({ lanes: 'coroutine' });
	if (line.rowOf.has(r)) focusRow(line.rowOf.get(r));
	send(run, a - (b - a) * 0.05 - 100, b + (b - a) * 0.05 + 100);
}

function facts(run, r) {
	const i = run.last[r],
		state = run.state[r],
		rows = [],
		told = run.living[r];
	const add = (k, ...v) => rows.push(h('dt', {}, k), h('dd', {}, ...v));
	if (state === SUSPENDED || state === RUNNABLE)
		add(
			state === SUSPENDED ? 'Waits on' : 'Waited on',
			run.on(i)
				? h('code', {}, h('bdi', {}, cut(run.on(i), 200)))
				: h('span', { class: 'dim' }, 'not known')
		);
	const legs = i >= 0 ? run.legs(i) : null;
	if (legs && legs.of.some(l => l[1]))
		add(
			legs.all ? 'All of' : 'Any of',
			h(
				'ul',
				{ class: 'legs' },
				legs.of.map(l => h('li', {}, h('code', {}, h('bdi', {}, cut(shown(l[0]), 80))), l[1] ? [' in ', sourceOf(run, l[1])] : null)),
				legs.count > legs.of.length ? h('li', {}, group3(legs.count - legs.of.length) + ' more') : null
			)
		);
	if (told?.reason) add('Reason', h('bdi', {}, shown(told.reason)));
	if (i >= 0)
		add(
			state === CREATED ? 'Created at' : state === RUNNING ? 'Resumed from' : 'Suspended at',
			sourceOf(run, run.siteOf(r)),
			sourceLines(run, run.siteOf(r))
		);
	if (state === ENDED)
		add(
			'Ended',
			timeButton(run, run.ended(r)),
			run.flags[r] & GONE ? ' or before: that line is missing' : ', after ' + duration(run.ended(r) - run.began(r))
		);
	else if (i >= 0)
		add(
			'Since',
			timeButton(run, run.start[i]),
			', for ' + aged(run, run.end - run.start[i]) + ', line ' + run.line[i],
			run.col.kind[i] & TORN ? h('span', { class: 'bad' }, ' (whether to the end is not known: events are missing)') : null
		);
	if (i >= 0 && run.col.tid[i])
		add(state === RUNNABLE ? 'Woken on' : 'Last on', h('bdi', {}, run.thread(digits(run.col.tid, i))));
	if (run.flags[r] & WAS_CREATED)
		add(
			'Created',
			timeButton(run, run.col.created[r]),
			run.col.parent[r] ? [' by ', coroutineButton(run, digits(run.col.parent, r))] : null,
			run.col.spawn[r] ? [' in ', sourceOf(run, run.col.spawn[r])] : null
		);
	add('Ran', plural(run.col.runs[r], 'time') + ', woken ' + plural(run.col.wakes[r], 'time'));
	if (run.flags[r] & SYSTEM) add('Role', 'of the runtime itself: never accused');
	if (run.flags[r] & VERSION_1) add('Writer', 'version 1: resumes and suspends only');
	return h('dl', { class: 'facts' }, rows);
}

// Its time in each state, as a bar and in words.
function share(run, r) {
	const UNKNOWN = 4,
		t = [run.col.in0[r], run.col.in1[r], run.col.in2[r], run.col.in3[r], run.col.in4[r]],
		word = s => (s === UNKNOWN ? 'not known' : STATES[s]),
		all = t.reduce((a, b) => a + b, 0);
	if (!all) return '';
	let x = 0;
	const bar = svg('svg', {
		viewBox: '0 0 100 6',
		preserveAspectRatio: 'none',
		class: 'share',
		'aria-hidden': 'true',
	});
	for (const s of [RUNNING, RUNNABLE, SUSPENDED, CREATED, UNKNOWN]) {
		bar.append(
			svg('rect', {
				x,
				y: 0,
				width: Math.max((t[s] / all) * 100, t[s] ? 0.6 : 0),
				height: 6,
				class: s === UNKNOWN ? 'f-lost' : 'f-' + STATES[s],
			})
		);
		x += (t[s] / all) * 100;
	}
	return h(
		'div',
		{},
		bar,
		h(
			'p',
			{ class: 'dim' },
			[RUNNING, RUNNABLE, SUSPENDED, CREATED, UNKNOWN]
				.filter(s => t[s])
				.map(s => word(s) + ' ' + duration(t[s]))
				.join(', '),
			t[UNKNOWN] ? h('span', { class: 'bad' }, ', where events are missing') : null
		)
	);
}

function who(run, [, , tid, by, site]) {
	return [
		by !== '0' ? [' by ', coroutineButton(run, by)] : tid !== '0' ? ' by ' + run.thread(tid) : null,
		site && run.site(site) ? [' in ', sourceOf(run, site)] : null,
	];
}

function factLine(run, f) {
	return [timeButton(run, f[1]), ' ' + shown(f[5]), ...who(run, f), h('span', { class: 'dim' }, ' line ' + f[0])];
}

function why(run, f) {
	return h(
		'div',
		{},
		f.cycle ? waitGraph(run, f) : null,
		h('p', {}, h('bdi', {}, shown(f.story))),
		f.unknown ? h('p', { class: 'note' }, 'But ' + shown(f.unknown) + '.') : null,
		h(
			'ol',
			{ class: 'evidence' },
			f.facts.map(x => h('li', {}, ...factLine(run, x), x[4] !== run.siteOf(f.rec) ? sourceLines(run, x[4]) : null))
		)
	);
}
