// The comparison of builds detects changes: each test records a copy of this build with one deliberate change, and the
// command must report what changed and where. The change is made around the build, so that it does not depend on the build's code.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { root } from './lib/files.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tenon-wire-test-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

const manifest = JSON.parse(readFileSync(join(root, 'packages/sdk/package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, { readonly default: string } | string>>;
};

/** A checkout with this SDK, and a change in the output of its HTTP server. `change` is the body of a module. */
function checkoutWith(name: string, change: string): string {
  const sdk = join(scratch, name, 'packages', 'sdk');
  mkdirSync(sdk, { recursive: true });
  const exports: Record<string, string> = {};
  for (const [entry, target] of Object.entries(manifest.exports)) {
    if (typeof target === 'string') continue;
    const file = `./${entry.replace(/\W/g, '')}.js`;
    const real = pathToFileURL(join(root, 'packages/sdk', target.default)).href;
    writeFileSync(join(sdk, file), `import './change.js';\nexport * from '${real}';\n`);
    exports[entry] = file;
  }
  writeFileSync(join(sdk, 'package.json'), JSON.stringify({ name: 'tenon', type: 'module', exports }));
  writeFileSync(
    join(sdk, 'change.js'),
    `import { ServerResponse } from 'node:http';\nconst { writeHead, write, end } = ServerResponse.prototype;\n${change}`,
  );
  return join(scratch, name);
}

interface Outcome {
  readonly status: number | null;
  readonly text: string;
}

/** Runs the command. `places`: the checkout or recording with the change, and the one without. */
function compare(places: readonly [changed: string, unchanged: string], ...more: string[]): Outcome {
  const [changed, unchanged] = places;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'scripts/wire-diff.ts'), unchanged, '--against', changed, ...more],
    { encoding: 'utf8' },
  );
  return { status, text: stdout + stderr };
}

/** Only HTTP over sockets, with few inputs. */
function only(...scenarios: readonly string[]): string[] {
  return ['http', ...scenarios].flatMap((name) => ['--only', name]);
}

const CHANGES: readonly (readonly [what: string, scenario: string, change: string, said: RegExp])[] = [
  [
    'status',
    'header fields',
    `ServerResponse.prototype.writeHead = function (status, ...more) {
       return writeHead.call(this, status === 406 ? 400 : status, ...more);
     };`,
    /header fields \/ accept is "text\/html" \(http, 2026-07-28\)\n.*\n {2}status: 406 → 400\n/,
  ],
  [
    'header',
    'methods and paths',
    `ServerResponse.prototype.writeHead = function (status, headers) {
       const changed = status === 405 ? headers.with(headers.indexOf('allow') + 1, 'POST') : headers;
       return writeHead.call(this, status, changed);
     };`,
    /methods and paths \/ PUT \(http, 2025-11-25\)\n.*\n {2}header: no more: allow: GET, POST, DELETE\n {2}header: new: allow: POST\n/,
  ],
  [
    'order of events',
    'meta',
    `const swap = (response, text) => {
       if (typeof text !== 'string' || response.swapped) return text;
       const events = text.split(/(?<=\\n\\n)/);
       const at = events.findIndex((event) => /"progressToken":"token","progress":1,/.test(event));
       if (response.held) events.splice(1, 0, response.held);
       else if (at === -1) return text;
       else if (at === events.length - 1) return (response.held = events.pop()), events.join('');
       else events.splice(at, 2, events[at + 1], events[at]);
       response.swapped = true;
       return events.join('');
     };
     ServerResponse.prototype.write = function (text, ...more) {
       const changed = swap(this, text);
       return changed === '' ? true : write.call(this, changed, ...more);
     };
     ServerResponse.prototype.end = function (text, ...more) {
       return end.call(this, swap(this, text), ...more);
     };`,
    /meta \/ progress token "token" \(http, 2025-06-18\)\n.*\n {2}frame order: /,
  ],
  [
    'member',
    'tools',
    `ServerResponse.prototype.end = function (body, ...more) {
       const changed = typeof body === 'string' ? body.replace('"structuredContent":{"sum":3}', '"structuredContent":{"sum":4}') : body;
       return end.call(this, changed, ...more);
     };`,
    /tools \/ call add 3: .* \(http, 2026-07-28\)\n.*\n {2}member: \/result\/structuredContent\/sum: 3 → 4\n/,
  ],
  [
    'missing event',
    'meta',
    `const leaveOut = (text) =>
       typeof text === 'string' ? text.split(/(?<=\\n\\n)/).filter((event) => !/"progress":2,/.test(event)).join('') : text;
     ServerResponse.prototype.write = function (text, ...more) {
       const changed = leaveOut(text);
       return changed === '' ? true : write.call(this, changed, ...more);
     };
     ServerResponse.prototype.end = function (text, ...more) {
       const changed = leaveOut(text);
       // The length that a whole response has named before.
       if (changed !== text) this._header = this._header.replace(/content-length: \\d+/, 'content-length: ' + changed.length);
       return end.call(this, changed, ...more);
     };`,
    /meta \/ progress token 17 \(http, 2026-07-28\)\n.*\n(?: {2}header: .*\n)* {2}frame count: 4 → 3\n {2}frame count: no more: .*"progress":2,/,
  ],
];

interface Comparison extends Outcome {
  /** The recording with the change, and the one without. */
  readonly recordings: readonly [changed: string, unchanged: string];
}

/** Each recording takes seconds, so it is made only once. */
const made = new Map<string, Comparison>();

/** Compares an unchanged build with this one. */
function unchanged(): Comparison {
  return recorded('unchanged', '', root, [...new Set(CHANGES.map(([, scenario]) => scenario))]);
}

/** Compares a build with this change with the recording of the unchanged one. */
function changed([what, scenario, change]: (typeof CHANGES)[number]): Comparison {
  return recorded(what.replaceAll(' ', '-'), change, unchanged().recordings[1], [scenario]);
}

function recorded(name: string, change: string, other: string, scenarios: readonly string[]): Comparison {
  const known = made.get(name);
  if (known !== undefined) return known;
  const folder = checkoutWith(name, change);
  const kept = join(folder, 'kept');
  const outcome = compare([folder, other], ...only(...scenarios), '--most', '2000', '--keep', kept);
  const comparison: Comparison = {
    ...outcome,
    recordings: [join(kept, 'now.json'), other === root ? join(kept, 'before.json') : other],
  };
  made.set(name, comparison);
  return comparison;
}

test('the same build has no differences', () => {
  const { status, text } = unchanged();
  assert.match(text, /\n0 differences, 0 expected ones\n/);
  assert.equal(status, 0);
});

for (const row of CHANGES) {
  const [what, , , said] = row;
  test(`a changed ${what} is found`, () => {
    const { status, text } = changed(row);
    assert.match(text, said);
    assert.equal(status, 1);
  });
}

test('expected differences are reported as such, and others still fail', () => {
  const { recordings } = changed(CHANGES[0]!);
  const file = join(scratch, 'expected.json');
  const judge = (...entries: object[]): Outcome => {
    writeFileSync(file, JSON.stringify(entries));
    return compare(recordings, ...only(CHANGES[0]![1]), '--expect', file);
  };
  const all = { input: '*', kinds: ['status'], details: '406 → 400', reason: 'A test changes it' };
  const meant = judge(all);
  assert.match(meant.text, /expected: \d+ × \*: A test changes it/);
  assert.equal(meant.status, 0, meant.text);

  assert.equal(judge({ ...all, revisions: ['2026-07-28'] }).status, 1);

  const stale = judge(all, { input: 'nothing like that', reason: 'out of date' });
  assert.match(stale.text, /Nothing differs in 'nothing like that'/);
  assert.equal(stale.status, 1);
});
