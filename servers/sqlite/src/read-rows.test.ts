import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as sqlite from 'node:sqlite';
import { test } from 'node:test';
import { createFile, testFolder } from './fixtures/kit.ts';
import { openToRead } from './read-rows.ts';

const LAYERS = ['authorizer', 'query_only', 'read-only connection'] as const;

/** SQLite without the layers that keep a connection from writing, except for one. */
function withOnly(layer: (typeof LAYERS)[number]): typeof sqlite {
  class OneLayer extends sqlite.DatabaseSync {
    constructor(file: string, options: sqlite.DatabaseSyncOptions) {
      super(file, layer === 'read-only connection' ? options : { ...options, readOnly: false });
    }
    override exec(sql: string): void {
      if (layer === 'query_only' || !sql.includes('query_only')) super.exec(sql);
    }
    override setAuthorizer(callback: Parameters<sqlite.DatabaseSync['setAuthorizer']>[0]): void {
      if (layer === 'authorizer') super.setAuthorizer(callback);
    }
  }
  return { ...sqlite, DatabaseSync: OneLayer as typeof sqlite.DatabaseSync };
}

for (const layer of LAYERS)
  test(`the ${layer} alone keeps statements from writing`, () => {
    const file = createFile(join(testFolder(), 'a.db'), 'CREATE TABLE t (a); INSERT INTO t VALUES (1);');
    const before = readFileSync(file);
    for (const sql of [
      'INSERT INTO t VALUES (2)',
      'WITH x AS (SELECT 1) DELETE FROM t',
      'UPDATE t SET a = 2 RETURNING a',
      'DROP TABLE t',
      'CREATE TABLE u (a)',
      'ALTER TABLE t ADD COLUMN b',
    ]) {
      const database = openToRead(withOnly(layer), { file, maxMs: 1_000 });
      assert.throws(() => database.prepare(sql).run(), /readonly|not authorized/, sql);
      database.close();
      assert.deepEqual(readFileSync(file), before, sql);
    }
  });
