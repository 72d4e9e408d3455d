import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { CutLine, LanesAnswer, TraceAnswer } from '../api/views.ts';
import type { TraceLine } from '../trace/line.ts';
import { type Opened, openWeb } from './fixtures/web-client.ts';

let opened: Opened;

function json(value: object): string {
  return JSON.stringify({ jsonrpc: '2.0', ...value });
}
function append(line: Partial<TraceLine> & { text: string }): TraceLine {
  return opened.fake.store.append({ session: 'a#1', kind: 'message', from: 'client', ...line });
}

before(async () => {
  opened = await openWeb();
  append({
    kind: 'session',
    text: 'Weather: node weather.js',
    about: { name: 'Weather', transport: 'stdio', target: 'node weather.js', recorder: 'client' },
    at: 0,
  });
  for (let i = 0; i < 1_000; i++) {
    const id = i + 1;
    append({
      text: json({ id, method: i % 2 === 0 ? 'tools/call' : 'ping', params: { name: 'add' } }),
      at: 10 * i + 1,
    });
    append({ from: 'server', text: json({ id, result: { n: `needle-${i}` } }), at: 10 * i + 1 + (i % 7) });
  }
});
after(() => opened.end());

async function get<T>(path: string): Promise<T> {
  const { status, text } = await opened.get(path);
  assert.equal(status, 200, text);
  return JSON.parse(text) as T;
}

function rowsOf(query: Record<string, string | number>): Promise<TraceAnswer> {
  return get(`/api/trace?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`);
}

test('rows are selected by index, from the beginning or from the end', async () => {
  const first = await rowsOf({ from: 0, count: 3 });
  assert.deepEqual(
    [first.length, first.matches, first.from, first.rows.map(({ n }) => n)],
    [2_001, 2_001, 0, [1, 2, 3]],
  );
  assert.equal(first.rows[1]!.method, 'tools/call');
  assert.equal(first.rows[1]!.outcome, 'ok');
  const last = await rowsOf({ from: -200 });
  assert.equal(last.from, 1_801);
  assert.equal(last.rows.length, 200);
  assert.equal(last.rows.at(-1)!.n, 2_001);
  assert.deepEqual(
    (await rowsOf({ from: -5_000, count: 2 })).rows.map(({ n }) => n),
    [1, 2],
  );
  assert.deepEqual((await rowsOf({ from: 5_000, count: 2 })).rows, []);
});

test('rows of a filter are selected by their index among the matches', async () => {
  const calls = await rowsOf({ filter: 'method:tools/call message:request', from: 498, count: 10 });
  assert.equal(calls.matches, 500);
  assert.deepEqual(
    calls.rows.map(({ n }) => n),
    [1_994, 1_998],
  );
  const named = await rowsOf({ filter: 'server:Weather needle-999' });
  assert.deepEqual(
    named.rows.map(({ n, text }) => [n, JSON.parse(text).result.n]),
    [[2_001, 'needle-999']],
  );
  assert.equal((await rowsOf({ filter: 'server:Other' })).matches, 0);
});

test('an invalid filter is reported, and matches nothing', async () => {
  const { problem, rows, matches, length } = await rowsOf({ filter: 'ms:fast' });
  assert.match(problem!, /^Character 4: ms: needs a number/);
  assert.deepEqual([rows, matches, length], [[], 0, 2_001]);
});

test('query parameters have limits', async () => {
  for (const query of ['count=501', 'count=-1', 'from=x', 'from=1.5', 'count=1e9', 'from=99999999999'])
    assert.equal((await opened.get(`/api/trace?${query}`)).status, 400, query);
  for (const query of ['', 'n=', 'n=a', 'n=1,,2', `n=${Array(101).fill(1).join(',')}`, 'n=-1'])
    assert.equal((await opened.get(`/api/trace/lines?${query}`)).status, 400, query);
  for (const query of ['buckets=0', 'buckets=2001', 'from=-1', 'buckets=1.5'])
    assert.equal((await opened.get(`/api/trace/lanes?${query}`)).status, 400, query);
});

test('whole lines come in the requested order; missing lines are left out', async () => {
  const { lines } = await get<{ lines: CutLine[] }>('/api/trace/lines?n=3,1,99999,2');
  assert.deepEqual(
    lines.map(({ n }) => n),
    [3, 1, 2],
  );
  assert.deepEqual(lines[0], opened.fake.store.read(3, 3)[0]);
});

test('the lanes have the activity of each session, and its longest requests', async () => {
  const { from, to, lanes } = await get<LanesAnswer>('/api/trace/lanes?from=0&to=10000&buckets=10');
  assert.deepEqual([from, to], [0, 10_000]);
  const [lane] = lanes;
  assert.deepEqual([lanes.length, lane!.session, lane!.name], [1, 'a#1', 'Weather']);
  assert.deepEqual(lane!.counts, [201, ...Array<number>(9).fill(200)]);
  assert.deepEqual([lane!.spans.length, lane!.requests], [500, 1_000]);
  const drawn = new Set(lane!.spans.map(({ n }) => n));
  // Four begin in each slice: the two longest are drawn.
  const lasted = [0, 1, 2, 3].map((i) => i % 7);
  assert.deepEqual(
    lasted.filter((_, i) => drawn.has(2 + 2 * i)),
    [2, 3],
  );
  const part = await get<LanesAnswer>('/api/trace/lanes?from=100&to=199&buckets=1');
  assert.deepEqual(part.lanes[0]!.counts, [20]);
  const { spans } = part.lanes[0]!;
  assert.equal(spans.length, 10);
  assert.ok(spans.every(({ at }) => at >= 100 && at <= 199));
});

test('the lanes of more than a hundred sessions are counted together', async (t) => {
  const own = await openWeb();
  t.after(() => own.end());
  for (let i = 0; i < 130; i++) own.fake.store.append({ session: `s${i}`, kind: 'note', text: 'x', at: i });
  const answer = JSON.parse((await own.get('/api/trace/lanes?buckets=1')).text) as LanesAnswer;
  assert.equal(answer.lanes.length, 101);
  assert.deepEqual([answer.lanes[100]!.name, answer.lanes[100]!.counts], ['30 more sessions', [30]]);
});

test('a request that is not answered is among the longest', async (t) => {
  const own = await openWeb();
  t.after(() => own.end());
  const { store } = own.fake;
  store.append({ session: 's', kind: 'message', from: 'client', text: json({ id: 0, method: 'hangs' }), at: 1 });
  for (let i = 1; i <= 1_500; i++) {
    store.append({ session: 's', kind: 'message', from: 'client', text: json({ id: i, method: 'x' }), at: i });
    store.append({ session: 's', kind: 'message', from: 'server', text: json({ id: i, result: {} }), at: i + 0.5 });
  }
  const { lanes } = JSON.parse((await own.get('/api/trace/lanes')).text) as LanesAnswer;
  assert.equal(lanes[0]!.spans[0]!.method, 'hangs');
  assert.deepEqual([lanes[0]!.spans[0]!.outcome, lanes[0]!.spans[0]!.ms], ['pending', undefined]);
});

test('if all requests last equally long, the drawn ones are spread over the period', async (t) => {
  const own = await openWeb();
  t.after(() => own.end());
  const { store } = own.fake;
  for (let i = 0; i < 7_000; i++) {
    store.append({ session: 's', kind: 'message', from: 'client', text: json({ id: i, method: 'x' }), at: 10 * i });
    store.append({ session: 's', kind: 'message', from: 'server', text: json({ id: i, result: {} }), at: 10 * i + 1 });
  }
  const read = async (query: string): Promise<readonly number[]> => {
    const { lanes } = JSON.parse((await own.get(`/api/trace/lanes?${query}`)).text) as LanesAnswer;
    const tenths = Array.from({ length: 10 }, () => 0);
    for (const { at } of lanes[0]!.spans) tenths[Math.min(9, Math.floor(at / 7_000))]!++;
    assert.equal(lanes[0]!.requests, 7_000);
    return tenths;
  };
  for (const query of ['buckets=240', 'buckets=1', 'buckets=2000'])
    assert.ok(
      (await read(query)).every((many) => many >= 49 && many <= 52),
      query,
    );
});

test('the trace can be downloaded, up to the newest line', async () => {
  const { text } = append({ kind: 'note', text: 'the newest' });
  const answer = await opened.get('/api/trace/file', { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-disposition'], 'attachment; filename="a_trace__of__tests.mcptrace"');
  assert.equal(answer.text, readFileSync(opened.fake.store.file, 'utf8'));
  assert.ok(answer.text.endsWith(`"text":"${text}"}\n`));
});

test('a missing trace file is reported as such', async (t) => {
  const own = await openWeb();
  t.after(() => own.end());
  rmSync(own.fake.store.file);
  const { status, text } = await own.get('/api/trace/file');
  assert.equal(status, 502);
  assert.match(text, /The file of the trace cannot be read/);
});

test('long lines are previewed, and marked as cut if they are too long to send', async (t) => {
  const own = await openWeb();
  t.after(() => own.end());
  const { store } = own.fake;
  const sizes = [10, 6_000_000, 3_000_000, 20];
  for (const size of sizes) store.append({ session: 's', kind: 'stderr', text: 'é'.repeat(size) });
  for (let again = 0; again < 2; again++) {
    const { rows } = JSON.parse((await own.get('/api/trace')).text) as TraceAnswer;
    assert.deepEqual(
      rows.map(({ text, size }) => [text.length, size]),
      [
        [10, 10],
        [300, 6_000_000],
        [300, 3_000_000],
        [20, 20],
      ],
    );
  }
  const answer = await own.get('/api/trace/lines?n=1,2,3,4');
  const { lines } = JSON.parse(answer.text) as { lines: CutLine[] };
  assert.deepEqual(
    lines.map(({ cut }) => cut),
    [undefined, 6_000_000, 3_000_000, undefined],
  );
  assert.ok(lines[1]!.text.length > 4_000_000);
  assert.equal(lines[2]!.text.length, 2_000);
  assert.ok(lines.reduce((sum, { text }) => sum + text.length, 0) <= 4 * 1024 * 1024);
});

test('a long search does not block other requests, and reports its matches so far', async (t) => {
  const own = await openWeb();
  t.after(() => own.end());
  const { store } = own.fake;
  const text = 'abcdefghij '.repeat(2_000);
  for (let i = 0; i < 8_000; i++)
    store.append({ session: 's', kind: 'stderr', text: i % 1_000 === 0 ? `${text}needle` : text });
  // CPU time of this thread per turn of the event loop, which other work on this machine does not increase.
  let longest = 0;
  let last = process.threadCpuUsage();
  const watch = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1_000);
    last = process.threadCpuUsage();
  }, 1);
  const seen: number[] = [];
  let answer: TraceAnswer;
  do {
    answer = JSON.parse((await own.get('/api/trace?filter=text:needle&count=0')).text) as TraceAnswer;
    seen.push(answer.searched ?? answer.length);
  } while (answer.searched !== undefined);
  clearInterval(watch);
  assert.equal(answer.matches, 8);
  assert.deepEqual(
    seen,
    [...seen].sort((a, b) => a - b),
  );
  assert.ok(longest < 100, `it was blocked for ${longest} ms`);
});
