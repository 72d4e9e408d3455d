import assert from 'node:assert/strict';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Client, connect } from 'tenon/client';
import { serveOverHttp, textOf, waysTo, withTenon } from '../../shared/test/ways.ts';
import { applyEdits } from './edit.ts';
import { createFilesystem } from './filesystem.ts';
import { Folders } from '../../shared/folders.ts';
import { withinCpuMsAsync } from '../../../scripts/lib/cpu-time.ts';

const eras = { get: () => undefined, set() {}, delete() {} };
const base = await mkdtemp(join(tmpdir(), 'tenon-files-'));
after(() => rm(base, { recursive: true, force: true }));

async function fill(root: string): Promise<void> {
  await mkdir(join(root, 'src', 'deep'), { recursive: true });
  await mkdir(join(root, 'node_modules', 'x'), { recursive: true });
  await writeFile(join(root, 'a.txt'), 'one\ntwo\nthree\nÄ 日本\n');
  await writeFile(join(root, 'empty.txt'), '');
  await writeFile(join(root, 'code.js'), 'function a() {\n    return 1;\n}\n\nfunction b() {\n  return 2;\n}\n');
  await writeFile(join(root, 'pixel.png'), Buffer.from('iVBORw0KGgo=', 'base64'));
  await writeFile(join(root, 'src', 'deep', 'x.test.ts'), 'x'.repeat(2_000));
  await writeFile(join(root, 'src', '.hidden'), 'h');
  await writeFile(join(root, 'node_modules', 'x', 'index.js'), '1');
}

const one = join(base, 'one');
await fill(one);
async function filesystem(root: string, confirm = false) {
  return createFilesystem({ folders: await Folders.of([root]), hardLinks: false, confirm });
}

type Step = readonly [name: string, args: (root: string) => Record<string, unknown>];
/** Calls with the same meaning for both servers. */
const TABLE: readonly Step[] = [
  ['list_allowed_directories', () => ({})],
  ['read_text_file', (root) => ({ path: join(root, 'a.txt') })],
  ['read_file', (root) => ({ path: join(root, 'a.txt') })],
  ['read_text_file', (root) => ({ path: join(root, 'a.txt'), head: 2 })],
  ['read_text_file', (root) => ({ path: join(root, 'a.txt'), head: 99 })],
  ['read_text_file', (root) => ({ path: join(root, 'empty.txt') })],
  ['read_text_file', (root) => ({ path: join(root, 'missing.txt') })],
  ['read_text_file', (root) => ({ path: join(root, 'a.txt'), head: 1, tail: 1 })],
  ['read_text_file', () => ({ path: '/etc/passwd' })],
  ['read_media_file', (root) => ({ path: join(root, 'pixel.png') })],
  ['read_media_file', (root) => ({ path: join(root, 'a.txt') })],
  ['read_multiple_files', (root) => ({ paths: [join(root, 'a.txt'), join(root, 'empty.txt')] })],
  ['read_multiple_files', () => ({ paths: [] })],
  ['list_directory', (root) => ({ path: join(root, 'src') })],
  ['list_directory', (root) => ({ path: join(root, 'a.txt') })],
  ['list_directory_with_sizes', (root) => ({ path: root, sortBy: 'size' })],
  ['list_directory_with_sizes', (root) => ({ path: root })],
  ['directory_tree', (root) => ({ path: join(root, 'src') })],
  ['directory_tree', (root) => ({ path: root, excludePatterns: ['node_modules', '*.txt', 'code.js', 'pixel.png'] })],
  ['search_files', (root) => ({ path: root, pattern: '**/*.ts' })],
  ['search_files', (root) => ({ path: root, pattern: '*.txt' })],
  ['search_files', (root) => ({ path: root, pattern: '**/index.js', excludePatterns: ['node_modules/**'] })],
  ['search_files', (root) => ({ path: root, pattern: 'nothing' })],
  ['write_file', (root) => ({ path: join(root, 'new.txt'), content: 'new\n' })],
  ['write_file', (root) => ({ path: join(root, 'new.txt'), content: 'newer\n' })],
  ['write_file', (root) => ({ path: join(root, 'missing', 'new.txt'), content: 'x' })],
  ['read_text_file', (root) => ({ path: join(root, 'new.txt') })],
  ['edit_file', (root) => ({ path: join(root, 'a.txt'), edits: [{ oldText: 'two', newText: 'zwei' }], dryRun: true })],
  ['edit_file', (root) => ({ path: join(root, 'a.txt'), edits: [{ oldText: 'two', newText: 'zwei\nund' }] })],
  [
    'edit_file',
    (root) => ({
      path: join(root, 'code.js'),
      edits: [{ oldText: 'function a() {\nreturn 1;\n}', newText: 'function a() {\n  return 3;\n}' }],
    }),
  ],
  ['edit_file', (root) => ({ path: join(root, 'a.txt'), edits: [{ oldText: 'missing', newText: 'x' }] })],
  ['read_text_file', (root) => ({ path: join(root, 'code.js') })],
  ['create_directory', (root) => ({ path: join(root, 'x', 'y', 'z') })],
  ['create_directory', (root) => ({ path: join(root, 'x') })],
  ['list_directory', (root) => ({ path: join(root, 'x') })],
  ['move_file', (root) => ({ source: join(root, 'new.txt'), destination: join(root, 'x', 'moved.txt') })],
  ['move_file', (root) => ({ source: join(root, 'a.txt'), destination: join(root, 'code.js') })],
  ['move_file', (root) => ({ source: join(root, 'missing'), destination: join(root, 'there') })],
  ['list_directory', (root) => ({ path: join(root, 'x') })],
];

test('the same calls give the same answers as those of the published original', async () => {
  const entry = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
  const [theirs, ours] = [join(base, 'theirs', 'root'), join(base, 'ours', 'root')];
  for (const root of [theirs, ours]) await cp(one, root, { recursive: true });
  await using original = await connect({ command: process.execPath, args: [entry, theirs] }, { eras });
  await using client = await connect(await filesystem(ours));
  const result = async (who: Client, root: string, [name, args]: Step) => {
    const { content, structuredContent, isError = false } = await who.result(name, args(root));
    const structured = name === 'read_media_file' ? {} : { structuredContent };
    const said = JSON.stringify(isError ? { isError } : { content, ...structured });
    return JSON.parse(said.replaceAll(root, 'ROOT').replaceAll(root.slice(1), 'ROOT')) as unknown;
  };
  for (const step of TABLE) {
    const found = await result(client, ours, step);
    const expected = await result(original, theirs, step);
    // The original lists links in the order of the disk, and this server by name.
    assert.deepEqual(found, expected, JSON.stringify([step[0], step[1](ours)]));
  }
  const names = async (who: Client) => (await who.tools().all()).map(({ name }) => name).sort();
  assert.deepEqual(await names(client), await names(original));
});

test('line endings are kept, and only the edited text changes', async () => {
  assert.equal(applyEdits('a\r\nb\r\nc\r\n', [{ oldText: 'a\nb', newText: 'x\ny\nz' }]), 'x\r\ny\r\nz\r\nc\r\n');
  assert.equal(applyEdits('a\nb\r\nc\n', [{ oldText: 'c', newText: 'd' }]), 'a\nb\r\nd\n');
  assert.equal(applyEdits('a\r\nb\r\nc\nd\r\n', [{ oldText: 'a\nb', newText: 'x\ny' }]), 'x\r\ny\r\nc\nd\r\n');
  assert.equal(
    applyEdits('  a\r\n  b\r\nc\n', [{ oldText: 'a\nb ', newText: 'x\ny' }]),
    '  x\r\n  y\r\nc\n'.replace('  y', 'y'),
  );
  assert.equal(applyEdits('$&', [{ oldText: '$&', newText: "$'$`$1" }]), "$'$`$1");
});

test('an edit that matches several places is rejected with their lines', () => {
  const twice = 'a\nx = 1\nb\nx = 1\n';
  assert.throws(() => applyEdits(twice, [{ oldText: 'x = 1', newText: 'x = 2' }]), /2 times, at lines 2, 4/);
  assert.throws(() => applyEdits('  y\nz\n y\n', [{ oldText: 'y ', newText: 'n' }]), /2 times, at lines 1, 3/);
  assert.throws(() => applyEdits('a', [{ oldText: '', newText: 'n' }]), /empty/);
  assert.equal(applyEdits(twice, [{ oldText: 'b\nx = 1', newText: 'b\nx = 2' }]), 'a\nx = 1\nb\nx = 2\n');
});

test('a file is replaced atomically and keeps its permissions', async () => {
  const path = join(base, 'mode', 'run.sh');
  await mkdir(join(base, 'mode'));
  await writeFile(path, 'echo 1\n');
  await chmod(path, 0o754);
  await using client = await connect(await filesystem(join(base, 'mode')));
  await client.call('write_file', { path, content: 'echo 2\n' });
  await client.call('edit_file', { path, edits: [{ oldText: '2', newText: '3' }] });
  assert.equal((await stat(path)).mode & 0o777, 0o754);
  assert.equal(await readFile(path, 'utf8'), 'echo 3\n');
  assert.deepEqual(await client.call('list_directory', { path: join(base, 'mode') }), { content: '[FILE] run.sh' });
});

test('a file of 20 MB is read part by part, without a character lost', async () => {
  const root = join(base, 'large');
  await mkdir(root);
  const path = join(root, 'large.txt');
  const line = 'Zeile mit Ümläuten und 日本 🚀\n';
  const whole = line.repeat(Math.ceil((20 * 1024 * 1024) / Buffer.byteLength(line)));
  await writeFile(path, whole);
  await using client = await connect(await filesystem(root));
  const { content } = await client.result('read_text_file', { path });
  const [first, more] = content as unknown as [{ text: string }, { type: string; uri: string }];
  assert.equal(more.type, 'resource_link');
  const parts = [first.text];
  for (let uri: string | undefined = more.uri; uri !== undefined;) {
    const part = (await client.read(uri)).contents[0] as { text: string; _meta?: Record<string, string> };
    parts.push(part.text);
    uri = part._meta?.['tenon/next'];
  }
  assert.equal(parts.join('') === whole, true);
  assert.deepEqual(await client.call('read_text_file', { path, tail: 2 }), { content: (line + line).trimEnd() });
  const lines = whole.split('\n').length - 1;
  await assert.rejects(client.call('read_text_file', { path, tail: lines }), /request fewer/);
});

test('binary files are not read as text', async () => {
  const root = join(base, 'binary');
  await mkdir(root);
  await writeFile(join(root, 'x.bin'), Buffer.from([0xff, 0xfe, 0x00, 0x80]));
  await using client = await connect(await filesystem(root));
  await assert.rejects(client.call('read_text_file', { path: join(root, 'x.bin') }), /read_media_file/);
  const { content } = await client.result('read_media_file', { path: join(root, 'x.bin') });
  assert.equal((content[0] as { resource: { blob: string } }).resource.blob, '//4AgA==');
});

test('the number of lines must be positive', async () => {
  await using client = await connect(await filesystem(one));
  for (const count of [0, -1, 1.5])
    await assert.rejects(client.call('read_text_file', { path: join(one, 'a.txt'), head: count }), {
      name: 'ToolError',
    });
});

test('the user is asked before a file is overwritten, in both eras, and a declined question changes nothing', async () => {
  const root = join(base, 'sure');
  for (const revision of ['2026-07-28', '2025-11-25'] as const)
    for (const [answer, expected] of [
      [{ action: 'accept', content: { overwrite: true } }, 'new'],
      [{ action: 'accept', content: { overwrite: false } }, 'old'],
      [{ action: 'decline' }, 'old'],
    ] as const) {
      await rm(root, { recursive: true, force: true });
      await mkdir(root);
      await writeFile(join(root, 'a.txt'), 'old');
      await using client = await connect(await filesystem(root, true), { revision, elicit: () => answer as never });
      await client.result('write_file', { path: join(root, 'a.txt'), content: 'new' });
      assert.equal(await readFile(join(root, 'a.txt'), 'utf8'), expected, `${revision} ${JSON.stringify(answer)}`);
      await client.call('write_file', { path: join(root, `new-${revision}.txt`), content: 'not asked' });
    }
});

test('the roots of the client narrow the allowed folders, from the moment they change, and never widen them', async () => {
  const root = join(base, 'roots');
  for (const name of ['a', 'b']) {
    await mkdir(join(root, name), { recursive: true });
    await writeFile(join(root, name, 'x.txt'), name);
  }
  const uri = (path: string) => ({ uri: pathToFileURL(path).href });
  for (const revision of ['2026-07-28', '2025-11-25'] as const) {
    await using client = await connect(await filesystem(root), {
      revision,
      roots: [uri(join(root, 'a')), uri('/etc')],
    });
    assert.deepEqual(await client.call('read_text_file', { path: join(root, 'a', 'x.txt') }), { content: 'a' });
    await assert.rejects(client.call('read_text_file', { path: join(root, 'b', 'x.txt') }), /Access denied/);
    await client.setRoots([uri(join(root, 'b'))]);
    assert.deepEqual(await client.call('read_text_file', { path: join(root, 'b', 'x.txt') }), { content: 'b' });
    await assert.rejects(client.call('read_text_file', { path: join(root, 'a', 'x.txt') }), /Access denied/);
    await client.setRoots([uri('/etc')]);
    await assert.rejects(client.call('list_allowed_directories'), /None of the client's roots/);
  }
  // A root that contains the folder does not narrow it.
  await using around = await connect(await filesystem(root), { roots: [uri(base)] });
  assert.deepEqual(await around.call('list_allowed_directories'), { content: `Allowed directories:\n${root}` });
  const open = createFilesystem({ folders: await Folders.of([]), hardLinks: false, confirm: false });
  await using nobody = await connect(open);
  await assert.rejects(nobody.call('list_allowed_directories'), /No folder is allowed/);
  await using somebody = await connect(open, { roots: [uri(join(root, 'a'))] });
  assert.deepEqual(await somebody.call('list_allowed_directories'), {
    content: `Allowed directories:\n${join(root, 'a')}`,
  });
});

test('a client that reads a file and subscribes to it is notified of changes by any program', async () => {
  const root = join(base, 'watched');
  await mkdir(root);
  const path = join(root, 'a b.txt');
  await writeFile(path, 'one');
  for (const revision of ['2026-07-28', '2025-11-25'] as const) {
    await using client = await connect(await filesystem(root), { revision });
    const uri = `filesystem://text/${path.slice(1).replace(' ', '%20')}`;
    assert.equal((await client.read(uri)).contents[0]?.uri, uri);
    const watch = client.watch({ uri });
    await watch.ready;
    const changes = watch[Symbol.asyncIterator]();
    await writeFile(path, 'two');
    assert.deepEqual((await changes.next()).value, { uri, missed: false });
    await client.call('edit_file', { path, edits: [{ oldText: 'two', newText: 'three' }] });
    assert.deepEqual((await changes.next()).value, { uri, missed: false });
    await writeFile(path, 'one');
    await changes.return?.();
  }
});

test('concurrent edits are all applied, and concurrent moves to one destination lose no file', async () => {
  const root = join(base, 'busy');
  await mkdir(root);
  const path = join(root, 'list.txt');
  await using client = await connect(await filesystem(root));
  for (let round = 0; round < 5; round++) {
    await writeFile(path, Array.from({ length: 10 }, (_, index) => `line ${index}\n`).join(''));
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        client.call('edit_file', { path, edits: [{ oldText: `line ${index}\n`, newText: `done ${index}\n` }] }),
      ),
    );
    assert.equal((await readFile(path, 'utf8')).match(/done/g)?.length, 10);
    for (let index = 0; index < 8; index++) await writeFile(join(root, `from-${index}`), String(index));
    const moves = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        client.result('move_file', { source: join(root, `from-${index}`), destination: join(root, `to-${round}`) }),
      ),
    );
    assert.equal(moves.filter(({ isError }) => isError !== true).length, 1);
    let left = 0;
    for (let index = 0; index < 8; index++)
      left += await stat(join(root, `from-${index}`)).then(
        () => 1,
        () => 0,
      );
    assert.equal(left, 7);
  }
});

test('names with percent signs are not decoded', async () => {
  const root = join(base, 'percent');
  await mkdir(root);
  await writeFile(join(root, 'a%41.txt'), 'x'.repeat(1_200_000));
  await writeFile(join(root, 'aA.txt'), 'another');
  await writeFile(join(root, '50%.txt'), 'half');
  await using client = await connect(await filesystem(root));
  const { content } = await client.result('read_text_file', { path: join(root, 'a%41.txt') });
  const { uri } = content[1] as { uri: string };
  assert.match(String((await client.read(uri)).contents[0]?.text), /^x+$/);
  assert.equal((await client.read(`filesystem://text/${root.slice(1)}/50%25.txt`)).contents[0]?.text, 'half');
});

test('results fit into 10 MiB, and ordinary calls are quick', async () => {
  const root = join(base, 'heavy');
  await mkdir(root);
  await writeFile(join(root, 'control.txt'), '\u0001'.repeat(1_000_000));
  await writeFile(join(root, 'braces.txt'), '}\n'.repeat(500_000));
  await writeFile(join(root, 'lines.txt'), Array.from({ length: 30_000 }, (_, index) => `${index}\n`).join(''));
  await mkdir(join(root, 'names'));
  await writeFile(join(root, 'names', 'a'.repeat(120)), '');
  await using client = await connect(await filesystem(root));
  const size = async (name: string, args: Record<string, unknown>) =>
    JSON.stringify(await client.result(name, args)).length;
  assert.ok((await size('read_text_file', { path: join(root, 'control.txt') })) < 8_000_000);
  assert.ok((await size('read_multiple_files', { paths: Array(4).fill(join(root, 'control.txt')) })) < 8_000_000);
  await withinCpuMsAsync(5_000, async () => {
    await assert.rejects(
      client.call('edit_file', { path: join(root, 'braces.txt'), edits: [{ oldText: '}', newText: ')' }] }),
      /500000 times, at lines 1, 2, 3, 4, 5 and more/,
    );
    const all = Array.from({ length: 30_000 }, (_, index) => `${index}\n`).join('');
    const text = all.replaceAll(/^/gm, 'x');
    await client.call('edit_file', { path: join(root, 'lines.txt'), edits: [{ oldText: all, newText: text }] });
    await client.call('search_files', { path: root, pattern: '**/*a*a*a*a*a*a*a*a*a*b' });
  });
});

test('paths are completed, but only inside of the allowed folders', async () => {
  await using client = await connect(await filesystem(one));
  const complete = async (typed: string) =>
    (await client.complete({ template: 'filesystem://text/{+path}{?offset}' }, { argument: 'path', value: typed }))
      .values;
  assert.deepEqual(await complete(`${one.slice(1)}/sr`), [`${one.slice(1)}/src/`]);
  assert.deepEqual(await complete('etc/pass'), []);
});

test('over HTTP a folder must be named, and each client has its own roots', async () => {
  await assert.rejects(serveOverHttp({ name: 'filesystem' }), /at least one folder/);
  const { url, stop } = await serveOverHttp({ name: 'filesystem', args: [one] });
  after(stop);
  const roots = [{ uri: pathToFileURL(join(one, 'src')).href }];
  const narrow = await withTenon(url, '2025-11-25', { roots });
  const wide = await withTenon(url, '2025-11-25');
  assert.equal((await narrow.call('read_text_file', { path: join(one, 'a.txt') })).isError, true);
  assert.match(textOf(await wide.call('read_text_file', { path: join(one, 'a.txt') })), /one/);
  assert.equal((await narrow.call('read_text_file', { path: join(one, 'a.txt') })).isError, true);
  await narrow.close();
  await wide.close();
});

const { ways, stop } = waysTo({ name: 'filesystem', args: [one] });
after(stop);
for (const [way, open] of ways)
  test(`it answers, ${way}`, async () => {
    const client = await open();
    assert.equal((await client.tools()).length, 14);
    assert.match(textOf(await client.call('read_text_file', { path: join(one, 'a.txt'), head: 1 })), /^one/);
    assert.equal((await client.call('read_text_file', { path: '/etc/passwd' })).isError, true);
    await client.close();
  });
