import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  appendFile,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Audit, openAudit } from './audit.ts';
import type { AuditEntry, AuditRecord } from './record.ts';
import { verifyAudit } from './verify.ts';

const folder = await mkdtemp(join(tmpdir(), 'tenon-audit-'));
after(() => rm(folder, { recursive: true, force: true }));
let files = 0;
function newFile(): string {
  return join(folder, `${++files}.jsonl`);
}

const call: AuditEntry = {
  requestedBy: 'model',
  act: 'call',
  server: 'files',
  target: 'read_file',
  decision: 'allow',
  outcome: 'ok',
};

async function recordsIn(file: string): Promise<AuditRecord[]> {
  return (await readFile(file, 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditRecord);
}

async function addAll(audit: Audit, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await audit.add({ ...call, target: `tool_${index}` });
}

/** Opens a log, adds `count` entries, and closes it. Returns its head. */
async function written(file: string, count: number): Promise<string> {
  const audit = await openAudit({ file });
  await addAll(audit, count);
  await audit.close();
  return audit.head;
}

test('an entry is one line with all its data, and is on disk when `add` resolves', async () => {
  const file = newFile();
  const audit = await openAudit({ file, now: () => Date.UTC(2026, 0, 2) });
  await audit.add({
    ...call,
    rule: 'allow files',
    ms: 12.6,
    revision: '2025-11-25',
    arguments: { path: '/etc/hosts' },
  });
  const [record] = await recordsIn(file);
  const { argumentsDigest, hash, ...rest } = record!;
  assert.deepEqual(rest, {
    n: 1,
    at: '2026-01-02T00:00:00.000Z',
    requestedBy: 'model',
    act: 'call',
    server: 'files',
    target: 'read_file',
    decision: 'allow',
    rule: 'allow files',
    outcome: 'ok',
    ms: 13,
    revision: '2025-11-25',
    prev: '0'.repeat(64),
  });
  assert.match(argumentsDigest!, /^hmac-sha256:[0-9a-f]{64}$/);
  assert.equal(audit.head, hash);
  await audit.close();
});

test('arguments are never written, and equal arguments have the same digest only under the same key', async () => {
  const [file, other] = [newFile(), newFile()];
  const digest = async (path: string, args: unknown): Promise<string> => {
    const audit = await openAudit({ file: path });
    await audit.add({ ...call, arguments: args });
    await audit.close();
    return (await recordsIn(path)).at(-1)!.argumentsDigest!;
  };
  const first = await digest(file, { a: 'hunter2', b: 1 });
  assert.equal(await digest(file, { b: 1, a: 'hunter2' }), first);
  assert.notEqual(await digest(file, { a: 'hunter3', b: 1 }), first);
  assert.notEqual(await digest(other, { a: 'hunter2', b: 1 }), first);
  assert.ok(!(await readFile(file, 'utf8')).includes('hunter'));
});

test('a digest is an HMAC of the canonical arguments, under the key in the file', async () => {
  const file = newFile();
  const audit = await openAudit({ file });
  await audit.add({ ...call, arguments: { b: 1, a: 'é' } });
  await audit.close();
  const key = Buffer.from(await readFile(`${file}.key`, 'utf8'), 'hex');
  const digest = createHmac('sha256', key).update('{"a":"é","b":1}').digest('hex');
  assert.equal((await recordsIn(file))[0]!.argumentsDigest, `hmac-sha256:${digest}`);
});

test('an entry with any of the members verifies', async () => {
  const file = newFile();
  const audit = await openAudit({ file });
  const optional: Partial<AuditEntry> = {
    server: 'files',
    target: 'read "é" 日本 👍 \n',
    note: 'it was moved',
    arguments: {},
    decision: 'allow',
    rule: 'rule 1',
    outcome: 'ok',
    ms: 0,
    revision: '2026-07-28',
  };
  const entries = Object.entries(optional).map(
    ([name, value]) => ({ requestedBy: 'model', act: 'call', [name]: value }) as const,
  );
  for (const entry of [...entries, { ...call, ...optional }]) await audit.add(entry);
  await audit.close();
  assert.deepEqual(await verifyAudit(file), { ok: true, entries: entries.length + 1, head: audit.head });
});

test('an entry is written even if its arguments cannot be serialized as JSON', async () => {
  const file = newFile();
  const audit = await openAudit({ file });
  const ring: Record<string, unknown> = {};
  ring['ring'] = ring;
  await audit.add({ ...call, arguments: ring });
  await audit.add({ ...call, arguments: { big: 1n } });
  assert.match((await recordsIn(file))[1]!.argumentsDigest!, /^none/);
});

test('only the owner can read the log and its key', { skip: process.platform === 'win32' }, async () => {
  const file = join(folder, 'deep', 'er', 'audit.jsonl');
  await written(file, 1);
  for (const path of [file, `${file}.key`]) assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual((await readdir(join(folder, 'deep', 'er'))).sort(), ['audit.jsonl', 'audit.jsonl.key']);
});

test('many concurrent entries are all written, in the order of the calls', async () => {
  const file = newFile();
  const audit = await openAudit({ file });
  await Promise.all(Array.from({ length: 500 }, (_, index) => audit.add({ ...call, target: `tool_${index}` })));
  await audit.close();
  assert.deepEqual(await verifyAudit(file), { ok: true, entries: 500, head: audit.head });
  assert.deepEqual(
    (await recordsIn(file)).map(({ target }) => target),
    Array.from({ length: 500 }, (_, index) => `tool_${index}`),
  );
});

test('entries of one turn are written together', async () => {
  const file = newFile();
  const audit = await openAudit({ file });
  const [first, ...others] = ['a', 'b', 'c'].map((target) => audit.add({ ...call, target }));
  await first;
  assert.equal(readFileSync(file, 'utf8').split('\n').length - 1, 3);
  await Promise.all(others);
});

test('a log is continued when it is opened again', async () => {
  const file = newFile();
  for (let round = 0; round < 3; round++) await written(file, 5);
  const audit = await openAudit({ file });
  const report = await verifyAudit(file);
  assert.deepEqual(report, { ok: true, entries: 15, head: audit.head });
});

test('a long log is continued after reading only its end', async () => {
  const file = newFile();
  const audit = await openAudit({ file });
  await Promise.all(Array.from({ length: 2_000 }, () => audit.add({ ...call, target: 'x'.repeat(400) })));
  await audit.close();
  const head = await written(file, 1);
  assert.deepEqual(await verifyAudit(file), { ok: true, entries: 2_001, head });
});

const WRITER = fileURLToPath(new URL('./fixtures/writer.ts', import.meta.url));

/** Starts a process that adds one entry after the other, and reports each written one. */
function writer(file: string, name: string, count: number): { child: ChildProcess; told: Promise<string[]> } {
  const child = spawn(process.execPath, [WRITER, file, name, String(count)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (out += text));
  return {
    child,
    told: new Promise((resolve) => child.once('close', () => resolve(out.split('\n').filter((line) => line !== '')))),
  };
}

test('a log verifies after two programs wrote two hundred entries each', async () => {
  const file = newFile();
  const told = await Promise.all(['a', 'b'].map((name) => writer(file, name, 200).told));
  assert.deepEqual(
    told.map(({ length }) => length),
    [200, 200],
  );
  const report = await verifyAudit(file);
  assert.ok(report.ok && report.entries === 400, JSON.stringify(report));
  const kept = (await recordsIn(file)).map(({ server, target }) => `${server} ${target}`);
  for (const [index, name] of ['a', 'b'].entries())
    assert.deepEqual(
      kept.filter((line) => line.startsWith(`${name} `)),
      told[index],
    );
  // Both use the same key.
  const digests = (await recordsIn(file))
    .filter(({ target }) => target === 'tool_7')
    .map((record) => record.argumentsDigest);
  assert.equal(digests[0], digests[1]);
});

test('acknowledged entries survive the kill of a program at any time, and others can continue the log', async () => {
  const file = newFile();
  const all: string[] = [];
  for (let round = 0; round < 4; round++) {
    const { child, told } = writer(file, `r${round}`, 10_000);
    await new Promise((resolve) => child.stdout!.once('data', resolve));
    await new Promise((resolve) => setTimeout(resolve, 5 * round));
    child.kill('SIGKILL');
    all.push(...(await told));
  }
  await written(file, 1);
  const report = await verifyAudit(file);
  assert.ok(report.ok, JSON.stringify(report));
  const kept = new Set((await recordsIn(file)).map(({ server, target }) => `${server} ${target}`));
  for (const line of all) assert.ok(kept.has(line), `${line} was told and is lost`);
});

test('a program can write one log file through two instances, one of them opened through a link', async () => {
  const [file, link] = [newFile(), newFile()];
  await writeFile(file, '');
  await symlink(file, link);
  const audits = await Promise.all([file, link].map((name) => openAudit({ file: name })));
  await Promise.all(audits.map((audit) => addAll(audit, 20)));
  const report = await verifyAudit(file);
  assert.ok(report.ok && report.entries === 40, JSON.stringify(report));
  assert.ok(audits.some(({ head }) => head === report.head));
});

test('a line that a crash cut off is moved to a file beside the log, and a note is added', async () => {
  const file = newFile();
  await written(file, 3);
  const whole = await readFile(file, 'utf8');
  // Also in the middle of a character.
  const part = Buffer.from('{"n":4,"at":"2026-01-02T00:00:00.000Z","target":"é').subarray(0, -1);
  await appendFile(file, part);
  assert.match(JSON.stringify(await verifyAudit(file)), /line 4 is cut off/);
  await written(file, 1);
  assert.ok((await readFile(file, 'utf8')).startsWith(whole));
  const [note, entry] = (await recordsIn(file)).slice(3);
  assert.equal(note!.act, 'audit');
  assert.match(note!.note!, new RegExp(`cut off after ${part.length} bytes.*kept in ${files}\\.jsonl\\.torn`));
  assert.equal(entry!.target, 'tool_0');
  assert.deepEqual(await readFile(`${file}.torn`), Buffer.concat([part, Buffer.from('\n')]));
  assert.equal((await verifyAudit(file)).ok, true);
});

test('a log can be continued wherever a crash cut off its last line', async () => {
  const file = newFile();
  await written(file, 2);
  const whole = await readFile(file);
  const last = whole.lastIndexOf('\n', whole.length - 2) + 1;
  for (const length of [last + 1, last + 4, last + 100, whole.length - 2]) {
    await writeFile(file, whole.subarray(0, length));
    await written(file, 1);
    const report = await verifyAudit(file);
    assert.ok(report.ok && report.entries === 3, JSON.stringify(report));
  }
  // A power loss may leave zeros.
  await writeFile(file, Buffer.concat([whole, Buffer.alloc(500)]));
  await written(file, 1);
  assert.equal((await verifyAudit(file)).ok, true);
});

test('a complete last line without a line break is kept', async () => {
  const file = newFile();
  const head = await written(file, 2);
  await truncate(file, (await stat(file)).size - 1);
  const audit = await openAudit({ file });
  assert.equal(audit.head, head);
  await audit.add(call);
  assert.deepEqual(await verifyAudit(file, { head }), { ok: true, entries: 3, head: audit.head });
});

test('a log whose end was changed is rejected and left unchanged', async () => {
  const file = newFile();
  await written(file, 3);
  const changed = (await readFile(file, 'utf8')).replace('tool_1', 'tool_9');
  await writeFile(file, changed);
  await assert.rejects(openAudit({ file }), /line 2 was changed.*move it away to begin a new log/);
  assert.equal(await readFile(file, 'utf8'), changed);
});

test('a file that is not a log is left unchanged', async () => {
  for (const text of ['Dear Ann,\nhow are you?\n', 'Dear Ann', 'x'.repeat(600_000), '{"n":1}\n', 'null\n', '\n']) {
    const file = newFile();
    await writeFile(file, text);
    await assert.rejects(openAudit({ file }), /cannot be continued/, text.slice(0, 20));
    assert.equal(await readFile(file, 'utf8'), text);
  }
});

test('a log that was changed while open is not continued', async () => {
  const file = newFile();
  const audit = await openAudit({ file });
  await addAll(audit, 3);
  await appendFile(file, '{"n":4,"target":"never happened"}\n');
  await assert.rejects(audit.add(call), /line 4 is not a line of an audit log/);
  await audit.close();
});

test('after an open log was moved away or truncated, a note says what was there', async () => {
  const file = newFile();
  const audit = await openAudit({ file });
  await addAll(audit, 3);
  const { head } = audit;
  await rename(file, `${file}.old`);
  await audit.add(call);
  const [note] = await recordsIn(file);
  assert.match(note!.note!, new RegExp(`lines are missing.*line 3 before, with the hash ${head}`));
  assert.equal((await verifyAudit(file)).ok, true);
  await writeFile(file, '');
  await audit.add(call);
  assert.match((await recordsIn(file))[0]!.note!, /lines are missing/);
  assert.equal((await verifyAudit(file)).ok, true);
});

test('a missing key is replaced, and a note is added', async () => {
  const file = newFile();
  await written(file, 1);
  await rm(`${file}.key`);
  await written(file, 1);
  assert.match((await recordsIn(file))[1]!.note!, /the key is new/);
  await writeFile(`${file}.key`, 'abc');
  await assert.rejects(openAudit({ file }), /does not contain a key.*Move it away/);
});

test('secrets and control characters are not written to the log, and texts are shortened', async () => {
  const file = newFile();
  const audit = await openAudit({ file, redact: (text) => text.replaceAll('Project X', '[ours]') });
  await audit.add({
    ...call,
    server: 'a'.repeat(10_000),
    target: 'https://ann:pw@example.com/?q=me Project X \u001b[2J\u202e',
    rule: `Bearer abcdefgh ${'é'.repeat(1_000_000)}`,
  });
  const [record] = await recordsIn(file);
  assert.equal(record!.target, String.raw`https://[redacted]@example.com/?q=[redacted] [ours] \u001b[2J\u202e`);
  assert.ok(record!.rule!.startsWith('Bearer [redacted] é') && record!.rule!.length === 500);
  assert.equal(record!.server!.length, 200);
});

test('closing waits for pending writes, and `add` rejects afterwards', async () => {
  const file = newFile();
  const audit = await openAudit({ file });
  const added = Promise.all([audit.add(call), audit.add(call)]);
  await audit.close();
  assert.equal((await recordsIn(file)).length, 2);
  await added;
  await assert.rejects(audit.add(call), /closed/);
});

test(
  '`add` rejects when an entry cannot be written, and the next entry can be',
  { skip: process.platform === 'win32' },
  async () => {
    const file = join(folder, 'lost', 'audit.jsonl');
    const audit = await openAudit({ file });
    await audit.add(call);
    await rename(join(folder, 'lost'), join(folder, 'found'));
    await writeFile(join(folder, 'lost'), 'in the way');
    await assert.rejects(audit.add(call), /ENOTDIR|EEXIST/);
    await rm(join(folder, 'lost'));
    await rename(join(folder, 'found'), join(folder, 'lost'));
    await audit.add(call);
    const report = await verifyAudit(file);
    assert.ok(report.ok && report.entries === 2, JSON.stringify(report));
  },
);

test('a log that is not UTF-8 is neither continued nor changed', async () => {
  const file = newFile();
  const audit = await openAudit({ file });
  await addAll(audit, 2);
  await audit.add({ ...call, target: 'a\ufffdb' });
  await audit.close();
  const bytes = Buffer.from((await readFile(file, 'utf8')).replaceAll('\ufffd', '\xff'), 'latin1');
  await writeFile(file, bytes);
  await assert.rejects(async () => {
    const again = await openAudit({ file });
    await again.add(call);
  });
  assert.deepEqual(await readFile(file), bytes);
});
