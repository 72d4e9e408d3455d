// `tenon generate`: files for real servers and for hostile ones, compiled under strict settings.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { failureIn, fixture, type Outcome, peer, TENON, tenon } from './run-tenon.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tenon-generate-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A folder like that of a user who has installed tenon, with these files. */
function project(name: string, files: Readonly<Record<string, string>> = {}): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  if (!existsSync(join(path, 'node_modules')))
    symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'), 'junction');
  writeFileSync(join(path, 'package.json'), '{ "type": "module", "private": true }');
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2024'],
    module: 'NodeNext',
    types: ['node'],
    skipLibCheck: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    declaration: true,
    removeComments: true,
    rootDir: '.',
    outDir: 'out',
  };
  writeFileSync(join(path, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  return path;
}

/** The compiler messages for a folder. */
function compile(path: string): string {
  const tsc = join(root, 'node_modules/typescript7/bin/tsc');
  return spawnSync(process.execPath, [tsc, '-p', path, '--pretty', 'false'], { encoding: 'utf8', cwd: path }).stdout;
}

/** The command of a server with these lists. */
function lists(name: string, text: string): string[] {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, text);
  return ['--', process.execPath, fixture('lists.mjs'), file];
}

function succeeded(run: Outcome): Outcome {
  assert.equal(run.code, 0, run.stderr);
  return run;
}

const packageFile = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json');
const official = ['--', process.execPath, join(dirname(packageFile), 'dist/index.js')];

test('types of an official server: correct calls compile, and wrong ones do not', async () => {
  const path = project('official');
  succeeded(await tenon(['generate', `--out=${join(path, 'everything.ts')}`, ...official]));
  writeFileSync(
    join(path, 'use.ts'),
    `import { connect, type ContractOf } from 'tenon/client';
import type { App, Tools } from './everything.js';

const client = await connect<App>({ command: 'node' });
const echo: unknown = await client.call('echo', { message: 'a' });
const weather = await client.call('get-structured-content', { location: 'Chicago' });
export const warmer: number = weather.temperature + 1;
export const sum: Tools['get-sum']['input'] = { a: 1, b: 2 };
export const same: ContractOf<App>['tools']['get-sum']['input'] = sum;
export const text: unknown = echo;
await client.call('get-tiny-image');
await client.call('get-tiny-image', {});
await client.prompt('args-prompt', { city: 'Oslo' });
await client.prompt('args-prompt', { city: 'Oslo', state: 'x' });
await client.prompt('simple-prompt');
await client.complete({ prompt: 'completable-prompt' }, { argument: 'department', value: 'E' });
await client.complete({ template: 'demo://resource/dynamic/text/{resourceId}' }, { argument: 'resourceId', value: '1' });
// @ts-expect-error there is no such tool
await client.call('ecko', { message: 'a' });
// @ts-expect-error the argument is a text
await client.call('echo', { message: 1 });
// @ts-expect-error the argument is missing
await client.call('echo', {});
// @ts-expect-error the arguments are missing
await client.call('echo');
// @ts-expect-error there is no such argument
await client.call('echo', { message: 'a', massage: 'b' });
// @ts-expect-error it has no arguments
await client.call('get-tiny-image', { size: 1 });
// @ts-expect-error it is not one of the cities
await client.call('get-structured-content', { location: 'Atlantis' });
// @ts-expect-error there is no such member
weather.temprature;
// @ts-expect-error the argument is missing
await client.prompt('args-prompt', { state: 'x' });
// @ts-expect-error it has no arguments
await client.prompt('simple-prompt', { a: 'b' });
// @ts-expect-error there is no such argument
await client.complete({ prompt: 'completable-prompt' }, { argument: 'team', value: 'E' });
// @ts-expect-error there is no such variable
await client.complete({ template: 'demo://resource/dynamic/text/{resourceId}' }, { argument: 'id', value: '1' });
`,
  );
  assert.equal(compile(path), '');
});

test('the files of the servers of this repository compile, and the same server gives the same bytes', async () => {
  const path = project('own');
  const servers: Readonly<Record<string, readonly string[]>> = {
    everart: ['run', 'everart'],
    'aws-kb-retrieval': ['run', 'aws-kb-retrieval'],
    everything: ['run', 'everything'],
    fetch: ['run', 'fetch'],
    filesystem: ['run', 'filesystem', folder],
    gdrive: ['run', 'gdrive'],
    git: ['run', 'git', root],
    github: ['run', 'github'],
    memory: ['run', 'memory'],
    postgres: ['run', 'postgres', 'postgres://localhost/none'],
    puppeteer: ['run', 'puppeteer'],
    redis: ['run', 'redis'],
    sentry: ['run', 'sentry'],
    slack: ['run', 'slack'],
    sqlite: ['run', 'sqlite', '--write', '--db-path', join(folder, 'generated.db')],
    time: ['run', 'time'],
    'sequential-thinking': ['run', 'sequential-thinking'],
    modern: ['run', fixture('modern.ts')],
  };
  for (const [name, args] of Object.entries(servers)) {
    const server = ['--', process.execPath, TENON, ...args];
    succeeded(await tenon(['generate', `--out=${join(path, `${name}.ts`)}`, ...server]));
    const printed = succeeded(await tenon(['generate', ...server]));
    assert.equal(printed.stdout, readFileSync(join(path, `${name}.ts`), 'utf8'), name);
    assert.equal((await tenon(['generate', '--check', `--out=${join(path, `${name}.ts`)}`, ...server])).code, 0);
  }
  assert.equal(compile(path), '');
});

/** Texts with which a server could write code, if that were possible. */
const PAYLOADS = [
  '*/ export const pwned = process.exit(1); /*',
  '"; export const pwned = 1; //',
  "'; export const pwned = 1; //",
  '`; export const pwned = 1; //${pwned}',
  '\\',
  '\\"',
  '\n} export const pwned = 1; /*',
  '\r\nexport const pwned = 1;',
  '\u2028export const pwned = 1;',
  '\u2029*/export const pwned = 1;',
  '*\u200b/',
  '__proto__',
  'constructor',
  'toString',
  '',
  ' ',
  '\ud800',
  'new',
  'readonly',
  'get',
  '1e3',
  '-1',
  '[key: string]: never; pwned',
  '@ts-ignore',
  '@ts-nocheck',
  '@jsx pwned',
  '/ <reference path="pwned" />',
  '# sourceMappingURL=pwned',
  'x'.repeat(5_000),
  '\u202epwned\u0007\u001b[2J',
];

/** The payloads in every place that a server controls. JSON.parse makes an own member of every name. */
function hostileLists(): string {
  const members = PAYLOADS.map(
    (text) =>
      `${JSON.stringify(text)}: ${JSON.stringify({ type: 'string', description: text, pattern: text, default: text })}`,
  );
  const properties = `{${members.join(',')}}`;
  const tools = PAYLOADS.map((text, at) => {
    const $ref = `#/$defs/${text.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const more = JSON.stringify({ title: text, description: text, enum: [text, { [text]: text }] });
    const schema = `{"type":"object","title":${JSON.stringify(text)},"properties":${properties},"required":${JSON.stringify(PAYLOADS.slice(at, at + 3))},"additionalProperties":{"$ref":${JSON.stringify($ref)}},"allOf":[{"$ref":${JSON.stringify(text)}},{"properties":{"a":{"$ref":${JSON.stringify($ref)}},"b":{"type":${JSON.stringify(text)}}}}],"$defs":{${JSON.stringify(text)}:${more}}}`;
    return `{"name":${JSON.stringify(text)},"title":${JSON.stringify(text)},"description":${JSON.stringify(text)},"inputSchema":${schema},"outputSchema":${schema}}`;
  });
  const prompts = PAYLOADS.map((name) => ({
    name,
    description: name,
    arguments: PAYLOADS.map((each) => ({ name: each, description: each })),
  }));
  const resourceTemplates = PAYLOADS.map((name) => ({ name, uriTemplate: `${name}{a}`, description: name }));
  return `{"name":${JSON.stringify(PAYLOADS[0])},"tools":[${tools.join(',')}],"prompts":${JSON.stringify(prompts)},"resourceTemplates":${JSON.stringify(resourceTemplates)}}`;
}

test('a hostile server cannot inject code: the file contains only types, and no hidden characters', async () => {
  const path = project('hostile');
  const file = join(path, 'hostile.ts');
  succeeded(await tenon(['generate', '--quiet', `--out=${file}`, ...lists('hostile', hostileLists())]));
  const text = readFileSync(file, 'utf8');
  assert.ok(text.split('pwned').length > 100, 'the payloads are in the file');
  assert.doesNotMatch(text, /[^\n\P{Cc}]|[\p{Cs}\p{DI}\u2028\u2029]/u);
  assert.equal(compile(path), '');
  assert.equal(readFileSync(join(path, 'out/hostile.js'), 'utf8').trim(), 'export {};');
  const declared = readFileSync(join(path, 'out/hostile.d.ts'), 'utf8');
  const kinds = declared.split('\n').filter((line) => /^\S/.test(line) && !/^[}/*]/.test(line));
  for (const line of kinds)
    assert.match(line, /^(?:import type \{ Contracted \} from 'tenon\/client';|export type [A-Z]\w* =)/);
});

test('ten thousand tools, and schemas that are deep, wide or refer to themselves, compile', async () => {
  const text = { type: 'string' };
  const tools = Array.from({ length: 10_000 }, (_, at) => ({
    name: `tool_${at}`,
    description: 'Does something',
    inputSchema: { type: 'object', properties: { a: text, b: { type: 'integer' } }, required: ['a'] },
  }));
  let deep: unknown = text;
  for (let depth = 0; depth < 50; depth++) deep = { type: 'object', properties: { a: deep } };
  const chain = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, at) => [`d${at}`, at === 1_999 ? text : { $ref: `#/$defs/d${at + 1}` }]),
  );
  const cycle = { a: { anyOf: [{ $ref: '#/$defs/b' }, text] }, b: { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#' }] } };
  const node = {
    type: 'object',
    properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } }, value: text },
  };
  const choice = (from: number) => ({ enum: Array.from({ length: 900 }, (_, at) => `v${from + at}`) });
  const all = { prefixItems: [{ const: 'all' }], minItems: 1, items: { $ref: '#/$defs/rule' } };
  const json = [{ type: ['string', 'null'] }, { type: 'array', items: { $ref: '#/$defs/json' } }];
  const optional = { prefixItems: [{ type: 'array', items: { $ref: '#/$defs/optional' } }] };
  const schemas: Record<string, object> = {
    rules: { type: 'object', properties: { a: { $ref: '#/$defs/rule' } }, $defs: { rule: { anyOf: [text, all] } } },
    json: { type: 'object', properties: { a: { $ref: '#/$defs/json' } }, $defs: { json: { anyOf: json } } },
    optional: {
      type: 'object',
      properties: { a: { $ref: '#/$defs/optional' } },
      $defs: { optional: { anyOf: [text, optional] } },
    },
    deep: { type: 'object', properties: { deep } },
    chain: { type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs: chain },
    cycle: { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: cycle },
    tree: { type: 'object', properties: { root: { $ref: '#/$defs/node' }, self: { $ref: '#' } }, $defs: { node } },
    wide: {
      type: 'object',
      properties: {
        a: { allOf: [choice(0), choice(1), choice(2)] },
        b: { anyOf: [choice(0), choice(1_000), choice(2_000)] },
      },
    },
  };
  for (const [name, inputSchema] of Object.entries(schemas))
    tools.push({ name, description: name, inputSchema: inputSchema as never });
  const use = `import type { Tools } from './many.js';
export const tree: Tools['tree']['input'] = { root: { children: [{ value: 'a', children: [] }] }, self: { root: {} } };
// @ts-expect-error the value is a text
export const wrong: Tools['tree']['input'] = { root: { children: [{ children: [{ value: 1 }] }] } };
export const rules: Tools['rules']['input'] = { a: ['all', 'a', ['all', 'b']] };
// @ts-expect-error rules begin with a word
export const noRules: Tools['rules']['input'] = { a: ['all', ['none']] };
export const json: Tools['json']['input'] = { a: ['a', [null, [['b']]]] };
export const last: Tools['tool_9999']['input'] = { a: 'a', b: 1 };
export const deep: Tools['deep']['input'] = { deep: { a: { a: { a: {} } } } };
`;
  const path = project('many', { 'use.ts': use });
  succeeded(await tenon(['generate', `--out=${join(path, 'many.ts')}`, ...lists('many', JSON.stringify({ tools }))]));
  assert.equal(compile(path), '');
});

test("--check fails if the file differs from the server's current types, and writes nothing", async () => {
  const path = join(project('check'), 'client.ts');
  const first = JSON.stringify({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] });
  const second = first.replace('"a"', '"b"');
  succeeded(await tenon(['generate', `--out=${path}`, ...lists('check', first)]));
  const before = readFileSync(path, 'utf8');
  assert.equal((await tenon(['generate', '--check', `--out=${path}`, ...lists('check', first)])).code, 0);
  const changed = await tenon(['generate', '--check', `--out=${path}`, ...lists('check', second)]);
  assert.deepEqual([changed.code, changed.stdout, failureIn(changed)['code']], [9, '', 'outdated']);
  assert.match(String(failureIn(changed)['evidence']), /^line \d+ would be: readonly b: \{$/);
  assert.equal(readFileSync(path, 'utf8'), before);
  writeFileSync(path, before.replaceAll('\n', '\r\n'));
  assert.equal((await tenon(['generate', '--check', `--out=${path}`, ...lists('check', first)])).code, 0);
  succeeded(await tenon(['generate', `--out=${path}`, ...lists('check', second)]));
  assert.match(readFileSync(path, 'utf8'), /readonly b: \{/);
});

test('--check needs a file, and only a file that was generated is replaced', async () => {
  const path = join(project('mine'), 'mine.ts');
  const server = lists('mine', '{}');
  for (const args of [['--check'], ['--check', `--out=${join(folder, 'none.ts')}`]])
    assert.equal((await tenon(['generate', ...args, ...server])).code, 2, args.join(' '));
  writeFileSync(path, 'export const mine = 1;\n');
  for (const args of [[], ['--check']]) {
    const run = await tenon(['generate', ...args, `--out=${path}`, ...server]);
    assert.deepEqual([run.code, failureIn(run)['code']], [2, 'not_generated']);
  }
  assert.equal(readFileSync(path, 'utf8'), 'export const mine = 1;\n');
  const nowhere = await tenon(['generate', `--out=${join(folder, 'no/such/folder.ts')}`, ...server]);
  assert.deepEqual([nowhere.code, failureIn(nowhere)['code']], [2, 'bad_file']);
});

test('a server without lists produces types without calls, and an unreachable one no file', async () => {
  const none = succeeded(await tenon(['generate', ...lists('none', '{}')]));
  assert.match(none.stdout, /export type Tools = \{\};\n/);
  const path = join(project('gone'), 'gone.ts');
  const gone = await tenon(['generate', `--out=${path}`, '--', process.execPath, fixture('throws.mjs')]);
  assert.deepEqual([gone.code, existsSync(path)], [4, false]);
  const word = await tenon(['generate', 'nonsense', ...peer('ok')]);
  assert.deepEqual([word.code, failureIn(word)['code']], [2, 'usage']);
  const trace = await tenon(['generate', '-o', 'x.ts', ...peer('ok')]);
  assert.equal(failureIn(trace)['fix'], 'Did you mean --out?');
});

test('a configured server is named as in other verbs, and warnings are on stderr', async () => {
  const path = project('configured');
  const [, command, ...args] = lists(
    'configured',
    JSON.stringify({ tools: [{ name: 'a', inputSchema: { type: 'object', not: {} } }] }),
  );
  writeFileSync(join(path, '.mcp.json'), JSON.stringify({ mcpServers: { mine: { command, args } } }));
  const run = succeeded(await tenon(['generate', 'mine'], { cwd: path }));
  assert.match(run.stdout, /readonly input: \{ \[key: string\]: unknown \} \/\* not in the type: not \*\/;/);
  assert.match(run.stderr, /^tenon: warning: 1 type of the file cannot say all/);
});
