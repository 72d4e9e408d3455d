import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { withLock } from 'tenon/internal';
import { editDocument } from './edit.ts';
import { changeFile, readText } from './file.ts';

const base = await mkdtemp(join(tmpdir(), 'tenon-file-'));
after(() => rm(base, { recursive: true, force: true }));

let count = 0;
async function folder(): Promise<string> {
  const made = join(base, String(count++));
  await mkdir(made);
  return made;
}

function to(text: string) {
  return () => Promise.resolve({ text });
}
const KIND = { syntax: 'json', member: 'mcpServers' } as const;
function add(path: string, name: string) {
  return editDocument(path, KIND, (document) => ({ text: document.set(name, { command: name }) }));
}
async function names(path: string): Promise<string[]> {
  return Object.keys((JSON.parse(await readFile(path, 'utf8')) as { mcpServers: object }).mcpServers).sort();
}

test('a file that is not UTF-8 is rejected, and not rewritten with replacement characters', async () => {
  const path = join(await folder(), 'latin1.json');
  const bytes = Buffer.from('{ "mcpServers": {}, "user": "André" }', 'latin1');
  await writeFile(path, bytes);
  await assert.rejects(add(path, 'a'), /it is not UTF-8/);
  await assert.rejects(readText(path), /it is not UTF-8/);
  assert.deepEqual(await readFile(path), bytes);
});

test('a byte order mark is accepted and preserved', async () => {
  const path = join(await folder(), 'marked.json');
  await writeFile(path, '\uFEFF{ "mcpServers": {} }\n');
  await add(path, 'a');
  const text = await readFile(path, 'utf8');
  assert.ok(text.startsWith('\uFEFF{'));
  assert.equal(text.lastIndexOf('\uFEFF'), 0);
});

test("concurrent writers do not lose each other's entries", async () => {
  const inside = await folder();
  const path = join(inside, 'deep', 'mcp.json');
  const all = Array.from({ length: 12 }, (_, index) => `s${String(index).padStart(2, '0')}`);
  await Promise.all(all.map((name) => add(path, name)));
  assert.deepEqual(await names(path), all);
  assert.deepEqual(await readdir(join(inside, 'deep')), ['mcp.json']);
});

test('a file that another tenon is changing is waited for', async () => {
  const path = join(await folder(), 'mcp.json');
  let isDone = false;
  let adding: Promise<unknown> | undefined;
  await withLock(`${path}.tenon.lock`, async () => {
    adding = add(path, 'late').then(() => (isDone = true));
    // The same steps, started later, are done.
    for (const other of ['one', 'two']) await add(`${path}.${other}`, 'x');
    assert.equal(isDone, false);
    await writeFile(path, '{ "mcpServers": { "early": {} } }');
  });
  await adding;
  assert.deepEqual(await names(path), ['early', 'late']);
});

test('changes that a host writes between reading and replacing are not lost', async () => {
  const inside = await folder();
  const path = join(inside, 'mcp.json');
  let asked = 0;
  await editDocument(path, KIND, (document) => {
    // The first time does not take the lock.
    if (++asked === 2) writeFileSync(path, '{ "mcpServers": { "theirs": {} } }');
    return { text: document.set('ours', { command: 'x' }) };
  });
  assert.equal(asked, 3);
  assert.deepEqual(await names(path), ['ours', 'theirs']);
  assert.deepEqual(await readdir(inside), ['mcp.json']);
});

test('a file that keeps changing is not written, which is an error', async () => {
  const inside = await folder();
  const path = join(inside, 'mcp.json');
  let asked = 0;
  const plan = () => {
    writeFileSync(path, String(++asked));
    return Promise.resolve({ text: 'ours' });
  };
  await assert.rejects(changeFile(path, plan), /another program keeps changing it/);
  assert.equal(await readFile(path, 'utf8'), String(asked));
  assert.deepEqual(await readdir(inside), ['mcp.json']);
});

test('a link to a missing file is preserved, and its target is written', async () => {
  const inside = await folder();
  const config = join(inside, 'config');
  await mkdir(config);
  await symlink(join('..', 'dotfiles', 'near.json'), join(config, 'mcp.json'));
  await mkdir(join(inside, 'dotfiles'));
  await symlink('far.json', join(inside, 'dotfiles', 'near.json'));
  await changeFile(join(config, 'mcp.json'), to('{}'));
  assert.equal(await readlink(join(config, 'mcp.json')), join('..', 'dotfiles', 'near.json'));
  assert.ok((await lstat(join(inside, 'dotfiles', 'near.json'))).isSymbolicLink());
  assert.ok((await lstat(join(inside, 'dotfiles', 'far.json'))).isFile());
  assert.deepEqual(await readdir(config), ['mcp.json']);
});

test('a link to a file in a missing folder creates the folder', async () => {
  const inside = await folder();
  await symlink(join(inside, 'not', 'yet', 'mcp.json'), join(inside, 'mcp.json'));
  await changeFile(join(inside, 'mcp.json'), to('{}'));
  assert.equal(await readFile(join(inside, 'not', 'yet', 'mcp.json'), 'utf8'), '{}');
  assert.ok((await lstat(join(inside, 'mcp.json'))).isSymbolicLink());
});

test('circular links are rejected', async () => {
  const inside = await folder();
  await symlink('b.json', join(inside, 'a.json'));
  await symlink('a.json', join(inside, 'b.json'));
  await assert.rejects(changeFile(join(inside, 'a.json'), to('{}')), /ELOOP/);
  assert.equal((await readdir(inside)).length, 2);
});

test('if there is nothing to do, no folder and no lock is created', async () => {
  const inside = await folder();
  await changeFile(join(inside, 'none', 'mcp.json'), () => Promise.resolve({}));
  await assert.rejects(
    changeFile(join(inside, 'none', 'mcp.json'), () => Promise.reject(new Error('not there'))),
    /not there/,
  );
  assert.deepEqual(await readdir(inside), []);
});
