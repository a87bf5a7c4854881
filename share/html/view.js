// view.js - what is looked at, and the address that carries it.

const DEFAULTS = {
	run: '',
	t: '',
	span: '',
	only: '',
	lanes: 'worker',
	q: '',
	state: '',
	group: '',
	site: '',
	sel: '',
	pins: '',
	tab: 'coroutines',
	sort: '',
};
const watchers = [];
let view = { ...DEFAULTS },
	addressTimer = 0;

function watch(f) {
	watchers.push(f);
}

// Notify the page of what has changed, as a set of keys; the address follows a little later.
function look(patch) {
	const changed = new Set(Object.keys(patch).filter(k => view[k] !== patch[k]));
	if (!changed.size) return;
	Object.assign(view, patch);
	for (const f of watchers) f(changed);
	clearTimeout(addressTimer);
	addressTimer = setTimeout(writeAddress, 150);
}

function address() {
	const parts = [];
	for (const key of Object.keys(DEFAULTS))
		if (view[key] !== DEFAULTS[key]) parts.push(key + '=' + encodeURIComponent(view[key]));
	return '#' + parts.join('&');
}

function writeAddress() {
	if (location.hash !== address() && !(location.hash === '' && address() === '#'))
		history.replaceState(null, '', address());
}

// The view as it is stays behind Back.
function remember() {
	clearTimeout(addressTimer);
	writeAddress();
	history.pushState(null, '', location.href);
}

// Pages of older versions called a site a place: links to them may still go about.
const newer = part => part.replace(/^place=/, 'site=').replace(/^(lanes|tab)=place/, '$1=site');

function readAddress() {
	const patch = { ...DEFAULTS };
	for (const part of location.hash.slice(1).split('&').map(newer)) {
		const [key, value] = [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)];
		try {
			if (Object.hasOwn(DEFAULTS, key)) patch[key] = decodeURIComponent(value);
		} catch {
			announce('The address has a part that cannot be read: ' + key);
		}
	}
	return patch;
}

// For those who hear the page.
function announce(text) {
	$('say').textContent = text;
}

// The piece of time that is shown. It glides to where it was sent.
const range = { from: 0, to: 1, goalFrom: 0, goalTo: 1 };
const calm = matchMedia('(prefers-reduced-motion: reduce)');

function whole(run) {
	const most = Math.max(run.end - run.first, 1000),
		edge = most * 0.01;
	return [run.first - edge, run.first + most + edge];
}

// What the page opens with: all of it, or, where nearly everything happens within a twelfth of it, that piece.
function opening(run) {
	if (run.opening) return run.opening;
	const CELLS = 1200,
		span = Math.max(run.end - run.first, 1),
		cells = new Float64Array(CELLS),
		all = run.start.length;
	for (let i = 0; i < all; i++)
		cells[Math.max(0, Math.min(CELLS - 1, Math.floor(((run.start[i] - run.first) / span) * CELLS)))]++;
	let least = [0, CELLS - 1];
	for (let a = 0, b = 0, sum = 0; a < CELLS; sum -= cells[a++]) {
		while (b < CELLS && sum < all * 0.97) sum += cells[b++];
		if (sum < all * 0.97) break;
		if (b - 1 - a < least[1] - least[0]) least = [a, b - 1];
	}
	const wide = (least[1] - least[0] + 1) / CELLS,
		t = c => run.first + (c / CELLS) * span,
		edge = (t(least[1] + 1) - t(least[0])) * 0.5;
	return (run.opening =
		all < 20 || wide > 1 / 12
			? whole(run)
			: [Math.max(whole(run)[0], t(least[0]) - edge), Math.min(whole(run)[1], t(least[1] + 1) + edge)]);
}

function send(run, from, to, now = false) {
	const [first, last] = whole(run);
	let span = Math.min(Math.max(to - from, 100), last - first);
	from = Math.min(Math.max((from + to - span) / 2, first), last - span);
	if (!Number.isFinite(from)) [from, span] = [first, last - first];
	Object.assign(range, { goalFrom: from, goalTo: from + span });
	if (now || calm.matches) Object.assign(range, { from, to: from + span });
	const all = last - first - span < 1,
		open = opening(run),
		same = Math.abs(from - open[0]) + Math.abs(from + span - open[1]) < span / 1000;
	look({ t: same ? '' : all ? 'all' : Math.round(from) + ',' + Math.round(span) });
	repaint();
}

// One step of the glide; false when it has arrived.
function glide() {
	const span = range.goalTo - range.goalFrom,
		left = Math.abs(range.goalFrom - range.from) + Math.abs(range.goalTo - range.to);
	if (left < span / 2000) {
		range.from = range.goalFrom;
		range.to = range.goalTo;
		return false;
	}
	range.from += (range.goalFrom - range.from) * 0.35;
	range.to += (range.goalTo - range.to) * 0.35;
	return true;
}

const zoom = (run, factor, at = (range.goalFrom + range.goalTo) / 2) =>
	send(run, at - (at - range.goalFrom) * factor, at + (range.goalTo - at) * factor);
const pan = (run, share) => {
	const by = (range.goalTo - range.goalFrom) * share;
	send(run, range.goalFrom + by, range.goalTo + by);
};
const centre = (run, t, span = range.goalTo - range.goalFrom) => send(run, t - span / 2, t + span / 2);

// What the address says of the time.
function sendTo(run, text, now) {
	const [from, span] = text.split(',').map(Number);
	if (text && Number.isFinite(from) && span > 0) send(run, from, from + span, now);
	else send(run, ...(text === 'all' ? whole(run) : opening(run)), now);
}

// One frame at a time, and none when nothing changes.
let painters = [],
	wanted = false;
function repaint() {
	if (wanted) return;
	wanted = true;
	requestAnimationFrame(() => {
		wanted = false;
		const more = glide();
		for (const f of painters) f();
		if (more) repaint();
	});
}
