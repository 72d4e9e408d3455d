import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findConfig } from './find.ts';

/** Creates a folder with these files; a name that ends with a slash is a folder. */
async function tree(...names: string[]): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tenon-find-')));
  for (const name of names) {
    const path = join(folder, name);
    await mkdir(name.endsWith('/') ? path : join(path, '..'), { recursive: true });
    if (!name.endsWith('/')) await writeFile(path, '{}');
  }
  return folder;
}

test('the nearest configuration is found', async () => {
  const home = await tree('.mcp.json', 'app/.mcp.json', 'app/src/deep/', 'other/');
  assert.equal(await findConfig(join(home, 'app'), home), join(home, 'app', '.mcp.json'));
  assert.equal(await findConfig(join(home, 'app', 'src', 'deep'), home), join(home, 'app', '.mcp.json'));
  assert.equal(await findConfig(join(home, 'other'), home), join(home, '.mcp.json'));
  assert.equal(await findConfig(home, home), join(home, '.mcp.json'));
});

test('folders above a repository or the home folder are not searched', async () => {
  const folder = await tree(
    '.mcp.json',
    'home/app/.git/',
    'home/app/src/',
    'home/.mcp.json',
    'tree/.git',
    'tree/src/',
    'me/a/',
  );
  assert.equal(await findConfig(join(folder, 'home', 'app', 'src'), join(folder, 'home')), undefined);
  assert.equal(await findConfig(join(folder, 'tree', 'src'), join(folder, 'home')), undefined);
  assert.equal(await findConfig(join(folder, 'me', 'a'), join(folder, 'me')), undefined);
});

test('the configuration at the top of a repository is found', async () => {
  const folder = await tree('app/.git/', 'app/.mcp.json', 'app/src/');
  assert.equal(await findConfig(join(folder, 'app', 'src'), '/nowhere'), join(folder, 'app', '.mcp.json'));
});

test('outside a repository and the home folder, only the folder itself is searched', async () => {
  const folder = await tree('.mcp.json', 'a/', 'b/.mcp.json');
  assert.equal(await findConfig(join(folder, 'a'), '/nowhere'), undefined);
  assert.equal(await findConfig(join(folder, 'b'), '/nowhere'), join(folder, 'b', '.mcp.json'));
});

test('a folder named .mcp.json is ignored, and a missing folder has no configuration', async () => {
  const home = await tree('app/.mcp.json/');
  assert.equal(await findConfig(join(home, 'app'), home), undefined);
  assert.equal(await findConfig(join(home, 'none'), home), undefined);
});

test('links to folders are followed', { skip: process.platform === 'win32' }, async () => {
  const home = await tree('app/.mcp.json', 'app/src/');
  const link = join(await tree(), 'link');
  await symlink(join(home, 'app', 'src'), link);
  assert.equal(await findConfig(link, home), join(home, 'app', '.mcp.json'));
});
