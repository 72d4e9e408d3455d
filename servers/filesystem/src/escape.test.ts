// Ways out of the allowed folders, and entries that are not files.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  link,
  mkdir,
  mkdtemp,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { type Client, connect } from 'tenon/client';
import { withEither, withFile, withWriteTarget } from './access.ts';
import { createFilesystem } from './filesystem.ts';
import { Folders } from '../../shared/folders.ts';
import { replaceFile } from './write.ts';

const base = await mkdtemp(join(tmpdir(), 'tenon-files-'));
after(() => rm(base, { recursive: true, force: true }));
const SECRET = 'the secret outside';

let count = 0;
/** An allowed folder, with files outside of it. */
async function setting() {
  const top = join(base, String(count++));
  const root = join(top, 'root');
  await mkdir(join(root, 'sub'), { recursive: true });
  await mkdir(join(top, 'root-evil'));
  await mkdir(join(top, 'outside'));
  await writeFile(join(root, 'a.txt'), 'inside');
  await writeFile(join(top, 'root-evil', 'x'), SECRET);
  await writeFile(join(top, 'outside', 'secret.txt'), SECRET);
  const folders = await Folders.of([root]);
  const client = await connect(createFilesystem({ folders, hardLinks: false, confirm: false }));
  after(() => client.close());
  return { top, root, outside: join(top, 'outside'), folders, client };
}

async function refused(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { isError = false, content } = await client.result(name, args);
  const said = JSON.stringify(content);
  assert.ok(isError, `${name} ${JSON.stringify(args)} gave ${said.slice(0, 200)}`);
  assert.ok(!said.includes(SECRET), said);
  return said;
}

test("[A-91] neither a folder with an allowed folder's name as prefix nor any spelling of a path gives access to other folders", async () => {
  const { client, root, top } = await setting();
  for (const path of [
    `${root}-evil/x`,
    `${root}/../root-evil/x`,
    `${root}/sub/../../root-evil/x`,
    `${root}%2f..%2froot-evil/x`,
    `${root}/a.txt\0.png`,
    '~',
    '~/.ssh/id_rsa',
    '../root-evil/x',
    'sub/../../root-evil/x',
    '/etc/passwd',
    'C:\\Windows\\win.ini',
    `${root}/a.txt/../../outside/secret.txt`,
    '',
  ]) {
    for (const name of ['read_text_file', 'read_media_file', 'list_directory', 'directory_tree', 'get_file_info']) {
      const said = await refused(client, name, { path });
      assert.ok(!said.includes(join(top, 'outside')) || path.includes('outside'), said);
    }
    await refused(client, 'write_file', { path, content: 'x' });
    await refused(client, 'edit_file', { path, edits: [{ oldText: 'secret', newText: 'x' }] });
    await refused(client, 'create_directory', { path: `${path}/new` });
    await refused(client, 'move_file', { source: path, destination: join(root, 'moved') });
    await refused(client, 'move_file', { source: join(root, 'a.txt'), destination: path });
    await refused(client, 'search_files', { path, pattern: '**' });
  }
  assert.equal(await readFile(join(top, 'root-evil', 'x'), 'utf8'), SECRET);
  assert.equal(await readFile(join(root, 'a.txt'), 'utf8'), 'inside');
});

test('[A-92] links to the outside are not followed by any tool', async () => {
  const { client, root, outside } = await setting();
  await symlink(outside, join(root, 'folder'));
  await symlink(join(outside, 'secret.txt'), join(root, 'file'));
  await symlink(join(outside, 'not-there-yet'), join(root, 'dangling'));
  await symlink('folder', join(root, 'twice'));
  for (const path of ['file', 'folder/secret.txt', 'twice/secret.txt'].map((name) => join(root, name))) {
    await refused(client, 'read_text_file', { path });
    await refused(client, 'read_media_file', { path });
    await refused(client, 'edit_file', { path, edits: [{ oldText: 'secret', newText: 'x' }] });
    await refused(client, 'write_file', { path, content: 'x' });
    await refused(client, 'get_file_info', { path });
    await refused(client, 'move_file', { source: join(root, 'a.txt'), destination: path });
  }
  for (const path of ['folder', 'twice'].map((name) => join(root, name))) {
    for (const name of ['list_directory', 'list_directory_with_sizes', 'directory_tree'])
      await refused(client, name, { path });
    await refused(client, 'search_files', { path, pattern: '**' });
    await refused(client, 'write_file', { path: join(path, 'new.txt'), content: 'x' });
    await refused(client, 'create_directory', { path: join(path, 'new') });
    await refused(client, 'move_file', { source: join(root, 'a.txt'), destination: join(path, 'moved') });
  }
  await refused(client, 'write_file', { path: join(root, 'dangling'), content: 'x' });
  const tree = String(((await client.call('directory_tree', { path: root })) as { content: string }).content);
  assert.ok(!tree.includes('secret.txt'));
  const found = (await client.call('search_files', { path: root, pattern: '**' })) as { content: string };
  assert.ok(!found.content.includes('secret.txt'));
  const several = (await client.call('read_multiple_files', { paths: [join(root, 'file'), join(root, 'a.txt')] })) as {
    content: string;
  };
  assert.ok(several.content.includes('inside') && !several.content.includes(SECRET));
  await assert.rejects(client.read(`filesystem://text/${join(root, 'file').slice(1)}`));
  assert.equal(await readFile(join(outside, 'secret.txt'), 'utf8'), SECRET);
  await assert.rejects(readFile(join(outside, 'not-there-yet')));
});

test('links inside of the folders are followed, and writing through one changes its target', async () => {
  const { client, root } = await setting();
  await symlink(join(root, 'a.txt'), join(root, 'inner'));
  assert.deepEqual(await client.call('read_text_file', { path: join(root, 'inner') }), { content: 'inside' });
  await client.call('write_file', { path: join(root, 'inner'), content: 'new' });
  assert.equal(await readFile(join(root, 'a.txt'), 'utf8'), 'new');
  assert.equal(await readlink(join(root, 'inner')), join(root, 'a.txt'));
});

test('a file with a hard link outside is used only with the option for it', async () => {
  const { client, root, outside, folders } = await setting();
  await link(join(outside, 'secret.txt'), join(root, 'hard'));
  for (const name of ['read_text_file', 'read_media_file'])
    assert.match(await refused(client, name, { path: join(root, 'hard') }), /--allow-hard-links/);
  await refused(client, 'write_file', { path: join(root, 'hard'), content: 'x' });
  assert.equal(await readFile(join(outside, 'secret.txt'), 'utf8'), SECRET);
  await using open = await connect(createFilesystem({ folders, hardLinks: true, confirm: false }));
  assert.deepEqual(await open.call('read_text_file', { path: join(root, 'hard') }), { content: SECRET });
});

// Opening one of them would block forever.
test('pipes, sockets and devices are rejected at once, without blocking', async () => {
  const { client, root } = await setting();
  execFileSync('mkfifo', [join(root, 'pipe')]);
  await symlink('/dev/zero', join(root, 'zero'));
  const paths = Array.from({ length: 8 }, () => join(root, 'pipe'));
  await Promise.all(paths.map((path) => refused(client, 'read_text_file', { path })));
  await refused(client, 'read_media_file', { path: join(root, 'pipe') });
  await refused(client, 'write_file', { path: join(root, 'pipe'), content: 'x' });
  await refused(client, 'edit_file', { path: join(root, 'pipe'), edits: [{ oldText: 'a', newText: 'b' }] });
  await refused(client, 'read_text_file', { path: join(root, 'zero') });
  assert.deepEqual(await client.call('read_text_file', { path: join(root, 'a.txt') }), { content: 'inside' });
});

test(
  'a folder that is replaced by a link during access does not lead outside',
  { skip: process.platform !== 'linux' && 'only Linux can address open files' },
  async () => {
    const { root, outside, folders } = await setting();
    await writeFile(join(root, 'sub', 'secret.txt'), 'mine');
    const swap = async (): Promise<void> => {
      await rename(join(root, 'sub'), join(root, 'moved'));
      await symlink(outside, join(root, 'sub'));
    };
    await withFile(folders, join(root, 'sub', 'secret.txt'), { hardLinks: false }, async ({ handle }) => {
      await swap();
      assert.equal(await handle.readFile('utf8'), 'mine');
    });
    await rm(join(root, 'sub'));
    await rename(join(root, 'moved'), join(root, 'sub'));
    await withWriteTarget(folders, join(root, 'sub', 'secret.txt'), async (writeTarget) => {
      await swap();
      await replaceFile(writeTarget, 'written');
    });
    assert.equal(await readFile(join(root, 'moved', 'secret.txt'), 'utf8'), 'written');
    assert.equal(await readFile(join(outside, 'secret.txt'), 'utf8'), SECRET);
  },
);

test('[A-93] large files are not read, and long searches can be cancelled', async () => {
  const { client, root } = await setting();
  await writeFile(join(root, 'huge'), '');
  await truncate(join(root, 'huge'), 5 * 1024 ** 3);
  const huge = join(root, 'huge');
  const { content } = await client.result('read_text_file', { path: huge });
  assert.ok(JSON.stringify(content).length < 8 * 1024 * 1024);
  await refused(client, 'read_media_file', { path: huge });
  await refused(client, 'edit_file', { path: huge, edits: [{ oldText: 'a', newText: 'b' }] });
  const many = join(root, 'many');
  await mkdir(many);
  for (let folder = 0; folder < 20; folder++) {
    await mkdir(join(many, String(folder)));
    await Promise.all(
      Array.from({ length: 250 }, (_, file) => writeFile(join(many, String(folder), String(file)), '')),
    );
  }
  const reached: number[] = [];
  const abort = new AbortController();
  await assert.rejects(
    client.call(
      'directory_tree',
      { path: many },
      {
        signal: abort.signal,
        onProgress: ({ progress }) => {
          reached.push(progress);
          abort.abort();
        },
      },
    ),
    { name: 'AbortError' },
  );
  assert.deepEqual(reached, [1_000]);
});

test('in any tree with links, only files inside are opened', async () => {
  const name = fc.constantFrom('a', 'b', 'c', '..', '.');
  const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
  const inside = fc.record({ at: path, to: path, up: fc.boolean() });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(inside, { maxLength: 8 }),
      fc.array(path, { minLength: 1, maxLength: 6 }),
      async (links, asked) => {
        const top = join(base, `any-${run++}`);
        const root = join(top, 'root');
        await mkdir(root, { recursive: true });
        await writeFile(join(top, 'a'), SECRET);
        for (const { at, to, up } of links) {
          const place = join(root, at);
          if (!place.startsWith(`${root}/`)) continue;
          await mkdir(dirname(place), { recursive: true }).catch(() => {});
          if (up) await symlink(to, place).catch(() => {});
          else await writeFile(place, 'inside').catch(() => {});
        }
        const folders = await Folders.of([root]);
        const realRoot = await realpath(root);
        for (const one of asked) {
          const opened = await withEither(folders, join(root, one), async ({ real }) => real).catch(() => undefined);
          if (opened !== undefined) assert.ok(opened === realRoot || opened.startsWith(`${realRoot}/`), opened);
          const written = await withWriteTarget(folders, join(root, one), async ({ real }) => real).catch(
            () => undefined,
          );
          if (written !== undefined) assert.ok(written.startsWith(`${realRoot}/`) || written === realRoot, written);
        }
      },
    ),
    { numRuns: 60 },
  );
});
