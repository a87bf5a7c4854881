// perfetto_engine.js - Perfetto's trace processor, as its viewer's page carries it, as a pipe: perfetto_engine.js DIR
//
// stdin: messages of its TraceProcessorRpcStream, each behind its length in 4 bytes, little-endian; stdout: its answers,
// likewise. DIR holds engine_bundle.js and the .wasm files.
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');
const { MessageChannel } = require('worker_threads');

const dir = process.argv[2];
const say = (...words) => fs.writeSync(2, words.join(' ') + '\n');
console.log = console.warn = console.error = say;

// What the bundle expects of a worker in a browser: that is what it takes this for.
globalThis.self = globalThis;
globalThis.WorkerGlobalScope = function () {};
globalThis.location = { href: 'http://localhost/' };
globalThis.XMLHttpRequest = class {
	open(method, name) { this.name = path.basename(name); }
	send() { this.response = new Uint8Array(fs.readFileSync(path.join(dir, this.name))).buffer; }
};
Object.defineProperty(process, 'type', { value: 'renderer' });
try {
	vm.runInThisContext(fs.readFileSync(path.join(dir, 'engine_bundle.js'), 'utf8'));
} catch (e) {
	say('perfetto_engine: ' + e.message.slice(0, 200));
	process.exit(2);
}

const { port1, port2 } = new MessageChannel();
port1.onmessage = (e) => {
	const head = Buffer.alloc(4);

	head.writeUInt32LE(e.data.length);
	fs.writeSync(1, head);
	for (let done = 0; done < e.data.length;)
		done += fs.writeSync(1, e.data, done);
};
globalThis.onmessage({ data: port2 });

let pending = Buffer.alloc(0);
const take = () => {
	while (pending.length >= 4 && pending.length >= 4 + pending.readUInt32LE(0)) {
		const end = 4 + pending.readUInt32LE(0);

		port1.postMessage(new Uint8Array(pending.subarray(4, end)));
		pending = pending.subarray(end);
	}
};
process.stdin.on('data', (chunk) => { pending = Buffer.concat([pending, chunk]); setTimeout(take, 0); });
process.stdin.on('end', () => setTimeout(() => process.exit(0), 0));
