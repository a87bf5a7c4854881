// details.js - one coroutine: where it is, why it was accused, who should have woken it, whom it awaits, what it did.

const HISTORY_ROWS = 120;

function timeButton(run, t, text) {
	return h('button', { type: 'button', class: 'time', title: 'Show this moment', onclick: () => centre(run, t, Math.min(range.goalTo - range.goalFrom, (run.end - run.first) / 4)) },
		text ?? moment(run, t));
}

function coroutineButton(run, id) {
	const r = run.find(id);
	return r ? h('button', { type: 'button', class: 'pick inline', onclick: () => showCoroutine(run, r) }, h('bdi', {}, cut(run.label(r), 48))) :
		h('span', {}, 'coroutine ' + id);
}

function sourceOf(run, p) {
	const s = run.places[p];
	if (!p || !run.place(p))
		return h('span', { class: 'dim' }, 'not known');
	return h('span', { class: 'source' }, h('code', {}, h('bdi', {}, cut(run.place(p), 200))), s.file ? h('button', { type: 'button', class: 'copy', title: 'Copy file and line',
		onclick: () => copy(s.file + ':' + s.line) }, 'copy') : null);
}

async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
		say('Copied ' + text);
	} catch {
		prompt('Copy:', text);
	}
}

function stateBadge(run, r) {
	const state = run.state[r];
	return h('span', { class: 'state s-' + STATES[state] }, state === ENDED ? run.endWord(r) : STATES[state]);
}

function showDetails(run) {
	const r = run.find(view.sel), box = $('details');
	document.body.classList.toggle('chosen', !!view.sel);
	if (!r) {
		$('detail-title').textContent = 'Coroutine';
		box.replaceChildren(h('p', { class: 'none' }, view.sel ? 'The page does not have coroutine ' + shown(cut(view.sel, 40)) + ': it ended before the part that is shown one by one, or never was.' : 'Choose one in the timeline, the findings or the tables.'));
		return;
	}
	$('detail-title').replaceChildren('Coroutine ' + run.idOf(r) + ' ', h('bdi', { class: 'name' }, cut(run.nameOf(r), 120)));
	const f = run.findingOf.get(r), g = run.col.group[r] ? run.groups[run.col.group[r] - 1] : null;
	box.replaceChildren(h('p', { class: 'badges' }, stateBadge(run, r), g ? h('span', { class: 'badge ' + g.certainty }, g.certainty + ': ' + g.verdict) : null,
		h('button', { type: 'button', class: 'chip', onclick: () => frame(run, r) }, 'Show all of it'),
		h('button', { type: 'button', class: 'chip', onclick: () => look({ sel: '' }) }, 'Close')),
		facts(run, r), share(run, r));
	if (f)
		box.append(section('Why', why(run, f)));
	if (run.state[r] !== ENDED && run.state[r] !== RUNNING)
		box.append(section('Who should have woken it', h('ul', { class: 'blame' }, blame(run, r, f).map(b => h('li', {}, b)))));
	box.append(section('Await chain', chain(run, r)));
	const told = run.living[r];
	if (told?.stack)
		box.append(section('Call stack', h('ol', { class: 'stack' }, told.stack.slice(0, 64).map(s => h('li', {}, h('code', {}, typeof s === 'number' ? placeOfSite(run, s) : shown(String(s))))))));
	box.append(section('History', history_(run, r)));
}

const section = (title, ...content) => h('section', {}, h('h3', {}, title), ...content);

function placeOfSite(run, site) {
	const p = run.places.findIndex(x => x.site === String(site));
	return p > 0 ? run.place(p) : 'site ' + site;
}

function frame(run, r) {
	const a = run.began(r), b = run.state[r] === ENDED ? run.ended(r) : run.end;
	look({ lanes: 'coroutine' });
	if (line.rowOf.has(r))
		focusRow(line.rowOf.get(r));
	send(run, a - (b - a) * 0.05 - 100, b + (b - a) * 0.05 + 100);
}

function facts(run, r) {
	const i = run.last[r], state = run.state[r], rows = [], told = run.living[r];
	const add = (k, ...v) => rows.push(h('dt', {}, k), h('dd', {}, ...v));
	if (state === SUSPENDED || state === RUNNABLE)
		add(state === SUSPENDED ? 'Waits on' : 'Waited on', run.on(i) ? h('code', {}, h('bdi', {}, cut(run.on(i), 200))) : h('span', { class: 'dim' }, 'not told'));
	if (told?.reason)
		add('Reason', h('bdi', {}, shown(told.reason)));
	if (i >= 0)
		add(state === CREATED ? 'Created at' : state === RUNNING ? 'Resumed from' : 'Suspended at', sourceOf(run, run.placeOf(r)));
	if (state === ENDED)
		add('Ended', timeButton(run, run.ended(r)), ', after ' + duration(run.ended(r) - run.began(r)));
	else if (i >= 0)
		add('Since', timeButton(run, run.start[i]), ', for ' + duration(run.end - run.start[i]) + ', line ' + run.line[i]);
	if (i >= 0 && run.col.tid[i])
		add(state === RUNNABLE ? 'Woken on' : 'Last on', h('bdi', {}, run.thread(digits(run.col.tid, i))));
	if (run.flags[r] & WAS_CREATED)
		add('Created', timeButton(run, run.col.created[r]), run.col.parent[r] ? [' by ', coroutineButton(run, digits(run.col.parent, r))] : null,
			run.col.spawn[r] ? [' in ', sourceOf(run, run.col.spawn[r])] : null);
	add('Ran', plural(run.col.runs[r], 'time') + ', woken ' + plural(run.col.wakes[r], 'time'));
	if (run.flags[r] & VERSION_1)
		add('Writer', 'version 1: resumes and suspends only');
	return h('dl', { class: 'facts' }, rows);
}

// Its time in each state, as a bar and in words.
function share(run, r) {
	const t = [run.col.in0[r], run.col.in1[r], run.col.in2[r], run.col.in3[r]], all = t.reduce((a, b) => a + b, 0);
	if (!all)
		return '';
	let x = 0;
	const bar = svg('svg', { viewBox: '0 0 100 6', preserveAspectRatio: 'none', class: 'share', 'aria-hidden': 'true' });
	for (const s of [RUNNING, RUNNABLE, SUSPENDED, CREATED]) {
		bar.append(svg('rect', { x, y: 0, width: Math.max(t[s] / all * 100, t[s] ? 0.6 : 0), height: 6, class: 'f-' + STATES[s] }));
		x += t[s] / all * 100;
	}
	return h('div', {}, bar, h('p', { class: 'dim' }, [RUNNING, RUNNABLE, SUSPENDED, CREATED].filter(s => t[s]).map(s => STATES[s] + ' ' + duration(t[s])).join(', ')));
}

function who(run, [, , tid, by, place]) {
	return [by !== '0' ? [' by ', coroutineButton(run, by)] : tid !== '0' ? ' by ' + run.thread(tid) : null,
		place && run.place(place) ? [' in ', sourceOf(run, place)] : null];
}

function factLine(run, f) {
	return [timeButton(run, f[1]), ' ' + shown(f[5]), ...who(run, f), h('span', { class: 'dim' }, ' line ' + f[0])];
}

function why(run, f) {
	return h('div', {}, h('p', {}, h('bdi', {}, shown(f.story))), f.unknown ? h('p', { class: 'note' }, 'But ' + shown(f.unknown) + '.') : null,
		h('ol', { class: 'evidence' }, f.facts.map(x => h('li', {}, ...factLine(run, x)))));
}

// What the trace knows of who could have woken it: of this very wait first, then of others at the same place.
function blame(run, r, f) {
	const list = [], i = run.last[r], told = run.living[r], on = run.col.on_kind[i], p = run.places[run.placeOf(r)];
	if (run.state[r] === CREATED)
		return ['It has never run: whoever created it should have put it into a queue.'];
	if (run.state[r] === RUNNABLE) {
		const wake = lastWake(run, r);
		return [['It was woken', ...(wake < 0 ? [' at ', timeButton(run, run.start[i])] : factOfWake(run, wake)), ': a worker should have taken it out of a queue.']];
	}
	if (f?.cause && f.cause[1] && !f.cycle)
		list.push(['The cause: ', ...factLine(run, f.cause)]);
	const ring = (f?.cycle ?? []).filter(id => id !== run.idOf(r));
	if (ring.length)
		list.push([f.knot ? 'One of its knot: ' : 'One of its circle: ', ring.slice(0, 12).map((id, i) => [i ? ', ' : '', coroutineButton(run, id)]),
			ring.length > 12 ? ' and ' + plural(ring.length - 12, 'more', 'more') : null]);
	const awaited = run.awaits(r);
	if (awaited)
		list.push(['The coroutine that it awaits, ', coroutineButton(run, run.idOf(awaited)), ', ' +
			(run.state[awaited] === ENDED ? 'which ' + run.endWord(awaited) : 'which is ' + STATES[run.state[awaited]]) + '.']);
	if (told?.held)
		list.push(['Its holder: ', ...factLine(run, told.held), '.']);
	if (on === 3 && run.col.kind[i] & NUMBER) {
		const due = Number(BigInt(digits(run.col.on, i)) - BigInt(run.zero));
		list.push(['A timer, due at ' + moment(run, due) + (due > run.end ? ', after the end of the trace.' : ', ' + duration(run.end - due) + ' before the end.')]);
	}
	if (told?.last)
		list.push(['Last about it: ', ...factLine(run, told.last)]);
	if (told?.closed && !f)
		list.push(['It was closed: ', ...factLine(run, told.closed)]);
	if (p.wakes)
		for (const [place, tid, by, n] of p.wakers.sort((a, b) => b[3] - a[3]).slice(0, 2))
			list.push(['Others that waited here were woken by ', run.thread(tid), by !== '0' ? ' (in a coroutine)' : '', place ? [' in ', sourceOf(run, place)] : '',
				h('span', { class: 'dim' }, ' at least ' + Math.round(100 * n / p.wakes) + '\u202f% of ' + plural(p.wakes, 'wake'))]);
	return list.length ? list : ['The trace does not tell: no wake, holder or signal for this is known.'];
}

function lastWake(run, r) {
	for (let i = run.from[r + 1] - 1; i >= run.from[r]; i--)
		if (run.kind(i) === WAKE)
			return i;
	return -1;
}

function factOfWake(run, i) {
	return [' ', timeButton(run, run.start[i]), ...who(run, [0, 0, digits(run.col.tid, i), digits(run.col.by, i), run.col.place[i]]), h('span', { class: 'dim' }, ' line ' + run.line[i])];
}

// From it to whom it waits on, to whom that waits on, and so on; and who waits on it.
function chain(run, r) {
	const list = [], seen = new Set();
	for (let at = r; at && !seen.has(at) && seen.size < 40; at = run.awaits(at)) {
		seen.add(at);
		const i = run.last[at];
		list.push(h('li', {}, at === r ? h('b', {}, run.label(at)) : coroutineButton(run, run.idOf(at)), ' ', stateBadge(run, at),
			run.state[at] === SUSPENDED ? [' on ', h('code', {}, h('bdi', {}, cut(run.on(i) || '?', 80)))] : null,
			run.place(run.placeOf(at)) ? h('span', { class: 'dim' }, ' ' + cut(run.place(run.placeOf(at)), 80)) : null));
		if (seen.has(run.awaits(at)))
			list.push(h('li', { class: 'bad' }, 'back to ' + run.label(run.awaits(at)) + ': a circle'));
	}
	const waiting = run.awaitersOf(r);
	return h('div', {}, h('ol', { class: 'chain' }, list), waiting.length ? h('p', {}, 'Awaited by ', waiting.slice(0, 20).map((w, i) => [i ? ', ' : '', coroutineButton(run, run.idOf(w))]),
		waiting.length > 20 ? ' and ' + plural(waiting.length - 20, 'more', 'more') : null) : h('p', { class: 'dim' }, 'No live coroutine awaits it.'));
}

function history_(run, r) {
	const a = run.from[r], b = run.from[r + 1], rows = [];
	for (let i = b - 1; i >= a && rows.length < HISTORY_ROWS; i--) {
		const kind = run.kind(i), place = run.col.place[i];
		rows.push(h('tr', {}, h('td', { class: 'n' }, timeButton(run, run.start[i])),
			h('td', {}, h('span', { class: 'dot f-' + (kind <= RUNNABLE ? STATES[kind] : 'mark'), 'aria-hidden': 'true' }), KINDS[kind],
				kind !== RUNNING && kind !== RUNNABLE && run.on(i) ? [' ', h('code', {}, h('bdi', {}, cut(run.on(i), 60)))] : null,
				kind === WAKE && run.col.by[i] ? [' by ', coroutineButton(run, digits(run.col.by, i))] : null,
				run.col.kind[i] & TORN ? h('span', { class: 'bad' }, ' (events are missing in here)') : null,
				run.place(place) && kind !== RUNNING && kind !== RUNNABLE ? h('div', { class: 'dim' }, cut(run.place(place), 90)) : null),
			h('td', { class: 'n' }, kind <= RUNNABLE ? duration(run.stop[i] - run.start[i]) : ''), h('td', { class: 'n dim' }, String(run.line[i]))));
	}
	const more = b - a - rows.length, older = run.col.older[r];
	const note = [more ? plural(more, 'older one') + ' in the timeline' : '', older ? plural(older, 'still older one') + ' summed up above' : '',
		!older && run.dropped && run.state[r] === ENDED ? 'what lies before ' + moment(run, run.exact_from) + ' is summed up' : ''].filter(s => s).join('; ');
	return h('div', {}, h('table', { class: 'history' }, h('thead', {}, h('tr', {}, ['Time', 'What', 'For', 'Line'].map(t => h('th', { scope: 'col' }, t)))), h('tbody', {}, rows)),
		note ? h('p', { class: 'note' }, note + '.') : null);
}
