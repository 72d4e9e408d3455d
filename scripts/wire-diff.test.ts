// The comparison of builds finds what it is for: each test records a copy of this build in which one thing was changed on purpose, and the
// command has to say what and where. The change is made around the build, so that it stays the same however the build is written.

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

/** A checkout whose SDK is this one's, with a change in what its HTTP server writes. `change` is the body of a module. */
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

/** Compares this build with another one, on HTTP over sockets, with few of the inputs. */
function compare(folder: string, ...more: string[]): Outcome {
  const only = ['http', 'tools', 'meta', 'header fields', 'methods and paths'].flatMap((name) => ['--only', name]);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'scripts/wire-diff.ts'), root, '--against', folder, ...only, ...more],
    { encoding: 'utf8' },
  );
  return { status, text: stdout + stderr };
}

const CHANGES: readonly (readonly [what: string, change: string, said: RegExp])[] = [
  [
    'status',
    `ServerResponse.prototype.writeHead = function (status, ...more) {
       return writeHead.call(this, status === 406 ? 400 : status, ...more);
     };`,
    /header fields \/ accept is "text\/html" \(http, 2026-07-28\)\n.*\n {2}status: 406 → 400\n/,
  ],
  [
    'header',
    `ServerResponse.prototype.writeHead = function (status, headers) {
       const changed = status === 405 ? { ...headers, allow: 'POST' } : headers;
       return writeHead.call(this, status, changed);
     };`,
    /methods and paths \/ PUT \(http, 2025-11-25\)\n.*\n {2}header: no more: allow: GET, POST, DELETE\n {2}header: new: allow: POST\n/,
  ],
  [
    'order of events',
    `ServerResponse.prototype.write = function (text, ...more) {
       if (/"progressToken":"token","progress":1,/.test(text) && this.held === undefined) return ((this.held = text), true);
       const written = write.call(this, text, ...more);
       if (this.held) write.call(this, this.held);
       this.held &&= '';
       return written;
     };`,
    /meta \/ progress token "token" \(http, 2025-06-18\)\n.*\n {2}frame order: /,
  ],
  [
    'member',
    `ServerResponse.prototype.end = function (body, ...more) {
       const changed = typeof body === 'string' ? body.replace('"structuredContent":{"sum":3}', '"structuredContent":{"sum":4}') : body;
       return end.call(this, changed, ...more);
     };`,
    /tools \/ call add 3: .* \(http, 2026-07-28\)\n.*\n {2}member: \/result\/structuredContent\/sum: 3 → 4\n/,
  ],
  [
    'missing event',
    `ServerResponse.prototype.write = function (text, ...more) {
       return /"progress":2,/.test(text) ? true : write.call(this, text, ...more);
     };`,
    /meta \/ progress token 17 \(http, 2026-07-28\)\n.*\n {2}frame count: 4 → 3\n {2}frame count: no more: .*"progress":2,/,
  ],
];

for (const [what, change, said] of CHANGES) {
  test(`a changed ${what} is found`, () => {
    const { status, text } = compare(checkoutWith(what.replaceAll(' ', '-'), change), '--most', '2000');
    assert.match(text, said);
    assert.equal(status, 1);
  });
}

test('the same build says the same', () => {
  const { status, text } = compare(checkoutWith('same', ''));
  assert.match(text, /\n0 differences, 0 expected ones\n/);
  assert.equal(status, 0);
});

test('differences that are expected are named, and others still fail', () => {
  const folder = checkoutWith('expected', CHANGES[0]![1]);
  const file = join(scratch, 'expected.json');
  const all = { input: '*', kinds: ['status'], details: '406 → 400', reason: 'A test changes it' };
  writeFileSync(file, JSON.stringify([all]));
  const meant = compare(folder, '--expect', file);
  assert.match(meant.text, /expected: \d+ × \*: A test changes it/);
  assert.equal(meant.status, 0, meant.text);

  writeFileSync(file, JSON.stringify([{ ...all, revisions: ['2026-07-28'] }]));
  assert.equal(compare(folder, '--expect', file).status, 1);

  writeFileSync(file, JSON.stringify([all, { input: 'nothing like that', reason: 'out of date' }]));
  const stale = compare(folder, '--expect', file);
  assert.match(stale.text, /Nothing differs in 'nothing like that'/);
  assert.equal(stale.status, 1);
});
