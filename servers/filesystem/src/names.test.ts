// File names that look like something else, or are not text.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { connect } from 'tenon/client';
import { Folders } from '../../shared/folders.ts';
import { createFilesystem } from './filesystem.ts';
import { shownName } from './names.ts';

const skip = process.platform !== 'linux' && 'such names cannot exist on this system';
const base = await realpath(await mkdtemp(join(tmpdir(), 'tenon-names-')));
after(() => rm(base, { recursive: true, force: true }));

/** A folder with files, whose names are given in Latin-1, and a client of a server for it. */
async function setting(name: string, files: readonly string[]) {
  const root = join(base, name);
  await mkdir(root);
  for (const file of files) await writeFile(Buffer.from(`${root}/${file}`, 'latin1'), 'x');
  const client = await connect(
    createFilesystem({ folders: await Folders.of([root]), hardLinks: false, confirm: false }),
  );
  after(() => client.close());
  const call = async (tool: string, args: Record<string, unknown> = {}): Promise<string> =>
    ((await client.call(tool, { path: root, ...args })) as { content: string }).content;
  return { root, client, call };
}

test('each entry is one line of a listing, whatever its name contains', { skip }, async () => {
  const { root, client, call } = await setting('lines', ['a\n[FILE] forged.txt', '"quoted"', 'plain "inside".txt']);
  const lines = ['[FILE] "\\"quoted\\""', '[FILE] "a\\n[FILE] forged.txt"', '[FILE] plain "inside".txt'];
  assert.equal(await call('list_directory'), lines.join('\n'));
  const sized = (await call('list_directory_with_sizes')).split('\n\n')[0]!.split('\n');
  assert.deepEqual(sized.map((line) => line.slice(0, lines[0]!.length)).includes(lines[0]!), true);
  assert.equal(sized.length, 3);
  assert.deepEqual(
    await call('search_files', { pattern: '*forged*' }),
    JSON.stringify(join(root, 'a\n[FILE] forged.txt')),
  );
  // The quoted form is the name as JSON.
  const path = join(root, JSON.parse(lines[1]!.slice('[FILE] '.length)) as string);
  assert.deepEqual(await client.call('read_text_file', { path }), { content: 'x' });
});

test('a name is quoted if, and only if, it could be mistaken for something else', () => {
  for (const name of ['a.txt', 'ä b', 'a"b', 'a\\b', '日本', '👩‍👩‍👧', ' a']) assert.equal(shownName(name), name);
  for (const name of ['a\r', '\t', '"', 'a\u2028b', 'a\u2029b', 'a\u0085b', 'a\u007f', '\u001b[2K']) {
    const shown = shownName(name);
    assert.match(shown, /^"[ -~]+"$/);
    assert.equal(JSON.parse(shown), name);
  }
});

test('a name that is not UTF-8 is shown with its bytes, and never as another name', { skip }, async () => {
  const { root, client, call } = await setting('bytes', ['caf\xe9.txt', 'z.txt']);
  await mkdir(Buffer.from(`${root}/dir\xff`, 'latin1'));
  await writeFile(Buffer.from(`${root}/dir\xff/inner.txt`, 'latin1'), 'x');
  assert.equal(await call('list_directory'), '[FILE] "caf<E9>.txt"\n[DIR] "dir<FF>"\n[FILE] z.txt');
  assert.match(await call('list_directory_with_sizes'), /^\[FILE\] "caf<E9>\.txt" +\?$/m);
  const names = (JSON.parse(await call('directory_tree')) as { name: string }[]).map(({ name }) => name);
  assert.deepEqual(names, ['"caf<E9>.txt"', '"dir<FF>"', 'z.txt']);
  assert.equal(await call('search_files', { pattern: '**/*.txt' }), join(root, 'z.txt'));
  const typed = `${root.slice(1)}/`;
  const { values } = await client.complete(
    { template: 'filesystem://text/{+path}{?offset}' },
    { argument: 'path', value: typed },
  );
  assert.deepEqual(values, [`${typed}z.txt`]);
});

test('a text that cannot be written as UTF-8 is refused, in contents, edits and names', async () => {
  const { root, client } = await setting('halves', ['a.txt']);
  const path = join(root, 'a.txt');
  const half = '\ud83d';
  for (const [tool, args] of [
    ['write_file', { path, content: `a${half}` }],
    ['write_file', { path: join(root, `${half}.txt`), content: 'a' }],
    ['edit_file', { path, edits: [{ oldText: 'x', newText: half }] }],
    ['create_directory', { path: join(root, half) }],
    ['move_file', { source: path, destination: join(root, half) }],
  ] as const)
    await assert.rejects(client.call(tool, args), /half of a character/, tool);
  assert.equal(await readFile(path, 'utf8'), 'x');
  assert.deepEqual(await client.call('list_directory', { path: root }), { content: '[FILE] a.txt' });
});

test('an edit of a file that is not UTF-8 is refused, and a byte order mark is kept', async () => {
  const { root, client } = await setting('contents', ['a.txt', 'b.txt']);
  const [latin1, marked] = [join(root, 'a.txt'), join(root, 'b.txt')];
  const edits = [{ oldText: 'one', newText: 'two' }];
  await writeFile(latin1, Buffer.from('one caf\xe9', 'latin1'));
  await assert.rejects(client.call('edit_file', { path: latin1, edits }), /not text in UTF-8/);
  assert.equal(await readFile(latin1, 'latin1'), 'one caf\xe9');
  await writeFile(marked, '\ufeffone');
  await client.call('edit_file', { path: marked, edits });
  assert.equal(await readFile(marked, 'utf8'), '\ufefftwo');
});
