// How the modules of a package are grouped into files.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChunkNames, type Sharing } from './lib/chunks.ts';

/** The imports of each module. */
const MODULES: Readonly<Record<string, readonly string[]>> = {
  '/index.ts': ['/common.ts'],
  '/node.ts': ['/common.ts', '/process.ts', '/tables.ts'],
  '/internal.ts': ['/common.ts', '/process.ts', '/patterns.ts'],
  '/common.ts': [],
  '/process.ts': [],
  '/tables.ts': [],
  '/patterns.ts': [],
};

function namesFor(entries: readonly string[], more: Partial<Sharing> = {}): Record<string, string | null> {
  const name = createChunkNames({ entries, parts: [], ...more });
  const importsOf = (id: string) => ({ importedIds: MODULES[id]!, dynamicallyImportedIds: [] });
  return Object.fromEntries(Object.keys(MODULES).map((id) => [id, name(id, { getModuleInfo: importsOf })]));
}

test('modules that the same entries import share a file, and an entry has its own', () => {
  const names = namesFor(['/index.ts', '/node.ts']);
  assert.equal(names['/common.ts'], 'index-node');
  assert.equal(names['/process.ts'], names['/tables.ts']);
  assert.equal(names['/index.ts'], null);
});

test('without `last` an entry splits the files of the others', () => {
  const names = namesFor(['/index.ts', '/node.ts', '/internal.ts']);
  assert.notEqual(names['/process.ts'], names['/tables.ts']);
});

test('the last entries do not move the modules that they share', () => {
  const without = namesFor(['/index.ts', '/node.ts']);
  const names = namesFor(['/index.ts', '/node.ts', '/internal.ts'], { last: ['/internal.ts'] });
  assert.equal(names['/common.ts'], without['/common.ts']);
  assert.equal(names['/process.ts'], without['/process.ts']);
  assert.equal(names['/tables.ts'], without['/tables.ts']);
  assert.equal(names['/patterns.ts'], 'internal');
  assert.equal(names['/internal.ts'], null);
});

/** Names the chunks of modules with lazy imports, which are written with `?` before the path. */
function namesOf(modules: Readonly<Record<string, readonly string[]>>, entries: readonly string[]) {
  const name = createChunkNames({ entries, parts: [] });
  const importsOf = (id: string) => ({
    importedIds: modules[id]!.filter((path) => !path.startsWith('?')),
    dynamicallyImportedIds: modules[id]!.filter((path) => path.startsWith('?')).map((path) => path.slice(1)),
  });
  return Object.fromEntries(Object.keys(modules).map((id) => [id, name(id, { getModuleInfo: importsOf })] as const));
}

test('a lazily loaded module does not split modules that are always loaded before it', () => {
  const names = namesOf(
    {
      '/client.ts': ['/table.ts', '/text.ts', '?/cache.ts'],
      '/table.ts': [],
      '/text.ts': [],
      '/cache.ts': ['/table.ts', '?/disk.ts'],
      '/disk.ts': ['/text.ts'],
    },
    ['/client.ts'],
  );
  assert.equal(names['/table.ts'], names['/text.ts']);
  assert.notEqual(names['/cache.ts'], names['/table.ts']);
});

test('a lazily loaded module is split from modules that another program loads without it', () => {
  const names = namesOf(
    {
      '/client.ts': ['/table.ts', '/text.ts', '?/cache.ts'],
      '/server.ts': ['?/cache.ts'],
      '/table.ts': [],
      '/text.ts': [],
      '/cache.ts': ['/table.ts'],
    },
    ['/client.ts', '/server.ts'],
  );
  assert.notEqual(names['/table.ts'], names['/text.ts']);
});

test('lazily loaded modules with the same file name have files of their own', () => {
  const names = namesOf(
    { '/main.ts': ['?/client/lists.ts', '?/server/lists.ts'], '/client/lists.ts': [], '/server/lists.ts': [] },
    ['/main.ts'],
  );
  assert.equal(names['/client/lists.ts'], 'client-lists');
  assert.equal(names['/server/lists.ts'], 'server-lists');
});
