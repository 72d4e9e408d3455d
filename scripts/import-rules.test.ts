// Plants one violation of each import rule in a copy of a small workspace and checks that the tools report it.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { checkFileSizes } from './lib/file-sizes.ts';
import { checkPortable } from './lib/portable.ts';
import { checkRevisions } from './lib/revisions.ts';
import { checkImports } from './lib/import-rules.ts';

const workspaces: string[] = [];
after(() => workspaces.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const folders = ['protocol', 'wire', 'schema', 'store', 'server', 'client', 'transport', 'open', 'testing', 'entries'];

/** A workspace in which every folder has one file that imports everything it may import. `extra` adds or replaces files. */
function workspace(extra: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenon imports '));
  workspaces.push(folder);
  const src = 'packages/sdk/src';
  const files: Record<string, string> = {
    'packages/sdk/package.json': '{ "name": "tenon", "type": "module" }',
    'packages/cli/package.json': '{ "name": "@tenon/cli", "type": "module", "dependencies": { "tenon": "0.1.0" } }',
    'packages/cli/src/tenon.ts': `import { readFileSync } from 'node:fs';\nexport const run = () => readFileSync;\n`,
    'servers/time/package.json': '{ "name": "@tenon/server-time", "type": "module" }',
    'servers/time/src/main.ts': `export const main = 1;\n`,
    ...Object.fromEntries(folders.map((folder) => [`${src}/${folder}/a.ts`, `export const ${folder} = 1;\n`])),
    [`${src}/wire/a.ts`]: `import { protocol } from '../protocol/a.ts';\nexport const wire = protocol;\n`,
    [`${src}/server/a.ts`]: `import { wire } from '../wire/a.ts';\nimport { store } from '../store/a.ts';\nexport const server = wire + store;\n`,
    [`${src}/client/a.ts`]: `import { schema } from '../schema/a.ts';\nexport const client = schema;\n`,
    [`${src}/transport/stdio/b.ts`]: `import { spawn } from 'node:child_process';\nimport { server } from '../../server/a.ts';\nexport const b = [spawn, server];\n`,
    [`${src}/open/a.ts`]: `import { client } from '../client/a.ts';\nimport { b } from '../transport/stdio/b.ts';\nexport const open = [client, b];\n`,
    [`${src}/entries/a.ts`]: `export { open } from '../open/a.ts';\n`,
    [`${src}/server/a.test.ts`]: `import { test } from 'node:test';\nimport { client } from '../client/a.ts';\ntest('x', () => client);\n`,
    ...extra,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

test('a workspace that follows the import rules has no violations, and its modules are checked', async () => {
  const report = await checkImports(workspace());
  assert.deepEqual(report.violations, []);
  assert.equal(report.modules, folders.length + 3);
});

const src = 'packages/sdk/src';
function value(from: string, name: string) {
  return `import { ${name} } from '${from}';\nexport const planted = ${name};\n`;
}

/** The planted violations, and the rule that must report each. */
const plants: [what: string, rule: RegExp, files: Record<string, string>][] = [
  [
    'protocol imports another folder',
    /^protocol-imports-only-nothing: /,
    { [`${src}/protocol/b.ts`]: value('../wire/a.ts', 'wire') },
  ],
  [
    'protocol imports a Node built-in',
    /^protocol-imports-only-nothing: /,
    { [`${src}/protocol/b.ts`]: value('node:fs', 'readFileSync') },
  ],
  ['wire imports schema', /^wire-imports-only-/, { [`${src}/wire/b.ts`]: value('../schema/a.ts', 'schema') }],
  ['schema imports wire', /^schema-imports-only-/, { [`${src}/schema/b.ts`]: value('../wire/a.ts', 'wire') }],
  ['store imports server', /^store-imports-only-/, { [`${src}/store/b.ts`]: value('../server/a.ts', 'server') }],
  ['server imports client', /^server-imports-only-/, { [`${src}/server/b.ts`]: value('../client/a.ts', 'client') }],
  [
    'server knows a type of client',
    /^server-imports-only-/,
    { [`${src}/server/b.ts`]: `import type { X } from '../client/a.ts';\nexport type Y = X;\n` },
  ],
  ['client imports server', /^client-imports-only-/, { [`${src}/client/b.ts`]: value('../server/a.ts', 'server') }],
  [
    'server knows a transport',
    /^server-imports-only-/,
    { [`${src}/server/b.ts`]: value('../transport/a.ts', 'transport') },
  ],
  [
    'client knows a transport',
    /^client-imports-only-/,
    { [`${src}/client/b.ts`]: `export const load = () => import('../transport/a.ts');\n` },
  ],
  ['transport imports open', /^transport-imports-only-/, { [`${src}/transport/b.ts`]: value('../open/a.ts', 'open') }],
  [
    'what serves a request imports a transport',
    /^serving-imports-of-transports-only-nothing: /,
    { [`${src}/transport/serving/c.ts`]: value('../stdio/b.ts', 'b') },
  ],
  [
    'modern requests over HTTP import session code',
    /^modern-requests-over-http-import-nothing-of-legacy-ones: /,
    {
      [`${src}/transport/http/modern/b.ts`]: value('../legacy/a.ts', 'legacy'),
      [`${src}/transport/http/legacy/a.ts`]: 'export const legacy = 1;\n',
    },
  ],
  [
    'sessions over HTTP import code for modern requests',
    /^legacy-requests-over-http-import-nothing-of-modern-ones: /,
    {
      [`${src}/transport/http/legacy/b.ts`]: value('../modern/a.ts', 'modern'),
      [`${src}/transport/http/modern/a.ts`]: 'export const modern = 1;\n',
    },
  ],
  ['open imports testing', /^open-imports-only-/, { [`${src}/open/b.ts`]: value('../testing/a.ts', 'testing') }],
  [
    'testing imports an entry point',
    /^testing-imports-only-/,
    { [`${src}/testing/b.ts`]: value('../entries/a.ts', 'entries') },
  ],
  [
    'a file outside the folders',
    /^every-file-is-in-a-known-folder: /,
    { [`${src}/attic/a.ts`]: value('../protocol/a.ts', 'protocol') },
  ],
  [
    'a cycle inside a folder',
    /^no-cycles: /,
    { [`${src}/wire/b.ts`]: value('./c.ts', 'planted'), [`${src}/wire/c.ts`]: `export { planted } from './b.ts';\n` },
  ],
  [
    'a Node built-in outside stdio and node folders',
    /^node-built-ins-/,
    { [`${src}/server/b.ts`]: value('node:crypto', 'createHmac') },
  ],
  [
    'a Node built-in in the proxy, which runs in any runtime',
    /^node-built-ins-/,
    { 'packages/auth-proxy/src/b.ts': value('node:crypto', 'createHmac') },
  ],
  ['a Node built-in without its prefix', /^node-built-ins-/, { [`${src}/open/b.ts`]: value('fs', 'readFileSync') }],
  [
    'a package that is not declared',
    /^(?:no-undeclared-package|everything-resolves): /,
    { [`${src}/schema/b.ts`]: value('left-pad', 'leftPad') },
  ],
  [
    'another package reaching into the sources',
    /^packages-meet-/,
    { 'packages/cli/src/b.ts': value('../../sdk/src/open/a.ts', 'open') },
  ],
  [
    'a folder of the cli reaching up',
    /^terminal-of-the-cli-imports-only-what-it-may: /,
    {
      'packages/cli/src/terminal/b.ts': value('../session/a.ts', 'session'),
      'packages/cli/src/session/a.ts': 'export const session = 1;\n',
    },
  ],
  [
    'the calls of the host reaching for its connections',
    /^calls-of-the-host-imports-only-what-it-may: /,
    {
      'packages/host/src/calls/b.ts': value('../connections/a.ts', 'connections'),
      'packages/host/src/connections/a.ts': 'export const connections = 1;\n',
    },
  ],
  [
    'a server reaching into another one',
    /^servers-share-only-the-folder-for-it: /,
    { 'servers/time/src/b.ts': value('../../git/src/a.ts', 'git'), 'servers/git/src/a.ts': 'export const git = 1;\n' },
  ],
  [
    'a server reaching into the sources of a package',
    /^servers-use-packages-through-their-entry-points: /,
    { 'servers/time/src/b.ts': value('../../../packages/sdk/src/open/a.ts', 'open') },
  ],
  [
    'shared values passing on a module of the SDK that is not shared',
    /^values-pass-on-/,
    { 'packages/values/src/b.ts': value('../../sdk/src/open/a.ts', 'open') },
  ],
  [
    'a shared module of the SDK that needs another one',
    /^the-sdk-shares-modules-that-stand-alone: /,
    {
      [`${src}/store/canonical-json.ts`]: value('../protocol/a.ts', 'protocol'),
      'packages/values/src/b.ts': value('../../sdk/src/store/canonical-json.ts', 'planted'),
    },
  ],
  [
    'the SDK importing shared values, which are not published',
    /^the-sdk-imports-nothing-that-is-not-published: /,
    {
      [`${src}/store/b.ts`]: value('../../../values/src/b.ts', 'planted'),
      'packages/values/src/b.ts': 'export const planted = 1;\n',
    },
  ],
  [
    'a shared value that uses Node outside of a node folder',
    /^values-use-node-/,
    { 'packages/values/src/b.ts': value('node:fs', 'readFileSync') },
  ],
  [
    'a source importing a test',
    /^sources-never-import-tests: /,
    { [`${src}/server/b.ts`]: `import './a.test.ts';\nexport {};\n` },
  ],
];

for (const [what, rule, files] of plants) {
  test(`caught: ${what}`, async () => {
    const { violations } = await checkImports(workspace(files));
    assert.ok(
      violations.some((violation) => rule.test(violation)),
      `expected ${rule} in ${JSON.stringify(violations)}`,
    );
  });
}

const comparisons: [what: string, code: string][] = [
  ['orders revisions', `export const f = (revision: string) => revision >= String(1);`],
  ['compares a revision', `export const f = (peer: { revision: string }) => peer.revision === LATEST;`],
  ['names a revision', `export const f = (x: string) => atLeast(x, '2025-06-18');`],
  ['switches on a revision', `export const f = (revision: string) => { switch (revision) { default: return 1; } };`],
  ['looks a revision up in a list', `export const f = (revision: string) => MODERN.includes(revision);`],
];

for (const [what, code] of comparisons) {
  test(`caught: server code that ${what}`, () => {
    const planted = { [`${src}/server/b.ts`]: code, [`${src}/wire/b.ts`]: code, [`${src}/protocol/revision.ts`]: code };
    const found = checkRevisions(workspace(planted));
    assert.deepEqual(
      found.map((place) => place.replace(/:\d+: /, ' ').replace(/: .*/s, '')),
      [`${src}/server/b.ts ${what}`],
    );
  });
}

test('testing whether a revision is given, or is the requested one, does not count as a comparison of revisions', () => {
  const code = `export const f = (a: X, b: X) => a.revision === undefined || a.revision === b.revision || list.revisions.has(a.revision);`;
  assert.deepEqual(checkRevisions(workspace({ [`${src}/server/b.ts`]: code })), []);
});

test('caught: a Node built-in in a bundle for the browser', async () => {
  const dist = 'packages/sdk/dist/entries';
  const good = Object.fromEntries(
    ['a', 'client', 'http'].flatMap((entry) => [
      [`${src}/entries/${entry}.ts`, ''],
      [`${dist}/${entry}.js`, `export const ${entry} = 1;`],
    ]),
  );
  const forNode = { [`${src}/entries/node.ts`]: '', [`${dist}/node.js`]: `export * from 'node:net';` };
  assert.deepEqual(await checkPortable(workspace({ ...good, ...forNode })), []);
  const found = await checkPortable(workspace({ ...good, [`${dist}/http.js`]: `export * from 'node:net';` }));
  assert.match(found.join('\n'), /entry http: .*node:net/);
});

test('caught: a source file of more than 400 lines', () => {
  const long = checkFileSizes(
    workspace({ [`${src}/server/b.ts`]: '\n'.repeat(401), [`${src}/client/b.ts`]: '\n'.repeat(251) }),
  );
  assert.equal(long.problems.length, 1);
  assert.match(long.problems[0] ?? '', /^401 packages\/sdk\/src\/server\/b\.ts/);
  assert.deepEqual(long.notes, ['251 packages/sdk/src/client/b.ts']);
});

test('caught: a screen of more than 400 lines, whose file has JSX in it', () => {
  const long = checkFileSizes(workspace({ ['packages/inspector/ui/src/Screen.tsx']: '\n'.repeat(401) }));
  assert.match(long.problems[0] ?? '', /^401 packages\/inspector\/ui\/src\/Screen\.tsx/);
});
