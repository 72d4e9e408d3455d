// Loading of skills by a client: files that differ from the entry are never used, and nothing is read before it is requested.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { type JsonObject, resource, server } from 'tenon';
import { connect } from 'tenon/client';
import { agreesOn, connectScripted } from 'tenon/testing';
import { provoke } from '../../../scripts/lib/error-codes.ts';
import { bindingOf, type SkillEntry, type SkillError, SKILLS_EXTENSION, skillsOf } from '../src/client.ts';
import { dynamicSkill, skill, skills } from '../src/index.ts';

const TEXT = `---
name: pdf
description: Fill in forms
metadata: { version: "1", reviewed: 2026-07-28 }
allowed-tools: Bash
---
Do it.
`;
const FORMS = '# Forms';
const URI = 'skill://pdf/SKILL.md';
const FORMS_URI = 'skill://pdf/references/FORMS.md';
const FRONTMATTER = {
  name: 'pdf',
  description: 'Fill in forms',
  metadata: { version: '1', reviewed: '2026-07-28' },
  'allowed-tools': 'Bash',
};

function digest(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
function fileOf(uri: string, text: string) {
  return { uri, digest: digest(text), size: Buffer.byteLength(text) };
}
function entryOf(changes: Record<string, unknown> = {}): JsonObject {
  return { uri: URI, frontmatter: FRONTMATTER, resources: [fileOf(URI, TEXT), fileOf(FORMS_URI, FORMS)], ...changes };
}

interface Given {
  readonly entry?: unknown;
  /** The pages of its list. Default: one page with the entry. */
  readonly pages?: readonly JsonObject[];
  /** The results that it sends instead of the files, by URI. */
  readonly files?: Readonly<Record<string, JsonObject>>;
  readonly settings?: JsonObject | null;
}

/** A server with any responses, which records reads. */
async function scripted({ entry = entryOf(), pages = [{ skills: [entry] }], files = {}, settings = {} }: Given = {}) {
  const known: Record<string, JsonObject> = { [URI]: { text: TEXT }, [FORMS_URI]: { text: FORMS }, ...files };
  const extensions = settings === null ? {} : { extensions: { [SKILLS_EXTENSION]: settings } };
  const common = { resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' };
  const { client, peer } = await connectScripted(
    {
      ...agreesOn('2026-07-28', { capabilities: { resources: {}, ...extensions } }),
      'skills/list': ({ params }) => ({ ...common, ...pages[Number(params?.['cursor'] ?? 0)] }),
      'skills/get': { ...common, skill: entry },
      'resources/directory/read': { resultType: 'complete', resources: [{ uri: `${URI}2`, name: 'other' }] },
      'resources/read': ({ params }) => {
        const uri = String(params?.['uri']);
        return { ...common, contents: [{ uri, mimeType: 'text/markdown', ...known[uri] }] };
      },
    },
    { extensions: { [SKILLS_EXTENSION]: {} } },
  );
  const reads = () => peer.calls('resources/read').map(({ params }) => params?.['uri']);
  return { skills: skillsOf(client), peer, reads, client };
}

test('a skill is loaded from an entry of the list, or from its URI alone', async () => {
  const { skills: found, reads } = await scripted();
  const [entry] = await found.list().all();
  assert.deepEqual(entry, entryOf());
  for (const from of [entry!, URI]) {
    const { instructions, files, entry: held } = await found.load(from);
    assert.equal(instructions, 'Do it.\n');
    assert.deepEqual(files, ['SKILL.md', 'references/FORMS.md']);
    assert.deepEqual(held, entryOf());
  }
  assert.deepEqual(reads(), [URI, URI]);
});

test('connecting, listing, requesting an entry and binding an approval read no files; a file is read on request', async () => {
  const { skills: found, reads } = await scripted();
  const [entry] = await found.list().all();
  await found.entry(URI);
  await bindingOf(entry!);
  assert.deepEqual(reads(), []);
  const { read } = await found.load(entry!);
  assert.deepEqual(reads(), [URI]);
  assert.equal((await read('references/FORMS.md')).text, FORMS);
  assert.deepEqual(reads(), [URI, FORMS_URI]);
});

test('a `SKILL.md` that differs from its entry is not loaded', async () => {
  const other = TEXT.replace('Fill in forms', 'Send me all');
  const same = entryOf({ resources: [fileOf(URI, other)] });
  for (const [code, message, given] of [
    ['wrong-size', /has \d+ bytes instead of \d+/, { files: { [URI]: { text: `${TEXT}more` } } }],
    ['wrong-digest', /does not match its digest/, { files: { [URI]: { text: TEXT.replace('Do it', 'Do no') } } }],
    [
      'wrong-frontmatter',
      /'description' is not what the entry says/,
      { entry: same, files: { [URI]: { text: other } } },
    ],
    ['wrong-frontmatter', /'metadata'/, { entry: entryOf({ frontmatter: { ...FRONTMATTER, metadata: {} } }) }],
    ['wrong-frontmatter', /'license'/, { entry: entryOf({ frontmatter: { ...FRONTMATTER, license: null } }) }],
    [
      'wrong-frontmatter',
      /'allowed-tools'/,
      { entry: entryOf({ frontmatter: { ...FRONTMATTER, 'allowed-tools': undefined } }) },
    ],
    [
      'wrong-frontmatter',
      /begin with frontmatter/,
      { entry: entryOf({ resources: [fileOf(URI, 'x')] }), files: { [URI]: { text: 'x' } } },
    ],
    ['not-readable', /did not answer with the file/, { files: { [URI]: { uri: FORMS_URI, text: TEXT } } }],
    ['not-readable', /did not answer with the file/, { files: { [URI]: { blob: '*' } } }],
  ] as readonly (readonly [string, RegExp, Given])[]) {
    const { skills: found } = await scripted(given);
    await assert.rejects(found.load(URI), { name: 'SkillError', code, message }, String(message));
  }
});

test('another file is checked as well, whether it comes as text or as bytes', async () => {
  const { skills: found } = await scripted({ files: { [FORMS_URI]: { blob: btoa(FORMS) } } });
  assert.equal((await (await found.load(URI)).read('references/FORMS.md')).text, FORMS);
  for (const [text, code] of [
    ['# Farms', 'wrong-digest'],
    ['# Forms!', 'wrong-size'],
  ] as const) {
    const { skills: changed } = await scripted({ files: { [FORMS_URI]: { text } } });
    const { read } = await changed.load(URI);
    await assert.rejects(read('references/FORMS.md'), { name: 'SkillError', code });
  }
});

test('the current files of the server are checked, not cached ones', async () => {
  const { skills: found, client, reads } = await scripted();
  await client.read(URI);
  await client.read(URI);
  assert.equal(reads().length, 1);
  await found.load(URI);
  assert.equal(reads().length, 2);
});

test('only files that the entry lists are read, however their paths are written', async () => {
  const { skills: found, reads } = await scripted({ settings: { directoryRead: true } });
  const { read } = await found.load(URI);
  await found.directory('skill://pdf');
  for (const path of [
    'other',
    '../other/SKILL.md',
    'references/../SKILL.md',
    '/SKILL.md',
    FORMS_URI,
    '',
    'references%2FFORMS.md',
  ])
    await assert.rejects(read(path), { name: 'SkillError', code: 'not-listed' }, path);
  assert.deepEqual(reads(), [URI]);
});

test('a skill keeps the entry that it was loaded with, even if the passed object changes', async () => {
  const { skills: found } = await scripted();
  const given = structuredClone(entryOf()) as unknown as SkillEntry;
  const { read, entry } = await found.load(given);
  (given.resources as unknown as { digest: string }[])[1]!.digest = `sha256:${'0'.repeat(64)}`;
  (given.frontmatter as { name: string }).name = 'other';
  assert.equal((await read('references/FORMS.md')).text, FORMS);
  assert.deepEqual(entry, entryOf());
});

test('an invalid entry is not loaded, and ends a list unless `onInvalid` is given', async () => {
  const listed = fileOf(URI, TEXT);
  const wrong: unknown[] = [
    null,
    'skill',
    {},
    entryOf({ uri: 5 }),
    entryOf({ uri: 'skill://pdf/README.md' }),
    entryOf({ uri: 'skill://doc/SKILL.md', resources: 'dynamic' }),
    entryOf({ frontmatter: { description: 'x' } }),
    entryOf({ frontmatter: { name: 'pdf' } }),
    entryOf({ frontmatter: { name: 'PDF', description: 'x' } }),
    entryOf({ resources: undefined }),
    entryOf({ resources: 'static' }),
    entryOf({ resources: [fileOf(FORMS_URI, FORMS)] }),
    entryOf({ resources: [listed, listed] }),
    entryOf({ resources: [listed, fileOf('skill://other/x', '')] }),
    entryOf({ resources: [listed, fileOf('skill://pdf/../x', '')] }),
    entryOf({ resources: [listed, fileOf('skill://pdf/%2e%2E/x', '')] }),
    entryOf({ resources: [{ ...listed, digest: listed.digest.toUpperCase() }] }),
    entryOf({ resources: [{ ...listed, size: -1 }] }),
    entryOf({ resources: [{ ...listed, size: 1.5 }] }),
    entryOf({ resources: [listed, 5] }),
  ];
  for (const entry of wrong) {
    const { skills: found, reads } = await scripted({ entry });
    await assert.rejects(found.load(URI), { name: 'SkillError', code: 'invalid-entry' }, JSON.stringify(entry));
    await assert.rejects(found.load(entry as SkillEntry), { code: /invalid-entry|not-offered/ });
    await assert.rejects(found.list().all(), { name: 'SkillError', code: 'invalid-entry' });
    assert.deepEqual(reads(), []);
  }
  const { skills: found } = await scripted({ pages: [{ skills: [wrong[2], entryOf(), wrong[5]] }] });
  const heard: SkillError[] = [];
  const good = await found.list({ onInvalid: (error) => heard.push(error) }).all();
  assert.deepEqual(good, [entryOf()]);
  assert.equal(heard.length, 2);
});

test('an entry for another skill than the requested one is refused', async () => {
  const { skills: found } = await scripted();
  await assert.rejects(found.entry('skill://other/SKILL.md'), { code: 'invalid-entry', message: /asked for/ });
});

test('a skill of 512 files and 16 MiB is accepted, and a larger one is not', async () => {
  const files = (count: number, size: number) => [
    fileOf(URI, TEXT),
    ...Array.from({ length: count - 1 }, (_, at) => ({ uri: `skill://pdf/${at}`, digest: digest(''), size })),
  ];
  const rest = 16 * 1024 * 1024 - Buffer.byteLength(TEXT);
  for (const resources of [files(512, 0), files(2, rest)])
    assert.equal(
      (await (await scripted({ entry: entryOf({ resources }) })).skills.load(URI)).files?.length,
      resources.length,
    );
  for (const resources of [files(513, 0), files(2, rest + 1)]) {
    const { skills: found, reads } = await scripted({ entry: entryOf({ resources }) });
    await assert.rejects(found.load(URI), { name: 'SkillError', code: 'too-large', message: /at most/ });
    assert.deepEqual(reads(), []);
  }
});

test('a file of the maximum size is read', async () => {
  const head = '---\nname: big\ndescription: Large\n---\n';
  const bytes = new Uint8Array(16 * 1024 * 1024 - head.length).fill(255);
  const app = server({ name: 'x', providers: [skills([skill({ 'SKILL.md': head, 'a.bin': bytes })])] });
  await using client = await connect(app, { limits: { lineBytes: 32 * 1024 * 1024 } });
  const { read } = await skillsOf(client).load('skill://big/SKILL.md');
  assert.equal((await read('a.bin')).bytes.length, bytes.length);
});

test('a list has pages, and a circular one is an error', async () => {
  const other = entryOf({
    uri: 'skill://b/SKILL.md',
    frontmatter: { name: 'b', description: 'x' },
    resources: 'dynamic',
  });
  const { skills: found } = await scripted({ pages: [{ skills: [entryOf()], nextCursor: '1' }, { skills: [other] }] });
  assert.deepEqual(
    (await found.list().all()).map(({ uri }) => uri),
    [URI, 'skill://b/SKILL.md'],
  );
  const { skills: endless } = await scripted({ pages: [{ skills: [], nextCursor: '0' }] });
  await assert.rejects(endless.list().all(), { name: 'SkillError', code: 'endless-list' });
});

test('a skill that is not listed can be loaded', async () => {
  const { skills: found } = await scripted({ pages: [{ skills: [] }] });
  assert.deepEqual(await found.list().all(), []);
  assert.equal((await found.load(URI)).instructions, 'Do it.\n');
});

test('[EXT-3] no requests for skills or directories are sent to a server that does not declare them', async () => {
  const none = await scripted({ settings: null });
  assert.equal(none.skills.offered, false);
  for (const ask of [
    () => none.skills.list().all(),
    () => none.skills.load(URI),
    () => none.skills.directory('skill://pdf'),
  ])
    await assert.rejects(ask(), { name: 'SkillError', code: 'not-offered', message: /not asked/ });
  const some = await scripted();
  assert.equal(some.skills.offered, true);
  await assert.rejects(some.skills.directory('skill://pdf'), { code: 'not-offered', message: /directoryRead/ });
  for (const { peer } of [none, some])
    for (const method of ['skills/list', 'skills/get', 'resources/directory/read'])
      assert.deepEqual(peer.calls(method), [], method);
});

test('a directory lists its current contents, and does not extend a loaded skill', async () => {
  const { skills: found } = await scripted({ settings: { directoryRead: true } });
  const { read, files } = await found.load(URI);
  assert.deepEqual(await found.directory('skill://pdf'), [{ uri: `${URI}2`, name: 'other' }]);
  assert.deepEqual(files, ['SKILL.md', 'references/FORMS.md']);
  await assert.rejects(read('SKILL.md2'), { code: 'not-listed' });
});

test('a dynamic skill is loaded if its frontmatter equals that of the entry, and read file by file up to the limit', async () => {
  const big = 'x'.repeat(9 * 1024 * 1024);
  const made = dynamicSkill({ name: 'daily', description: 'Today' }, () => ({
    'SKILL.md': 'Now',
    'data/a b.txt': 'A',
    'big.txt': big,
  }));
  await using client = await connect(server({ name: 'x', providers: [skills([made])] }));
  const daily = await skillsOf(client).load(made.uri);
  assert.equal(daily.instructions, 'Now');
  assert.equal(daily.files, undefined);
  assert.equal((await daily.read('data/a b.txt')).text, 'A');
  await assert.rejects(daily.read('../other'), { code: 'not-listed' });
  await daily.read('big.txt');
  await assert.rejects(daily.read('big.txt'), { name: 'SkillError', code: 'too-large' });
  const { skills: other } = await scripted({
    entry: entryOf({ resources: 'dynamic', frontmatter: { ...FRONTMATTER, description: 'Other' } }),
  });
  await assert.rejects(other.load(URI), { code: 'wrong-frontmatter' });
});

test('a SKILL.md inside a skill is an ordinary text: it is not loaded, and its frontmatter has no effect', async () => {
  const inner = '---\nname: inner\ndescription: Inside\nallowed-tools: Bash\n---\nTake over.';
  const outer = skill({ 'SKILL.md': '---\nname: outer\ndescription: Around\n---\n', 'inner/SKILL.md': inner });
  await using client = await connect(server({ name: 'x', providers: [skills([outer])] }));
  const found = skillsOf(client);
  const { read, entry } = await found.load(outer.uri);
  assert.equal((await read('inner/SKILL.md')).text, inner);
  assert.deepEqual(entry.frontmatter, { name: 'outer', description: 'Around' });
  await assert.rejects(found.load('skill://outer/inner/SKILL.md'), { code: -32602 });
});

test('the binding of an approval changes with every file, does not depend on their order, and is undefined for a dynamic skill', async () => {
  const { skills: found } = await scripted();
  const entry = await found.entry(URI);
  const files = entry.resources as Exclude<SkillEntry['resources'], 'dynamic'>;
  const binding = await bindingOf(entry);
  assert.match(binding!, /^sha256:/);
  assert.equal(await bindingOf({ ...entry, resources: [...files].reverse() }), binding);
  for (const changed of [
    { ...entry, uri: 'skill://other/pdf/SKILL.md' },
    { ...entry, resources: files.slice(1) },
    { ...entry, resources: [...files, { uri: 'skill://pdf/new', digest: digest(''), size: 0 }] },
    { ...entry, resources: files.map((file) => ({ ...file, digest: digest('x') })) },
  ])
    assert.notEqual(await bindingOf(changed), binding);
  assert.equal(await bindingOf({ ...entry, resources: 'dynamic' }), undefined);
});

test('[EXT-8] a host in the URI of a skill is never contacted: the server of the skill answers', async () => {
  const fetched: unknown[] = [];
  const original = globalThis.fetch;
  globalThis.fetch = async (...args) => {
    fetched.push(args);
    return original(...args);
  };
  try {
    const text = '---\nname: pdf\ndescription: x\n---\n';
    const made = skill({ 'SKILL.md': text }, { under: 'metadata.google.internal' });
    await using client = await connect(server({ name: 'x', providers: [skills([made])] }));
    await skillsOf(client).load('skill://metadata.google.internal/pdf/SKILL.md');
    assert.deepEqual(fetched, []);
  } finally {
    globalThis.fetch = original;
  }
});

test('a skill may have any URI scheme, and the scheme of skills does not make a resource a skill', async () => {
  const uri = 'github://owner/repo/pdf/SKILL.md';
  const { skills: found } = await scripted({
    entry: entryOf({ uri, resources: [fileOf(uri, TEXT)] }),
    files: { [uri]: { text: TEXT } },
  });
  assert.equal((await found.load(uri)).instructions, 'Do it.\n');
  const app = server({ name: 'x', resources: { [URI]: resource({ name: 'pdf' }, () => TEXT) } });
  await using client = await connect(app);
  await assert.rejects(skillsOf(client).load(URI), { code: 'not-offered' });
});

describe('errors', () => {
  const load = async (given: Given) => (await scripted(given)).skills.load(URI);
  provoke('SkillError', {
    'not-offered': () => load({ settings: null }),
    'invalid-entry': () => load({ entry: {} }),
    'too-large': () => load({ entry: entryOf({ resources: [{ ...fileOf(URI, TEXT), size: 2 ** 30 }] }) }),
    'not-listed': async () => (await load({})).read('other'),
    'wrong-size': () => load({ files: { [URI]: { text: '' } } }),
    'wrong-digest': () => load({ files: { [URI]: { text: TEXT.toUpperCase() } } }),
    'wrong-frontmatter': () => load({ entry: entryOf({ frontmatter: { ...FRONTMATTER, x: 1 } }) }),
    'not-readable': () => load({ files: { [URI]: { uri: FORMS_URI, text: TEXT } } }),
    'endless-list': async () => (await scripted({ pages: [{ skills: [], nextCursor: '0' }] })).skills.list().all(),
  } satisfies Record<SkillError['code'], () => unknown>);
});

test('skills work with clients of any contract', async () => {
  const app = server({ name: 'x', methods: { 'acme/x': () => ({}) }, providers: [skills([])] });
  await using client = await connect<typeof app>(app);
  assert.equal(skillsOf(client).offered, true);
});

describe('paths of files', () => {
  const at = (path: string) => `skill://pdf/${path}`;
  for (const path of [
    'a%2f..%2f..%2fevil',
    '..%2Fevil',
    '%2e%2E%5Cevil',
    'a\\..\\..\\evil',
    '..\\evil',
    'C:\\evil',
    'a%00b',
    'a\u0000b',
    '%2Fetc%2Fpasswd',
    'a%0Ab',
  ])
    test(`a file whose decoded path leads elsewhere is refused with its whole entry: ${JSON.stringify(path)}`, async () => {
      const resources = [fileOf(URI, TEXT), fileOf(at(path), 'x')];
      const { skills: found, reads } = await scripted({ entry: entryOf({ resources }) });
      await assert.rejects(found.load(URI), { name: 'SkillError', code: 'invalid-entry' });
      assert.deepEqual(reads(), []);
    });

  test('two files with one path are refused: one of them would never be seen', async () => {
    const resources = [fileOf(URI, TEXT), fileOf(at('a%62.md'), 'x'), fileOf(at('ab.md'), 'y')];
    const { skills: found } = await scripted({ entry: entryOf({ resources }) });
    await assert.rejects(found.load(URI), { name: 'SkillError', code: 'invalid-entry' });
  });
});
