// findings.js - the verdict in a sentence, and findings in groups; many groups by cause.

const FIRST = 10;

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
	const sum = list => list.reduce((s, g) => s + g.count, 0);
	if (groups.length > FIRST) {
		const list = causesOf(run, groups),
			sites = new Set(groups.map(g => g.site)).size,
			by = list[0].first.cause_site;
		return (
			who +
			what +
			' at ' +
			plural(sites, 'site') +
			', from ' +
			plural(list.length, 'cause') +
			'. ' +
			plural(list[0].count, 'of them', 'of them') +
			': ' +
			shown(list[0].first.because) +
			(by ? ' \u2013 ' + cutSite(run.site(by), 100) : '') +
			'.'
		);
	}
	const reasons = new Map();
	for (const g of groups) addTo(reasons, g.because, g);
	const [because, main] = [...reasons].reduce((a, b) => (sum(b[1]) > sum(a[1]) ? b : a)),
		g = main.reduce((a, b) => (b.count > a.count ? b : a));
	const at = run.site(g.site) ? ' at ' + cutSite(run.site(g.site), 120) : '',
		others = main.length - 1;
	const where = !others
		? at
		: (at ? at + ' (' + group3(g.count) + ') and' : ' at') + ' ' + plural(others, 'other site');
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

function showVerdict(run) {
	const [level, text] = sentence(run),
		{ command, host, wall } = run.meta ?? {}, // as they stand in the trace: anything
		at = new Date(typeof wall === 'object' ? NaN : Number(wall) / 1e6);
	const words = Array.isArray(command) ? command.filter((word) => typeof word === 'string') : [];
	const name = document.body.dataset.title || words.join(' ') || 'a trace';
	document.body.dataset.level = level;
	$('verdict').textContent = text;
	document.title = cut(shown(name), 60) + ' \u2013 corotrace';
	const parts = [h('b', {}, h('bdi', {}, cut(shown(name), 200)))];
	if (host && typeof host === 'string') parts.push('on ' + shown(host));
	if (wall && !isNaN(at)) parts.push(at.toISOString().replace('T', ' ').slice(0, 19) + ' UTC');
	parts.push(
		run.meta?.memory && run.end === run.first
			? 'one moment of its memory'
			: duration(run.end - run.first) + ' traced',
		...(run.health.late ? [run.health.late] : []),
		plural(total(run), 'event'),
		plural(run.live, 'coroutine') + ' alive at the end' + (run.own ? ', ' + group3(run.own) + ' of the runtime' : '')
	);
	if (run.health.lost)
		parts.push(
			h('b', { class: 'bad' }, plural(run.health.lost, 'event') + (run.health.astray ? ' lost or out of place' : ' lost'))
		);
	if (run.exit)
		parts.push(
			run.exit.signal !== undefined
				? 'killed by signal ' + run.exit.signal
				: 'exit status ' + run.exit.status
		);
	if (run.runs > 1) parts.push('run ' + run.run + ' of ' + run.runs);
	$('about').replaceChildren(
		...parts.flatMap((p, i) => (i ? [h('i', { 'aria-hidden': 'true' }, ' \u00b7 '), p] : [p]))
	);
}

const total = run => ['create', 'resume', 'suspend', 'wake', 'destroy'].reduce((s, k) => s + (run.events[k] ?? 0), 0);

// ---- findings ----

// Groups that have verdict, certainty, reason and the cause's site in common; the worst first, then the largest.
function causesOf(run, groups) {
	const by = new Map(),
		rank = ['proven', 'suspected', 'unknown', 'hint'];
	for (const g of groups) addTo(by, [g.certainty, g.verdict, g.because, g.cause_site].join('\n'), g);
	return [...by.values()]
		.map(list => ({
			first: list[0],
			groups: list.sort((a, b) => b.count - a.count),
			count: list.reduce((s, g) => s + g.count, 0),
		}))
		.sort(
			(a, b) =>
				rank.indexOf(a.first.certainty) - rank.indexOf(b.first.certainty) || b.count - a.count
		);
}

// What view.group names: a group, or, as "c3", all groups of a cause. The numbers of groups begin with 1.
function groupsOf(run, name) {
	if (name[0] === 'c') return new Set(run.causes[Number(name.slice(1)) - 1]?.groups.map(g => g.number) ?? []);
	return new Set([Number(name)]);
}

// The first of many in a list; a button shows a hundred more.
function firstOf(list, items, make, rest) {
	const open = n => {
		list.replaceChildren(...items.slice(0, n).map(make));
		if (items.length > n)
			list.append(
				h(
					'li',
					{},
					h(
						'button',
						{ type: 'button', class: 'more', onclick: () => open(n + 100) },
						rest(items.length - n, items.slice(n))
					)
				)
			);
	};
	open(FIRST);
	return list;
}

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
	const items = run.groups.length > FIRST ? run.causes : run.groups,
		count = list => list.reduce((s, c) => s + c.count, 0);
	box.replaceChildren();
	if (run.groups.length > FIRST)
		box.append(
			h(
				'p',
				{ class: 'note' },
				group3(run.findings_all) +
					' at ' +
					plural(new Set(run.groups.map(g => g.site)).size, 'site') +
					', ' +
					plural(run.causes.length, 'cause')
			)
		);
	const list = firstOf(
		h('ul', { class: 'cards' }),
		items,
		(c, i) => h('li', {}, c.groups?.length > 1 ? cause(run, c, i) : group(run, c.first ?? c, i)),
		(n, left) => plural(n, 'more cause') + ' of ' + plural(count(left), 'finding')
	);
	box.append(list);
}

function card(run, c, name, where, i, ...content) {
	const g = c.first ?? c,
		only = h(
			'button',
			{
				type: 'button',
				class: 'chip',
				'aria-pressed': String(view.group === name),
				'data-group': name,
				onclick: () =>
					look(
						view.group === name
							? { group: '' }
							: { group: name, lanes: 'coroutine', tab: 'coroutines' }
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
			h('span', { class: 'times' }, '\u00d7\u202f' + group3(c.count)),
			where
		),
		h(
			'p',
			{},
			shown(g.because),
			g.cause_site && (c.groups || g.cause_site !== g.site)
				? h(
						'span',
						{ class: 'where', title: run.site(g.cause_site) },
						' \u2013 ',
						cutSite(run.site(g.cause_site), 160)
					)
				: null,
			' ',
			only
		),
		h('p', { class: 'help' }, h('b', {}, 'To do: '), shown(g.help)),
		...content
	);
}

function siteLine(run, g, before) {
	return h(
		'span',
		{ class: 'where', title: run.site(g.site) },
		before ?? null,
		cutSite(run.site(g.site), 160) || 'site not known'
	);
}

// A cause at several suspension points: these, and, opened, who waits there.
function cause(run, c, i) {
	const points = firstOf(
		h('ul', {}),
		c.groups,
		g => {
			const point = h(
				'details',
				{ class: 'point' },
				h('summary', {}, siteLine(run, g, h('b', {}, group3(g.count) + ' ')))
			);
			point.addEventListener('toggle', () => {
				if (point.open && !point.querySelector('ul')) point.append(members(run, g));
			});
			return h('li', {}, point);
		},
		(n, left) => plural(n, 'more site') + ' of ' + plural(left.reduce((s, g) => s + g.count, 0), 'finding')
	);
	const where = h('div', { class: 'where' }, 'at ' + plural(c.groups.length, 'site'));
	return card(run, c, 'c' + c.number, where, i, points);
}

function group(run, g, i) {
	return card(run, g, String(g.number), h('div', {}, siteLine(run, g)), i, members(run, g));
}

function members(run, g) {
	const told = run.findingsOf.get(g.number) ?? [],
		list = firstOf(h('ul', {}), told, f => finding(run, f), n => plural(n, 'more', 'more'));
	if (g.count > told.length)
		list.append(
			h('li', { class: 'note' }, plural(g.count - told.length, 'more', 'more') + ' in the lanes and the table')
		);
	return list;
}

function finding(run, f) {
	const id = run.idOf(f.rec);
	return h(
		'li',
		{},
		h(
			'button',
			{ type: 'button', class: 'pick', 'data-sel': id, onclick: () => showFinding(run, f) },
			h('bdi', { title: run.label(f.rec) }, cut(run.shortLabel(f.rec), 60)),
			h('span', { class: 'age' }, aged(run, f.age))
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
