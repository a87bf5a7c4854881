// format.js - numbers, times and hostile text for people; elements without HTML in strings.

const $ = id => document.getElementById(id);

// An element: h('td', { class: 'n', onclick: f }, 'text', child).
function h(tag, props, ...children) {
	const e = document.createElement(tag);
	for (const [key, value] of Object.entries(props ?? {})) {
		if (value === undefined || value === null || value === false) continue;
		if (key.startsWith('on')) e.addEventListener(key.slice(2), value);
		else e.setAttribute(key, value === true ? '' : value);
	}
	e.append(...children.flat(Infinity).filter(c => c !== null && c !== undefined && c !== false));
	return e;
}

function svg(tag, props, ...children) {
	const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
	for (const [key, value] of Object.entries(props)) e.setAttribute(key, value);
	e.append(...children);
	return e;
}

// What would move the cursor, turn the direction or hide itself is shown as its number.
const ODD =
	/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
// So are marks that pile up on one letter beyond the line that it stands in.
const PILED = /(?<=\p{M}{4})\p{M}/gu;
const asNumber = c => '\\u{' + c.codePointAt(0).toString(16) + '}';
const shown = s => s.replace(PILED, asNumber).replace(ODD, asNumber);

// A number and a name: also where the name is written from right to left, the number stands before it.
const LEFTWARDS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\ud802\ud803\ud83a\ud83b]/;
const beside = (n, name) => (LEFTWARDS.test(name) ? '\u200e' : '') + n + (name ? ' \u201c' + name + '\u201d' : '');

// Cut in the middle, and never a character in two: what distinguishes long names stands at their ends.
function cut(s, n) {
	if (s.length <= n) return s;
	const head = Math.ceil((n - 1) * 0.6),
		tail = n - 1 - head;
	return (
		s.slice(0, head).replace(/[\ud800-\udbff]$/, '') +
		'\u2026' +
		(tail ? s.slice(-tail).replace(/^[\udc00-\udfff]/, '') : '')
	);
}

// What templates are made of, and the folders of a Go package, say little: f<…>, pkg.Func.
function brief(func) {
	let out = '',
		depth = 0;
	for (const part of func.split(/(operator[<>=-]+|->|[<>])/)) {
		if (part === '<' && !depth++) out += '<\u2026>';
		else if (part === '>' && depth) depth--;
		else if (!depth) out += part;
	}
	if (depth) return func; // cut somewhere within
	return withoutFolders(out);
}

// github.com/who/what/pkg.Func is pkg.Func.
const withoutFolders = func =>
	func.replace(/^[\w.~-]+(?:\/[\w.~-]+)+(?=\.)/, path => path.slice(path.lastIndexOf('/') + 1));

// "func file:line" in n characters: first the function gives way to what can be read, then the folders of the file,
// never file:line.
function cutSite(s, n) {
	if (s.length <= n) return s;
	const at = s.lastIndexOf(' '),
		file = s.slice(at + 1),
		folders = file.split('/'),
		name = folders.pop(),
		func = at < 0 ? '' : brief(s.slice(0, at)),
		room = n - (func ? Math.min(func.length, 24) + 1 : 0),
		where = [file, '\u2026/' + [...folders.slice(-1), name].join('/'), name].find(w => w.length <= room) ?? name;
	return func ? cut(func, Math.max(8, n - 1 - where.length)) + ' ' + where : where.length <= n ? where : cut(where, n);
}

// A site that may be broken behind each folder, for cells.
const siteCell = s =>
	h('bdi', { title: s }, cutSite(s, 70).split(/(?<=\/)/).flatMap((part, i) => (i ? [h('wbr'), part] : [part])));

const capital = s => s.slice(0, 1).toUpperCase() + s.slice(1);

// A text is digits that a double would lose.
const group3 = n => (typeof n === 'string' ? n : String(Math.round(n))).replace(/\B(?=(\d{3})+$)/g, '\u202f');

// Three significant digits and a unit.
function duration(ns) {
	const units = [
		[1, 'ns'],
		[1e3, '\u00b5s'],
		[1e6, 'ms'],
		[1e9, 's'],
		[60e9, 'min'],
		[3600e9, 'h'],
		[86400e9, 'd'],
	];
	let i = 0;
	if (ns < 0) return '-' + duration(-ns);
	while (i + 1 < units.length && ns >= units[i + 1][0] * (i >= 3 ? 2 : 0.9995)) i++;
	const v = ns / units[i][0];
	return (
		(i === 0 ? Math.round(v) : v >= 99.95 ? v.toFixed(0) : v >= 9.995 ? v.toFixed(1) : v.toFixed(2)) +
		'\u202f' +
		units[i][1]
	);
}

// A snapshot of memory shows what waits, not since when, unless it was looked at twice.
const aged = (run, ns) => (run.meta?.memory && !ns ? '?' : duration(ns));

const count = n =>
	n >= 1e9
		? (n / 1e9).toFixed(2) + '\u202fG'
		: n >= 1e7
			? (n / 1e6).toFixed(1) + '\u202fM'
			: n >= 1e4
				? (n / 1e3).toFixed(n >= 1e5 ? 0 : 1) + '\u202fk'
				: n >= 100 || n === Math.round(n)
					? group3(n)
					: n >= 0.095
						? n.toFixed(n >= 10 ? 1 : 2)
						: String(Number(n.toPrecision(2)));

// A time from the run's first, with as many digits as `step` ns needs.
function moment(run, t, step = 1000) {
	const s = (t - run.first) / 1e9,
		n = Math.min(9, Math.max(0, Math.ceil(9 - Math.log10(Math.max(1, step)))));
	return (s < 0 ? '' : '+') + s.toFixed(n) + '\u202fs';
}

const plural = (n, word, more) => group3(n) + '\u202f' + (n === 1 ? word : (more ?? word + 's'));

function addTo(map, key, value) {
	const list = map.get(key);
	if (list) list.push(value);
	else map.set(key, [value]);
}
