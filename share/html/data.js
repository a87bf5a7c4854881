// data.js - unpack a run: base64, deflate, a JSON text and columns (report/ct-html/pack.c and columns.c wrote them).
'use strict';

const BIG = Number.MAX_SAFE_INTEGER;

function fromBase64(text) {
	if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
	const s = atob(text),
		bytes = new Uint8Array(s.length);
	for (let i = 0; i < s.length; i++) bytes[i] = s.charCodeAt(i);
	return bytes;
}

async function inflate(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

// LEB128 into doubles; what does not fit in one exactly stands in `big`, by index.
function numbers(b, signed) {
	let n = 0;
	for (let i = 0; i < b.length; i++) n += b[i] < 128;
	const v = new Float64Array(n);
	for (let i = 0, k = 0; k < n; k++) {
		const from = i;
		let x = b[i++];
		if (x > 127) {
			x &= 127;
			for (let scale = 128, more = true; more; scale *= 128) {
				const y = b[i++];
				x += (y & 127) * scale;
				more = y > 127;
			}
			if (x > BIG) x = exact(v, k, b, from);
		}
		v[k] = !signed ? x : x % 2 ? -(x + 1) / 2 : x / 2;
	}
	return v;
}

function exact(v, k, b, from) {
	let x = 0n,
		shift = 0n;
	for (let i = from; ; i++, shift += 7n) {
		x |= BigInt(b[i] & 127) << shift;
		if (b[i] < 128) break;
	}
	(v.big ??= new Map()).set(k, x);
	return Number(x);
}

// A number of a column as decimal digits.
const digits = (v, k) => (v.big?.has(k) ? String(v.big.get(k)) : String(v[k]));

// Ids come as steps from one to the next.
function ids(steps) {
	const v = new Float64Array(steps.length);
	let sum = 0n,
		plain = !steps.big;
	if (plain) {
		for (let i = 0, s = 0; i < v.length; i++) v[i] = s += steps[i];
		plain = !v.length || v[v.length - 1] <= BIG;
	}
	if (plain) return v;
	v.big = new Map();
	for (let i = 0; i < v.length; i++) {
		sum = BigInt.asUintN(64, sum + (steps.big?.get(i) ?? BigInt(steps[i])));
		v[i] = Number(sum);
		if (sum > BIG) v.big.set(i, sum);
	}
	return v;
}

function column(type, bytes) {
	switch (type) {
		case 'var':
			return numbers(bytes, false);
		case 'signed':
			return numbers(bytes, true);
		case 'f32':
			return new Float32Array(bytes.slice().buffer);
		case 'text':
			return new TextDecoder().decode(bytes).split('\0');
		default:
			return bytes;
	}
}

async function unpack(script) {
	const all = await inflate(fromBase64(script.textContent.trim()));
	const length = new DataView(all.buffer).getUint32(0, true);
	const run = JSON.parse(new TextDecoder().decode(all.subarray(4, 4 + length)));
	let at = 4 + length;
	run.col = {};
	for (const [name, type, size] of run.columns) {
		run.col[name] = column(type, all.subarray(at, at + size));
		at += size;
	}
	return run;
}
