import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { withinCpuMsAsync } from '../../../../../scripts/lib/cpu-time.ts';
import { formatHead, formatLine } from '../format.ts';
import type { TraceLine } from '../line.ts';
import { openTrace, type Trace } from './open-trace.ts';
import { createTraceWriter } from './trace-writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-trace-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const HEAD = formatHead({ mcptrace: 1, began: '2026-11-21T15:00:00.000Z', by: 'a test' });

function line(n: number, more: Partial<TraceLine> = {}): string {
  return formatLine({ n, at: n, session: 's', kind: 'note', text: `line ${n}`, ...more });
}

let count = 0;
function fileOf(content: string | Buffer): string {
  const file = join(folder, `${++count}.mcptrace`);
  writeFileSync(file, content);
  return file;
}

/** Opens a trace, inspects it when all of it is indexed, and closes it. */
async function looked<T>(content: string | Buffer, look: (trace: Trace) => T): Promise<T> {
  const trace = await openTrace(fileOf(content));
  try {
    await trace.indexed;
    return look(trace);
  } finally {
    await trace.close();
  }
}

function texts(trace: Trace): string[] {
  return trace.read(1, trace.length).map(({ text }) => text);
}
function problemTexts(trace: Trace): string[] {
  return trace.problems.map(({ kind, n, message }) => `${kind} ${n}: ${message}`);
}

async function refusal(content: string): Promise<string> {
  try {
    await (await openTrace(fileOf(content))).close();
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`;
  }
  return 'opened';
}

test('a trace is read line by line, and its facts are those of its messages', async () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add' } };
  const content = [
    HEAD,
    line(1, { kind: 'message', from: 'client', text: JSON.stringify(call) }),
    line(2, { kind: 'message', from: 'server', text: '{"jsonrpc":"2.0","id":1,"result":{"isError":true}}' }),
    '',
  ].join('\n');
  await looked(content, (trace) => {
    assert.equal(trace.head.by, 'a test');
    assert.equal(trace.length, 2);
    assert.equal(trace.read(1, 1)[0]!.text, JSON.stringify(call));
    assert.equal(trace.raw(1), content.split('\n')[1]);
    assert.deepEqual(trace.read(0, 99).length, 2);
    assert.deepEqual(trace.read(3, 9), []);
    assert.equal(trace.raw(3), undefined);
    const { outcome, pair, subject } = trace.index.at(1)!;
    assert.deepEqual({ outcome, pair, subject }, { outcome: 'tool-error', pair: 2, subject: 'add' });
    assert.deepEqual(problemTexts(trace), []);
  });
});

test('lines can be read before they are indexed', async () => {
  const trace = await openTrace(fileOf([HEAD, line(1), line(2, { cause: 1 })].join('\n')));
  assert.equal(trace.index.length, 0);
  assert.equal(trace.read(2, 2)[0]!.cause, 1);
  await trace.close();
});

test('a last line cut by a crash keeps its place, with the rest of its text', async () => {
  await looked([HEAD, line(1), line(2).slice(0, 30)].join('\n'), (trace) => {
    assert.equal(trace.length, 2);
    const [, cut] = trace.read(1, 2);
    assert.equal(cut!.kind, 'lost');
    assert.ok(cut!.text.endsWith(line(2).slice(0, 30)), cut!.text);
    assert.equal(cut!.at, 1);
    assert.deepEqual(problemTexts(trace), [
      'cut 2: The last line is cut: its recorder was killed, or is still writing',
    ]);
  });
});

test('a complete last line needs no line break', async () => {
  await looked([HEAD, line(1)].join('\n'), (trace) => {
    assert.deepEqual([texts(trace), problemTexts(trace)], [['line 1'], []]);
  });
});

test('a damaged line in the middle is reported, keeps its place, and affects no other line', async () => {
  await looked([HEAD, line(1), '\u0000\u0001{"n', line(3, { cause: 1 }), '{"n":4}', ''].join('\n'), (trace) => {
    assert.deepEqual(
      trace.read(1, 4).map(({ n, kind }) => `${n} ${kind}`),
      ['1 note', '2 lost', '3 note', '4 lost'],
    );
    assert.equal(trace.read(3, 3)[0]!.cause, 1);
    assert.deepEqual(problemTexts(trace), ['damaged 2: The line is not JSON', 'damaged 4: The line has no at']);
    assert.equal(trace.index.length, 4);
  });
});

test('line breaks of Windows, empty lines and a byte order mark change nothing', async () => {
  await looked(`\ufeff${HEAD}\r\n${line(1)}\r\n\r\n\n${line(2, { text: 'ends in\r' })}\r\n`, (trace) => {
    assert.deepEqual([texts(trace), problemTexts(trace)], [['line 1', 'ends in\r'], []]);
  });
});

test('if lines were removed, the others and their citations are identified by position', async () => {
  await looked([HEAD, line(1), line(5), line(6, { cause: 5 }), line(7, { cause: 3 })].join('\n'), (trace) => {
    assert.deepEqual(
      trace.read(1, 9).map(({ n, cause }) => [n, cause]),
      [
        [1, undefined],
        [2, undefined],
        [3, 2],
        [4, undefined],
      ],
    );
    assert.deepEqual(
      trace.index.all.map(({ n, cause }) => [n, cause]),
      [
        [1, undefined],
        [2, undefined],
        [3, 2],
        [4, undefined],
      ],
    );
    assert.deepEqual(problemTexts(trace), ['numbering 2: Line 2 says it is line 5: lines are missing before it']);
  });
});

test('two traces put together are read as one, each citing itself', async () => {
  const half = (text: string): string[] => [HEAD, line(1, { text }), line(2, { cause: 1, text })];
  await looked([...half('a'), ...half('b')].join('\n'), (trace) => {
    assert.deepEqual(
      trace.read(1, 9).map(({ n, cause, kind }) => [n, kind, cause]),
      [
        [1, 'note', undefined],
        [2, 'note', 1],
        [3, 'lost', undefined],
        [4, 'note', undefined],
        [5, 'note', 4],
      ],
    );
    assert.deepEqual(problemTexts(trace), [
      'damaged 3: The line is the head of another trace',
      'numbering 4: Line 4 says it is line 1: it was put here from somewhere else',
      'time 4: Line 4 is earlier than the line before it',
    ]);
  });
});

test('a file that is not a trace, is newer or does not exist is rejected with the reason', async () => {
  assert.match(await refusal(''), /^empty: .* is empty: its recorder ended before it wrote anything$/);
  assert.match(await refusal('hello\n'), /^not-a-trace/);
  assert.match(await refusal('{"mcptrace":99,"began":"2026-11-21T15:00:00.000Z","by":"x"}'), /^newer/);
  assert.match(await refusal(Buffer.from(HEAD, 'utf16le').toString('latin1')), /^not-a-trace/);
  await assert.rejects(openTrace(join(folder, 'nothing')), { code: 'unreadable', message: /^There is no trace/ });
  await assert.rejects(openTrace(folder), { code: 'unreadable' });
});

test('random bytes result in problems', async () => {
  let seed = 7;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647);
  for (let round = 0; round < 50; round++) {
    const noise = Buffer.alloc(2_000, 0).map(() => (random() % 20 === 0 ? 10 : random() % 256));
    await looked(Buffer.concat([Buffer.from(`${HEAD}\n${line(1)}\n`), noise]), (trace) => {
      assert.equal(trace.read(1, trace.length).length, trace.length);
      assert.equal(trace.index.length, trace.length);
      assert.ok(trace.problems.length > 0);
    });
  }
});

test('a line over the limit is reported and not read; its neighbours are read', async () => {
  const long = line(1, { text: 'x'.repeat(64 * 1024 * 1024) });
  await looked([HEAD, long, line(2), ''].join('\n'), (trace) => {
    const [lost, next] = trace.read(1, 2);
    assert.equal(lost!.kind, 'lost');
    assert.ok(lost!.text.length < 5_000);
    assert.equal(next!.text, 'line 2');
    assert.deepEqual(problemTexts(trace), ['too-long 1: The line is longer than 67108864 bytes']);
  });
});

test('at most a thousand problems are kept', async () => {
  await looked([HEAD, ...Array.from({ length: 1_500 }, () => 'x')].join('\n'), (trace) => {
    assert.equal(trace.problems.length, 1_000);
    assert.equal(trace.moreProblems, 500);
  });
});

test('100 MB open before their facts are known: length, first and last line; the facts come in slices', async () => {
  const file = join(folder, 'big.mcptrace');
  const writer = createTraceWriter(file, 'a test');
  let id = 0;
  const pad = 'x'.repeat(200);
  while (writer.end < 100 * 1024 * 1024) {
    const text = `{"jsonrpc":"2.0","id":${++id},"method":"tools/call","params":{"name":"t","arguments":{"pad":"${pad}"}}}`;
    writer.append({ session: 's', kind: 'message', from: 'client', text });
  }
  writer.close();
  assert.ok(statSync(file).size >= 100 * 1024 * 1024);

  let told = 0;
  const trace = await withinCpuMsAsync(5_000, () => openTrace(file, { onProgress: () => told++ }));
  assert.equal(trace.length, id);
  assert.equal(trace.read(1, 1)[0]!.n, 1);
  assert.equal(trace.read(id, id)[0]!.n, id);
  assert.ok(trace.index.length < id, 'the facts come later');

  await trace.indexed;
  assert.ok(told > 10, `${told} slices`);
  assert.equal(trace.index.at(id)!.method, 'tools/call');
  await trace.close();
  rmSync(file);
});

test('a trace may be closed while its facts are read', async () => {
  const many = Array.from({ length: 50_000 }, (_, at) => line(at + 1));
  const trace = await openTrace(fileOf([HEAD, ...many].join('\n')));
  await trace.close();
  await trace.close();
  assert.ok(trace.index.length < 50_000);
  assert.throws(() => trace.read(1, 1), /is closed/);
});

test('a line that is not UTF-8 is `lost`, and the lines around it are unchanged', async () => {
  const good = [HEAD, line(1), line(2, { text: 'b\u00ff' }), line(3), ''].join('\n');
  const found = await looked(Buffer.from(good, 'latin1'), (trace) => ({
    kinds: trace.read(1, trace.length).map(({ kind }) => kind),
    texts: texts(trace),
    problems: problemTexts(trace),
  }));
  assert.deepEqual(found.kinds, ['note', 'lost', 'note']);
  assert.match(found.texts[1]!, /^The line is not UTF-8: /);
  assert.equal(found.problems.length, 1);
  assert.match(found.problems[0]!, /2: .*UTF-8/);
});
