// colors.js - the page's colours, read from page.css, for canvases; one word of pixels for each.

const PALETTE = [
	'ground',
	'panel',
	'zebra',
	'rule',
	'text',
	'dim',
	'accent',
	'bad',
	'created',
	'running',
	'runnable',
	'parked',
	'idle',
	'on-none',
	'on-coro',
	'on-fd',
	'on-timer',
	'on-mutex',
	'on-cond',
	'on-sem',
	'on-chan',
	'on-join',
	'on-user',
	'on-syscall',
	'on-sched',
	'on-never',
	'on-runtime',
	'on-room',
	'on-other',
	'on-any',
	'on-all',
];
let ink = {},
	pixel = {},
	suspendedPixel = [],
	suspendedInk = [];

function readColors() {
	const style = getComputedStyle(document.documentElement);
	for (const name of PALETTE) {
		const hex = style.getPropertyValue('--' + name).trim();
		ink[name] = hex;
		const v = parseInt(hex.slice(1), 16);
		pixel[name] = (0xff000000 | ((v & 255) << 16) | (((v >> 8) & 255) << 8) | (v >> 16)) >>> 0;
	}
	const on = PALETTE.slice(13);
	suspendedPixel = on.map(n => pixel[n]);
	suspendedInk = on.map(n => ink[n]);
}

// Half way to the ground: what a filter leaves out.
function faded(p) {
	const g = pixel.ground;
	const mix = shift => ((((p >>> shift) & 255) + 3 * ((g >>> shift) & 255)) / 4) << shift;
	return (0xff000000 | mix(0) | mix(8) | mix(16)) >>> 0;
}

function setTheme(theme) {
	document.documentElement.dataset.theme = theme;
	$('theme').setAttribute('aria-pressed', String(theme === 'dark'));
	readColors();
	repaint();
}

// A canvas as large as its box, in device pixels.
function fitCanvas(canvas, width, height) {
	const ratio = devicePixelRatio || 1,
		w = Math.round(width * ratio),
		ht = Math.round(height * ratio);
	if (canvas.width !== w || canvas.height !== ht) {
		canvas.width = w;
		canvas.height = ht;
		canvas.style.width = width + 'px';
		canvas.style.height = height + 'px';
	}
	const c = canvas.getContext('2d');
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	return c;
}

// Round steps between the marks of an axis.
function steps(span, marks) {
	const raw = span / Math.max(1, marks),
		ten = 10 ** Math.floor(Math.log10(raw));
	return [1, 2, 5, 10].map(n => n * ten).find(s => s >= raw);
}
