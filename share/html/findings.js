// findings.js - the verdict in a sentence, and findings in groups.

const MEMBERS = 8,
	GROUPS = 200;

function sums(run) {
	const n = { proven: 0, suspected: 0, unknown: 0, hint: 0 };
	for (const g of run.groups) n[g.certainty] += g.count;
	return n;
}

// How bad it is, and the sentence.
function sentence(run) {
	const n = sums(run),
		kind = ['proven', 'suspected', 'unknown'].find(k => n[k]),
		doubt = run.health.doubt;
	if (!kind && run.health.nothing) return ['unsure', run.health.nothing[0].toUpperCase() + run.health.nothing.slice(1) + '.'];
	if (!kind && doubt) return ['unsure', 'Nothing was found, but this trace cannot rule it out: ' + doubt + '.'];
	if (!kind && run.unnamed)
		return [
			'unsure',
			'None is proven forgotten; ' +
				plural(run.unnamed, 'coroutine') +
				(run.unnamed === 1 ? ' still waits' : ' still wait') +
				' for what the trace does not name.',
		];
	if (!kind)
		return [
			'good',
			run.live
				? 'No coroutine was found forgotten: ' +
					plural(run.live, 'coroutine') +
					(run.live === 1 ? ' waits' : ' wait') +
					' at the end.'
				: 'No coroutine was forgotten: every one has ended.',
		];
	const groups = run.groups.filter(g => g.certainty === kind);
	return [
		kind === 'proven' ? 'bad' : 'unsure',
		accusation(run, kind, n[kind], groups) +
			(kind === 'unknown' ? ' Not certain: ' + (doubt ?? 'evidence is missing') + '.' : ''),
	];
}

// How many, why, and where most of them are.
function accusation(run, kind, all, groups) {
	const rings = groups.every(g => g.ring),
		one = all === 1;
	const who = rings
		? plural(all, groups.every(g => g.ring === 'component') ? 'component' : 'cycle') + ' of coroutines'
		: plural(all, 'coroutine');
	const what = {
		proven: rings ? ' will never run again' : one ? ' lost its wakeup' : ' lost their wakeup',
		suspected: one ? ' looks stuck' : ' look stuck',
		unknown: ' may be stuck',
	}[kind];
	const reasons = new Map();
	for (const g of groups) addTo(reasons, g.because, g);
	const sum = list => list.reduce((s, g) => s + g.count, 0);
	const [because, main] = [...reasons].reduce((a, b) => (sum(b[1]) > sum(a[1]) ? b : a)),
		g = main.reduce((a, b) => (b.count > a.count ? b : a));
	const at = run.place(g.place) ? ' at ' + cutPlace(run.place(g.place), 120) : '',
		others = main.length - 1;
	const where = !others
		? at
		: (at ? at + ' (' + group3(g.count) + ') and' : ' at') + ' ' + plural(others, 'other place');
	if (reasons.size === 1) return who + what + where + ': ' + shown(because) + '.';
	return (
		who +
		what +
		', for ' +
		reasons.size +
		' reasons. ' +
		plural(sum(main), 'of them', 'of them') +
		where +
		': ' +
		shown(because) +
		'.'
	);
}

/* Of a recording that began when the program ran already. */
function late(run) {
	if (!run.meta?.attached) return [];
	if (run.meta.snapshot) return ['as a box held it'];
	return ['attached ' + duration(run.end - (Number(run.meta.ts) - Number(run.zero))) + ' before the end'];
}

function showVerdict(run) {
	const [level, text] = sentence(run),
		command = run.meta?.command,
		wall = run.meta?.wall;
	const name = document.body.dataset.title || (Array.isArray(command) ? command.join(' ') : '') || 'a trace';
	document.body.dataset.level = level;
	$('verdict').textContent = text;
	document.title = cut(shown(name), 60) + ' \u2013 corotrace';
	const parts = [h('b', {}, h('bdi', {}, cut(shown(name), 200)))];
	if (run.meta?.host) parts.push('on ' + shown(String(run.meta.host)));
	if (wall) parts.push(new Date(Number(wall) / 1e6).toISOString().replace('T', ' ').slice(0, 19) + ' UTC');
	parts.push(
		duration(run.end - run.first) + ' traced',
		...late(run),
		plural(total(run), 'event'),
		plural(run.live, 'coroutine') + ' alive at the end'
	);
	if (run.exit)
		parts.push(
			run.exit.signal !== undefined
				? 'killed by signal ' + run.exit.signal
				: 'exit status ' + run.exit.status
		);
	if (run.runs > 1) parts.push('run ' + run.run + ' of ' + run.runs + ' in this file');
	$('about').replaceChildren(
		...parts.flatMap((p, i) => (i ? [h('i', { 'aria-hidden': 'true' }, ' \u00b7 '), p] : [p]))
	);
}

const total = run => ['create', 'resume', 'suspend', 'wake', 'destroy'].reduce((s, k) => s + (run.events[k] ?? 0), 0);

// ---- findings ----

function showFindings(run) {
	const box = $('findings');
	if (!run.groups.length) {
		box.replaceChildren(
			h(
				'p',
				{ class: 'none' },
				run.health.doubt
					? 'Nothing found, and nothing certain: ' + run.health.doubt + '.'
					: 'None.'
			)
		);
		return;
	}
	box.replaceChildren(...run.groups.slice(0, GROUPS).map((g, i) => group(run, g, i)));
	if (run.groups.length > GROUPS)
		box.append(
			h(
				'p',
				{ class: 'note' },
				plural(run.groups.length - GROUPS, 'more group') +
					' in the filter of findings and the table.'
			)
		);
	if (run.findings_all > run.findings.length)
		box.append(
			h(
				'p',
				{ class: 'note' },
				'The page tells the first ' +
					group3(run.findings.length) +
					' of ' +
					plural(run.findings_all, 'finding') +
					' one by one; ct-lostwake lists all.'
			)
		);
}

function group(run, g, i) {
	const members = run.findings.filter(f => f.group === i),
		list = h('ul', {});
	const open = n => {
		list.replaceChildren(...members.slice(0, n).map(f => finding(run, f)));
		if (members.length > n)
			list.append(
				h(
					'li',
					{},
					h(
						'button',
						{ type: 'button', class: 'more', onclick: () => open(n + 100) },
						plural(members.length - n, 'more', 'more')
					)
				)
			);
		else if (g.count > members.length)
			list.append(
				h(
					'li',
					{ class: 'note' },
					plural(g.count - members.length, 'more', 'more') + ' in the lanes and the table'
				)
			);
	};
	open(MEMBERS);
	const only = h(
		'button',
		{
			type: 'button',
			class: 'chip',
			'aria-pressed': 'false',
			'data-group': String(i + 1),
			onclick: () =>
				look(
					view.group === String(i + 1)
						? { group: '' }
						: { group: String(i + 1), lanes: 'coroutine', tab: 'coroutines' }
				),
		},
		'Filter'
	);
	return h(
		'details',
		{ class: 'group ' + g.certainty, open: i < 3 },
		h(
			'summary',
			{},
			h('span', { class: 'badge' }, g.certainty),
			h('b', {}, g.verdict),
			h('span', { class: 'times' }, '\u00d7\u202f' + group3(g.count)),
			h(
				'div',
				{ class: 'where', title: run.place(g.place) },
				cutPlace(run.place(g.place), 160) || 'place not known'
			)
		),
		h(
			'p',
			{},
			shown(g.because),
			g.cause_place && g.cause_place !== g.place
				? h(
					'span',
					{ class: 'where', title: run.place(g.cause_place) },
					' \u2013 ',
					cutPlace(run.place(g.cause_place), 160)
				)
				: null,
			' ',
			only
		),
		list
	);
}

function finding(run, f) {
	const id = run.idOf(f.rec);
	return h(
		'li',
		{},
		h(
			'button',
			{ type: 'button', class: 'pick', 'data-sel': id, onclick: () => showFinding(run, f) },
			h('bdi', {}, cut(run.label(f.rec), 60)),
			h('span', { class: 'age' }, duration(f.age))
		)
	);
}

// Choose it, and bring the time of its last event into view.
function showCoroutine(run, r) {
	look({ sel: run.idOf(r) });
	const row = line.rowOf.get(r);
	if (view.lanes === 'coroutine' && row !== undefined) focusRow(row);
	const f = run.findingOf.get(r),
		t = f?.cause?.[1] ?? run.since(r);
	if (t < range.goalFrom || t > range.goalTo) centre(run, t);
}

// A finding's click: its lane, from before it suspended to behind the cause. The browser's Back undoes it.
function showFinding(run, f) {
	const since = run.since(f.rec),
		cause = f.cause?.[1] ?? since,
		from = Math.min(since, cause, run.began(f.rec) || since),
		to = Math.max(since, cause),
		edge = Math.max((to - from) * 0.5, 1000);
	remember();
	look({ sel: run.idOf(f.rec), lanes: 'coroutine' });
	const row = line.rowOf.get(f.rec);
	if (row !== undefined) focusRow(row);
	send(run, Math.max(from, to - 20 * Math.max(to - since, 1e6)) - edge, to + edge);
}
