// A token file is read strictly as UTF-8 and JSON, or not at all, and is not overwritten.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { fileTokens } from '../../src/entries/auth.ts';

const folder = await mkdtemp(join(tmpdir(), 'tenon-strict-'));
after(() => rm(folder, { recursive: true, force: true }));
let files = 0;

async function fileOf(content: Buffer): Promise<string> {
  const path = join(folder, `${++files}.json`);
  await writeFile(path, content);
  return path;
}

const KEY = 'https://mcp.example.com/mcp';
function entry(token: string): Buffer {
  return Buffer.from(`{"${KEY}":{"issuer":"https://as.example","accessToken":"${token}"}}`, 'latin1');
}

test('a token file that is not UTF-8 is refused with a clear error, and is not changed', async () => {
  for (const token of ['SECRET-\xff', 'SECRET-\xed\xa0\x80', 'SECRET-\xc3']) {
    const content = entry(token);
    const path = await fileOf(content);
    for (const use of [
      () => fileTokens(path).get(KEY),
      () => fileTokens(path).set('other', { issuer: 'https://as.example' }),
      () => fileTokens(path).delete(KEY),
    ])
      await assert.rejects(
        async () => use(),
        (error: Error & { step?: string }) =>
          error.name === 'AuthError' && error.step === 'storage' && !inspect(error).includes('SECRET'),
      );
    assert.deepEqual(await readFile(path), content);
  }
});

test('a sealed token file with a changed byte is refused, and is not changed', async () => {
  const path = join(folder, 'sealed.json');
  await fileTokens(path, { secret: 'kept elsewhere' }).set(KEY, { issuer: 'https://as.example' });
  const good = await readFile(path);
  for (const at of [0, good.length >> 1, good.length - 3]) {
    const bad = Buffer.from(good);
    bad[at]! ^= 0x80;
    await writeFile(path, bad);
    await assert.rejects(async () => fileTokens(path, { secret: 'kept elsewhere' }).get(KEY), { name: 'AuthError' });
    assert.deepEqual(await readFile(path), bad);
  }
});
