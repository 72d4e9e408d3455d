// Publishing of skills by a server, as a client sees it on the wire.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { server, type ServerOptions } from 'tenon';
import { connect } from 'tenon/client';
import type { SkillEntry } from '../src/client.ts';
import { dynamicSkill, skill, type Skill, skills } from '../src/index.ts';

const PDF = `---
name: pdf-processing
description: Fill in forms
license: MIT
metadata:
  version: "2.1.0"
  reviewed: 2026-07-28
  priority: 3
---
Read references/FORMS.md first.
`;
const BYTES = Uint8Array.of(0, 255, 128);

function pdf(): Skill {
  return skill({
    'SKILL.md': PDF,
    'references/FORMS.md': '# Forms',
    'references/more/deep file.txt': 'Ü',
    'assets/pixel.png': BYTES,
  });
}
function refunds(): Skill {
  return skill({ 'SKILL.md': '---\nname: refunds\ndescription: Refund\n---\n' }, { under: 'acme/billing' });
}
function daily(): Skill {
  let count = 0;
  return dynamicSkill({ name: 'daily', description: 'Today' }, () => ({
    'SKILL.md': `Number ${++count}`,
    'data/numbers.csv': `${count}`,
  }));
}

async function connected(list: readonly Skill[], options: Partial<ServerOptions> = {}, revision?: '2025-11-25') {
  const app = server({ name: 'docs', providers: [skills(list)], ...options });
  return connect(app, revision === undefined ? {} : { revision });
}
const invalid = { name: 'ProtocolError', code: -32602 };
const unknown = { name: 'ProtocolError', code: -32601 };
function digest(data: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(data).digest('hex')}`;
}

test('[EXT-1] [EXT-4] a server with skills declares the extension, directories and resources, and answers both methods', async () => {
  await using client = await connected([pdf()]);
  assert.deepEqual(client.capabilities.extensions, { 'io.modelcontextprotocol/skills': { directoryRead: true } });
  assert.ok(client.capabilities.resources);
  assert.equal(((await client.request('skills/list'))['skills'] as unknown[]).length, 1);
  assert.ok((await client.request('skills/get', { uri: 'skill://pdf-processing/SKILL.md' }))['skill']);
});

test('a server without skills declares nothing, and has none of the methods', async () => {
  await using client = await connect(server({ name: 'plain', resources: {} }));
  assert.equal(client.capabilities.extensions, undefined);
  for (const method of ['skills/list', 'skills/get', 'resources/directory/read'])
    await assert.rejects(client.request(method, { uri: 'skill://pdf-processing' }), unknown, method);
});

test('before 2026-07-28 the extension does not exist, and skills are plain resources', async () => {
  await using client = await connected([pdf()], {}, '2025-11-25');
  assert.equal(client.capabilities.extensions, undefined);
  for (const method of ['skills/list', 'skills/get', 'resources/directory/read'])
    await assert.rejects(client.request(method, { uri: 'skill://pdf-processing' }), unknown, method);
  const uris = (await client.resources().all()).map(({ uri }) => uri);
  assert.ok(uris.includes('skill://pdf-processing/SKILL.md'));
  const { contents } = await client.read('skill://pdf-processing/SKILL.md');
  assert.deepEqual(contents, [{ uri: 'skill://pdf-processing/SKILL.md', mimeType: 'text/markdown', text: PDF }]);
});

test('[EXT-11] [EXT-13] [EXT-6] an entry has the unchanged frontmatter, and every file once with digest and size', async () => {
  await using client = await connected([pdf()]);
  const [entry] = (await client.request('skills/list'))['skills'] as SkillEntry[];
  const file = (path: string, data: string | Uint8Array) => ({
    uri: `skill://pdf-processing/${path}`,
    digest: digest(data),
    size: Buffer.from(data).length,
  });
  assert.deepEqual(entry, {
    uri: 'skill://pdf-processing/SKILL.md',
    frontmatter: {
      name: 'pdf-processing',
      description: 'Fill in forms',
      license: 'MIT',
      metadata: { version: '2.1.0', reviewed: '2026-07-28', priority: 3 },
    },
    resources: [
      file('SKILL.md', PDF),
      file('references/FORMS.md', '# Forms'),
      file('references/more/deep%20file.txt', 'Ü'),
      file('assets/pixel.png', BYTES),
    ],
  });
});

test('every file that an entry lists can be read, and has the listed digest', async () => {
  await using client = await connected([pdf(), refunds()]);
  for (const { resources } of (await client.request('skills/list'))['skills'] as SkillEntry[]) {
    for (const { uri, digest: expected, size } of resources as Exclude<SkillEntry['resources'], 'dynamic'>) {
      const [item] = (await client.read(uri)).contents as { text?: string; blob?: string }[];
      const bytes = item!.text === undefined ? Buffer.from(item!.blob!, 'base64') : Buffer.from(item!.text);
      assert.equal(digest(bytes), expected, uri);
      assert.equal(bytes.length, size, uri);
    }
  }
  await assert.rejects(client.read('skill://pdf-processing/references/NONE.md'), invalid);
});

test('`SKILL.md` is listed as a resource with the name and the description of the skill', async () => {
  await using client = await connected([refunds()]);
  const { size: _, ...listed } = (await client.resources().all())[0]!;
  assert.deepEqual(listed, {
    uri: 'skill://acme/billing/refunds/SKILL.md',
    name: 'refunds',
    description: 'Refund',
    mimeType: 'text/markdown',
  });
});

test('[EXT-17] results of lists and entries contain that they are complete, and how long they may be cached', async () => {
  const app = server({ name: 'docs', providers: [skills([pdf()], { cache: { ttlMs: 5_000, scope: 'public' } })] });
  await using client = await connect(app);
  await using plain = await connected([pdf()]);
  for (const [asked, ttlMs, cacheScope] of [
    [client, 5_000, 'public'],
    [plain, 0, 'private'],
  ] as const) {
    for (const [method, params] of [
      ['skills/list', {}],
      ['skills/get', { uri: 'skill://pdf-processing/SKILL.md' }],
    ] as const) {
      const found = await asked.request(method, params);
      assert.deepEqual([found['resultType'], found['ttlMs'], found['cacheScope']], ['complete', ttlMs, cacheScope]);
    }
  }
});

test('[EXT-20] `skills/get` answers for every skill, and -32602 for anything else', async () => {
  await using client = await connected([pdf(), refunds(), daily()]);
  for (const entry of (await client.request('skills/list'))['skills'] as SkillEntry[])
    assert.deepEqual((await client.request('skills/get', { uri: entry.uri }))['skill'], entry);
  for (const uri of [
    'skill://none/SKILL.md',
    'skill://pdf-processing',
    'skill://pdf-processing/references/FORMS.md',
    5,
    undefined,
  ])
    await assert.rejects(client.request('skills/get', { uri }), invalid, String(uri));
});

test('a list of many skills has pages with whole entries, and an invalid cursor is -32602', async () => {
  const many = Array.from({ length: 30 }, (_, at) =>
    skill({
      'SKILL.md': `---\nname: skill-${at}\ndescription: One of many\n---\n`,
      ...Object.fromEntries(Array.from({ length: 300 }, (__, file) => [`${file}.txt`, ''])),
    }),
  );
  await using client = await connected(many);
  const found: SkillEntry[] = [];
  let cursor: unknown;
  let pages = 0;
  do {
    const page = await client.request('skills/list', cursor === undefined ? {} : { cursor });
    found.push(...(page['skills'] as SkillEntry[]));
    cursor = page['nextCursor'];
    pages++;
  } while (cursor !== undefined);
  assert.ok(pages > 1);
  assert.deepEqual(
    found.map(({ frontmatter }) => frontmatter.name),
    many.map(({ frontmatter }) => frontmatter.name),
  );
  assert.ok(found.every(({ resources }) => resources.length === 301));
  await assert.rejects(client.request('skills/list', { cursor: 'skill://none' }), invalid);
  await assert.rejects(client.request('skills/list', { cursor: 5 }), invalid);
});

test('[EXT-2] every directory of a skill, and above it, lists what is directly in it', async () => {
  await using client = await connected([pdf(), refunds(), daily()]);
  const children = async (uri: string) => {
    const { resources, resultType } = await client.request('resources/directory/read', { uri });
    assert.equal(resultType, 'complete');
    return (resources as { uri: string; mimeType: string }[]).map((child) => [child.uri, child.mimeType]);
  };
  assert.deepEqual(await children('skill://pdf-processing'), [
    ['skill://pdf-processing/SKILL.md', 'text/markdown'],
    ['skill://pdf-processing/references', 'inode/directory'],
    ['skill://pdf-processing/assets', 'inode/directory'],
  ]);
  assert.deepEqual(await children('skill://pdf-processing/references/more'), [
    ['skill://pdf-processing/references/more/deep%20file.txt', 'text/plain'],
  ]);
  assert.deepEqual(await children('skill://acme'), [['skill://acme/billing', 'inode/directory']]);
  assert.deepEqual(await children('skill://acme/billing'), [['skill://acme/billing/refunds', 'inode/directory']]);
  assert.deepEqual(await children('skill://acme/billing/refunds'), [
    ['skill://acme/billing/refunds/SKILL.md', 'text/markdown'],
  ]);
  assert.deepEqual(await children('skill://daily/data'), [['skill://daily/data/numbers.csv', 'text/csv']]);
});

test('[EXT-27] a URI that is not a directory, or does not exist, is -32602', async () => {
  await using client = await connected([pdf(), daily()]);
  for (const uri of [
    'skill://pdf-processing/SKILL.md',
    'skill://pdf-processing/none',
    'skill://pdf-processing/',
    'skill://daily/none',
    'skill://',
    'file:///etc',
    5,
  ])
    await assert.rejects(client.request('resources/directory/read', { uri }), invalid, String(uri));
});

test('a dynamic skill is declared as such, and its files are generated for each request', async () => {
  await using client = await connected([daily()]);
  const [entry] = (await client.request('skills/list'))['skills'] as SkillEntry[];
  assert.deepEqual(entry, {
    uri: 'skill://daily/SKILL.md',
    frontmatter: { name: 'daily', description: 'Today' },
    resources: 'dynamic',
  });
  const read = async (path: string) => (await client.read(`skill://daily/${path}`)).contents;
  const first = '---\nname: daily\ndescription: Today\n---\nNumber 1';
  assert.deepEqual(await read('SKILL.md'), [{ uri: entry!.uri, mimeType: 'text/markdown', text: first }]);
  const second = { uri: 'skill://daily/data/numbers.csv', mimeType: 'text/csv', text: '2' };
  assert.deepEqual(await read('data/numbers.csv'), [second]);
  await assert.rejects(read('none'), invalid);
  assert.deepEqual(
    (await client.resources().all()).map(({ uri }) => uri),
    ['skill://daily/SKILL.md'],
  );
});

test('resources of the server itself stay beside those of skills', async () => {
  const { resource } = await import('tenon');
  await using client = await connected([refunds()], {
    resources: { 'config://app': resource({ name: 'config' }, () => 'dark') },
  });
  const uris = (await client.resources().all()).map(({ uri }) => uri);
  assert.deepEqual(uris, ['config://app', 'skill://acme/billing/refunds/SKILL.md']);
});

const VALID = '---\nname: a\ndescription: b\n---\n';
test('[EXT-5] [EXT-7] an invalid skill is refused with a clear error when it is made', () => {
  const refused: readonly (readonly [files: Record<string, string | Uint8Array>, reason: RegExp])[] = [
    [{}, /no SKILL\.md/],
    [{ 'skill.md': VALID }, /no SKILL\.md/],
    [{ 'SKILL.md': '# No frontmatter' }, /begin with frontmatter/],
    [{ 'SKILL.md': '---\nname: a\ndescription: b\n' }, /begin with frontmatter/],
    [{ 'SKILL.md': '---\n: : :\n  - [\n---\n' }, /not YAML/],
    [{ 'SKILL.md': '---\n- a\n---\n' }, /names and values/],
    [{ 'SKILL.md': '---\ndescription: b\n---\n' }, /`name`/],
    [{ 'SKILL.md': '---\nname: a\n---\n' }, /`description`/],
    [{ 'SKILL.md': `---\nname: a\ndescription: ${'x'.repeat(1_025)}\n---\n` }, /1,024/],
    [{ 'SKILL.md': '---\nname: a\ndescription: b\nn: .nan\n---\n' }, /JSON/],
    [{ 'SKILL.md': '---\nname: a\nname: b\ndescription: b\n---\n' }, /twice/],
    [{ 'SKILL.md': '---\nname: a\ndescription: b\nmetadata:\n  io.modelcontextprotocol/x: 1\n---\n' }, /reserved/],
    [{ 'SKILL.md': '---\nname: a\ndescription: b\nx: &x [*x]\n---\n' }, /levels|values|alias/i],
    [{ 'SKILL.md': Uint8Array.of(255) }, /UTF-8/],
    [{ 'SKILL.md': VALID, '../b': '' }, /not a file path/],
    [{ 'SKILL.md': VALID, 'a//b': '' }, /not a file path/],
    [{ 'SKILL.md': VALID, 'a\\b': '' }, /not a file path/],
    [{ 'SKILL.md': VALID, a: '', 'a/b': '' }, /lies in a file/],
  ];
  for (const [files, message] of refused)
    assert.throws(() => skill(files), { name: 'DefinitionError', code: 'invalid-definition', message });
  for (const name of ['A', 'a_b', '-a', 'a-', 'a--b', 'a/b', 'x'.repeat(65), '""'])
    assert.throws(
      () => skill({ 'SKILL.md': `---\nname: ${name}\ndescription: b\n---\n` }),
      { message: /`name`/ },
      name,
    );
  for (const under of ['', '/', 'a/', '..', 'a/../b', 'ä'])
    assert.throws(() => skill({ 'SKILL.md': VALID }, { under }), { message: /`under`/ }, under);
  assert.equal(skill({ 'SKILL.md': VALID }, { under: 'x/y' }).uri, 'skill://x/y/a/SKILL.md');
});

test('frontmatter is parsed as YAML: anchors, dates and numbers; values that JSON cannot represent are refused', () => {
  const read = (yaml: string): object =>
    skill({ 'SKILL.md': `---\nname: a\ndescription: b\n${yaml}\n---\n` }).frontmatter;
  const base = { name: 'a', description: 'b' };
  assert.deepEqual(read('x: &x [1, &y {z: ok}]\nagain: *x\nz: *y'), {
    ...base,
    x: [1, { z: 'ok' }],
    again: [1, { z: 'ok' }],
    z: { z: 'ok' },
  });
  assert.deepEqual(read('x: &x 1\ny: *x\nz: &x 2\nw: *x'), { ...base, x: 1, y: 1, z: 2, w: 2 });
  assert.deepEqual(read('at: 2026-07-28\nsize: 1.50\nno: no\nempty:\n1: one'), {
    ...base,
    at: '2026-07-28',
    size: 1.5,
    no: 'no',
    empty: null,
    1: 'one',
  });
  assert.equal(Object.hasOwn(read('__proto__: {x: 1}'), '__proto__'), true);
  assert.throws(() => read('x: *none'), { message: /alias|anchor/i });
  assert.throws(
    () => read(`x: [${'&x 1, *x, '.repeat(4_000)}]\nx: &y 1\nz: [${'*y,'.repeat(11_000)}]`),
    /values|frontmatter/,
  );
  assert.throws(
    () => read('!'.repeat(5_000)),
    ({ message }: Error) => message.length < 500,
  );
});

test('[EXT-16] a skill of 512 files and 16 MiB is published, and a larger one is refused', () => {
  const files = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`${at}`, '']));
  assert.equal(skill({ 'SKILL.md': VALID, ...files(511) }).kind, 'skill');
  assert.throws(() => skill({ 'SKILL.md': VALID, ...files(512) }), { message: /513 files/ });
  const rest = 16 * 1024 * 1024 - VALID.length;
  assert.equal(skill({ 'SKILL.md': VALID, a: new Uint8Array(rest) }).kind, 'skill');
  assert.throws(() => skill({ 'SKILL.md': VALID, a: new Uint8Array(rest + 1) }), { message: /16777217 bytes/ });
});

test('two skills with one URI, and values that are not skills, are refused', () => {
  assert.throws(() => skills([refunds(), refunds()]), { name: 'DefinitionError', message: /same URI/ });
  assert.throws(() => skills([{} as Skill]), { name: 'DefinitionError', message: /readSkills/ });
  assert.throws(() => server({ name: 'x', providers: [skills([pdf()]), skills([refunds()])] }), {
    name: 'DefinitionError',
    message: /two of its parts answer 'skills\/list'/,
  });
});

test('the files of a nested skill belong to the skill around it, too', async () => {
  const inner = '---\nname: inner\ndescription: Inside\n---\n';
  const outer = skill({ 'SKILL.md': '---\nname: outer\ndescription: Around\n---\n', 'parts/inner/SKILL.md': inner });
  await using client = await connected([outer, skill({ 'SKILL.md': inner }, { under: 'outer/parts' })]);
  const entries = (await client.request('skills/list'))['skills'] as SkillEntry[];
  assert.deepEqual(
    entries.map(({ uri }) => uri),
    ['skill://outer/SKILL.md', 'skill://outer/parts/inner/SKILL.md'],
  );
  const { resources } = await client.request('resources/directory/read', { uri: 'skill://outer/parts/inner' });
  assert.equal((resources as unknown[]).length, 1);
});

test('a nested skill that is not what the skill around it has there is refused: only one of the two could be loaded', () => {
  const inner = '---\nname: inner\ndescription: Inside\n---\n';
  const outer = skill({ 'SKILL.md': '---\nname: outer\ndescription: Around\n---\n', 'inner/SKILL.md': inner });
  assert.throws(() => skills([outer, skill({ 'SKILL.md': `${inner}Other` }, { under: 'outer' })]), {
    name: 'DefinitionError',
    message: /the file skill:\/\/outer\/inner\/SKILL\.md, and it is not the same in both/,
  });
});

test('a dynamic skill that makes no valid files is an error of the server, and its frontmatter must be JSON', async () => {
  assert.throws(() => dynamicSkill({ name: 'a', description: 'b', at: Number.NaN }, () => ({})), { message: /JSON/ });
  await using client = await connected([dynamicSkill({ name: 'a', description: 'b' }, () => ({ 'x.md': '' }))]);
  await assert.rejects(client.read('skill://a/SKILL.md'), { code: -32603 });
});
