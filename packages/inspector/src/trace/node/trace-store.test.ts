import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { until } from '../../../../../scripts/lib/until.ts';
import { createTraceStore } from './trace-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-store-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
function newFile(): string {
  return join(folder, `${++count}.mcptrace`);
}

function note(text: string) {
  return { session: 's', kind: 'note' as const, text };
}

test('lines get their numbers and times, and are read back while the trace grows', () => {
  const store = createTraceStore(newFile(), 'a test');
  const texts = ['a', 'ä\n\u2028"', '\ud800', ''];
  texts.forEach((text) => store.append(note(text)));
  assert.deepEqual(
    store.read(1, 9).map(({ n, text }) => [n, text]),
    texts.map((text, at) => [at + 1, text]),
  );
  assert.deepEqual(
    store.read(2, 3).map(({ n }) => n),
    [2, 3],
  );
  assert.equal(store.index.length, 4);
  store.close();
  assert.throws(() => store.append(note('late')), /is closed/);
});

test('time never goes back, whatever time a line is given', () => {
  const store = createTraceStore(newFile(), 'a test');
  assert.equal(store.append({ ...note('a'), at: 1_000_000 }).at, 1_000_000);
  assert.equal(store.append({ ...note('b'), at: 5 }).at, 1_000_000);
  store.close();
});

test('only the owner can read a trace, and an existing file is not overwritten', () => {
  const file = newFile();
  createTraceStore(file, 'a test').close();
  if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.throws(() => createTraceStore(file, 'a test'), { code: 'EEXIST' });
});

test('a new file is a valid trace at once, and buffered lines are written after a moment', async () => {
  const file = newFile();
  const store = createTraceStore(file, 'a test');
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).mcptrace, 1);
  store.append(note('later'));
  assert.equal(readFileSync(file, 'utf8').includes('later'), false);
  await until(() => readFileSync(file, 'utf8').includes('later'));
  store.close();
});

test('a listener that throws affects neither the other listeners nor the trace', () => {
  const store = createTraceStore(newFile(), 'a test');
  const seen: string[] = [];
  store.watch(() => {
    throw new Error('no');
  });
  const stop = store.watch((line, facts) => seen.push(`${line.text} ${facts.n}`));
  store.append(note('a'));
  stop();
  store.append(note('b'));
  assert.deepEqual(seen, ['a 1']);
  assert.equal(store.read(1, 2).length, 2);
  store.close();
});

test('a file that can no longer be written is reported once, and the lines already written can be read', () => {
  // A process that may write files of at most 8 KiB, and is not killed when it tries to write more.
  const script = `
    process.on('SIGXFSZ', () => {});
    const { createTraceStore } = await import(${JSON.stringify(new URL('./trace-store.ts', import.meta.url).href)});
    const failures = [];
    const store = createTraceStore(${JSON.stringify(newFile())}, 'a test', { onFailure: (error) => failures.push(error.code) });
    for (let at = 0; at < 20; at++) { store.append({ session: 's', kind: 'note', text: 'x'.repeat(1000) }); store.flush(); }
    const lines = store.read(1, 99);
    console.log(JSON.stringify({ failures, kept: lines.length, last: lines.at(-1).n, facts: store.index.length }));
    store.close();`;
  const { stdout, stderr } = spawnSync(
    'sh',
    ['-c', 'ulimit -f 16; exec "$0" --input-type=module -e "$1"', process.execPath, script],
    { encoding: 'utf8' },
  );
  assert.equal(stderr.replace(/.*(?:ExperimentalWarning|trace-warnings).*\n/g, ''), '');
  const { failures, kept, last, facts } = JSON.parse(stdout) as Record<string, number & string[]>;
  assert.deepEqual(failures, ['EFBIG']);
  assert.ok(kept! >= 5 && kept! < 20, `${kept} lines`);
  assert.equal(last, kept);
  assert.equal(facts, 20);
});
