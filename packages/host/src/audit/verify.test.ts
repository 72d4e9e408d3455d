import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { openAudit } from './audit.ts';
import { chain, factsOf, lineOf, START } from './record.ts';
import { verifyAudit } from './verify.ts';

const folder = await mkdtemp(join(tmpdir(), 'tenon-verify-'));
after(() => rm(folder, { recursive: true, force: true }));
const file = join(folder, 'audit.jsonl');

function factsFor(count: number, target = 'tool') {
  return Array.from({ length: count }, (_, index) =>
    factsOf({ requestedBy: 'model', act: 'call', target: `${target}_${index}` }, 0, undefined),
  );
}
const records = chain(START, factsFor(6));
const lines = records.map(lineOf);

async function problemOf(text: string, head?: string): Promise<string> {
  await writeFile(file, text);
  const report = await verifyAudit(file, head === undefined ? {} : { head });
  if (report.ok) return 'ok';
  assert.ok(report.problem.startsWith(`line ${report.line} `));
  return report.problem;
}

test('an unchanged log verifies, and so does an empty one', async () => {
  await writeFile(file, lines.join(''));
  assert.deepEqual(await verifyAudit(file), { ok: true, entries: 6, head: records[5]!.hash });
  await writeFile(file, '');
  assert.deepEqual(await verifyAudit(file, { head: START.hash }), { ok: true, entries: 0, head: START.hash });
});

test('a changed line is found', async () => {
  assert.match(await problemOf(lines.join('').replace('tool_2', 'tool_7')), /^line 3 was changed: its hash/);
});

test('a line that was changed together with its hash is detected by the next line', async () => {
  const changed = chain(records[1]!, factsFor(1, 'other')).map(lineOf);
  assert.match(
    await problemOf(lines.with(2, changed[0]!).join('')),
    /^line 4 does not follow: the line before it was changed/,
  );
});

test('removed lines are detected and named', async () => {
  assert.match(await problemOf(lines.toSpliced(2, 1).join('')), /^line 3 does not follow: .*so line 3 was removed/);
  assert.match(
    await problemOf(lines.toSpliced(1, 3).join('')),
    /^line 2 does not follow: .*so lines 2 to 4 were removed/,
  );
  assert.match(await problemOf(lines.slice(1).join('')), /^line 1 does not follow: .*so line 1 was removed/);
});

test('inserted, repeated and reordered lines are found', async () => {
  assert.match(
    await problemOf(lines.toSpliced(3, 0, lines[1]!).join('')),
    /^line 4 .*it is numbered 2, so it was inserted/,
  );
  const forged = lineOf(chain(records[2]!, factsFor(1, 'forged'))[0]!);
  assert.match(
    await problemOf(lines.toSpliced(3, 0, forged).join('')),
    /^line 5 .*it is numbered 4, so it was inserted/,
  );
  assert.match(await problemOf([lines[0]!, lines[2]!, lines[1]!].join('')), /^line 2 .*reordered/);
});

test('a removed end is detected if a head is known', async () => {
  const { hash } = records[5]!;
  assert.equal(await problemOf(lines.slice(0, 4).join('')), 'ok');
  assert.match(await problemOf(lines.slice(0, 4).join(''), hash), /^line 5 and what comes after is missing: the head/);
  assert.equal(await problemOf(lines.join(''), hash), 'ok');
});

test('a log that grew since a known head verifies, and a rewritten one does not', async () => {
  assert.equal(await problemOf(lines.join(''), records[2]!.hash), 'ok');
  const anew = chain(START, factsFor(8, 'anew')).map(lineOf);
  assert.match(await problemOf(anew.join(''), records[5]!.hash), /belongs to none of the 8 existing lines/);
});

test('a line that other JSON parsers may read differently is detected', async () => {
  const twice = lines[1]!.replace('"target"', '"target":"good","target"');
  assert.match(await problemOf(lines.with(1, twice).join('')), /^line 2 was changed: it is not formatted as/);
  assert.match(await problemOf(lines.with(1, ` ${lines[1]}`).join('')), /^line 2 was changed: it is not formatted as/);
  assert.match(await problemOf(lines.toSpliced(1, 0, '\n').join('')), /^line 2 was changed: it is not JSON/);
});

test('foreign lines, empty lines and an unfinished line are reported', async () => {
  assert.match(await problemOf('Dear Ann\n'), /^line 1 was changed: it is not JSON/);
  for (const text of ['{}', 'null', '[]', '7', '{"n":1,"prev":2,"hash":3}'])
    assert.match(await problemOf(`${text}\n`), /^line 1 is not a line of an audit log/);
  assert.match(await problemOf(`{"a":${'['.repeat(16_000)}\n`), /^line 1 was changed/);
  assert.match(await problemOf(`${lines[0]}${'x'.repeat(1_000_000)}`), /^line 2 is longer than the log writes/);
  assert.match(await problemOf(`${lines[0]}Dear Ann`), /^line 2 is not a line of an audit log/);
  await assert.rejects(verifyAudit(join(folder, 'none.jsonl')), /ENOENT/);
});

test('a last line that a crash cut off is told from a change, unless more than it is missing', async () => {
  const whole = lines.join('');
  const codeOf = async (text: string, head?: string) => {
    await writeFile(file, text);
    const report = await verifyAudit(file, { head });
    return report.ok ? 'ok' : [report.code, report.line];
  };
  for (const text of [whole.slice(0, -5), whole.slice(0, -1), `${lines.slice(0, 5).join('')}{"n":\0\0`]) {
    assert.deepEqual(await codeOf(text), ['cut-off', 6]);
    assert.deepEqual(await codeOf(text, records[4]!.hash), ['cut-off', 6]);
    assert.deepEqual(await codeOf(text, records[5]!.hash), ['changed', 6]);
  }
  assert.deepEqual(await codeOf(whole.replace('tool_2', 'tool_7').slice(0, -5)), ['changed', 3]);
  assert.deepEqual(await codeOf(`${whole}Dear`), ['changed', 7]);
});

test('any change of any character is found', async () => {
  const text = lines.join('');
  await fc.assert(
    fc.asyncProperty(fc.nat(text.length - 2), fc.constantFrom('x', '0', '"', '\n', ' ', ''), async (at, sign) => {
      fc.pre(text[at] !== sign);
      const changed = text.slice(0, at) + sign + text.slice(at + 1);
      assert.notEqual(await problemOf(changed, records[5]!.hash), 'ok');
    }),
    { numRuns: 300 },
  );
});

test('a line that is still being written is waited for', async () => {
  await writeFile(file, lines.slice(0, 2).join('') + lines[2]!.slice(0, 50));
  const report = verifyAudit(file);
  setTimeout(() => appendFileSync(file, lines[2]!.slice(50)), 50);
  assert.deepEqual(await report, { ok: true, entries: 3, head: records[2]!.hash });
});

test('a large log is verified in chunks', async () => {
  const large = join(folder, 'large.jsonl');
  const audit = await openAudit({ file: large });
  await Promise.all(
    Array.from({ length: 5_000 }, () => audit.add({ requestedBy: 'model', act: 'call', target: 'é'.repeat(300) })),
  );
  await audit.close();
  assert.deepEqual(await verifyAudit(large), { ok: true, entries: 5_000, head: audit.head });
});

test('bytes that are not UTF-8 are found, also where a lenient reader sees the same text', async () => {
  const named = chain(START, factsFor(3, 'a\ufffdb')).map(lineOf).join('');
  assert.equal(await problemOf(named), 'ok');
  await writeFile(file, Buffer.from(named.replaceAll('\ufffd', '\xff'), 'latin1'));
  const report = await verifyAudit(file);
  assert.equal(report.ok, false);
  // A byte order mark that the log did not contain is a change as well.
  assert.notEqual(await problemOf(`\ufeff${named}`), 'ok');
});
