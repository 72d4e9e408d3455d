// An audit log in a store that several hosts share.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore, type Store } from 'tenon/http';
import { openAudit } from './audit.ts';
import type { AuditEntry, AuditRecord } from './record.ts';
import { verifyAudit } from './verify.ts';

const call: AuditEntry = { requestedBy: 'model', act: 'call', server: 'files', target: 'read_file', outcome: 'ok' };

async function lineKeys(store: Store): Promise<readonly string[]> {
  return store.keys('host-audit/line/', undefined, 10_000);
}

async function lines(store: Store): Promise<AuditRecord[]> {
  const keys = await lineKeys(store);
  return Promise.all(keys.map(async (key) => JSON.parse(String(await store.get(key))) as AuditRecord));
}

test('a log in a store continues where it ended, and is verified as a whole', async () => {
  const store = memoryStore();
  const first = await openAudit({ store });
  for (let index = 0; index < 3; index++) await first.add({ ...call, target: `a${index}` });
  await first.close();
  const second = await openAudit({ store });
  assert.equal(second.head, first.head);
  await second.add({ ...call, target: 'b', arguments: { path: 'x' } });
  await second.close();
  assert.deepEqual(await verifyAudit(store), { ok: true, entries: 4, head: second.head });
  assert.equal((await verifyAudit(store, { head: first.head })).ok, true);
  const written = await lines(store);
  assert.deepEqual(
    written.map(({ target }) => target),
    ['a0', 'a1', 'a2', 'b'],
  );
  assert.match(written[3]!.argumentsDigest!, /^hmac-sha256:/);
});

test('hosts that write at once continue the lines of each other, and digest arguments with the same key', async () => {
  const store = memoryStore();
  const audits = await Promise.all(Array.from({ length: 8 }, () => openAudit({ store })));
  const adds = audits.flatMap((audit, host) =>
    Array.from({ length: 20 }, (_, index) => audit.add({ ...call, target: `${host}-${index}`, arguments: { a: 1 } })),
  );
  await Promise.all(adds);
  const report = await verifyAudit(store);
  assert.deepEqual([report.ok, report.ok && report.entries], [true, 160]);
  const written = await lines(store);
  assert.equal(new Set(written.map(({ target }) => target)).size, 160);
  assert.equal(new Set(written.map(({ argumentsDigest }) => argumentsDigest)).size, 1);
});

test('a line that was changed, removed or added is found, and a log that ends with it is not continued', async () => {
  const changes: readonly (readonly [RegExp, (store: Store, keys: readonly string[]) => unknown])[] = [
    [/hash does not match|not JSON/, async (store, keys) => store.set(keys[2]!, '{"n":3,"prev":"","hash":""}', 1e9)],
    [/line 3 .*removed/, (store, keys) => store.delete(keys[2]!)],
    [/does not follow|inserted/, async (store, keys) => store.set(keys[2]!, await store.get(keys[1]!), 1e9)],
  ];
  for (const [problem, change] of changes) {
    const store = memoryStore();
    const audit = await openAudit({ store });
    for (let index = 0; index < 5; index++) await audit.add(call);
    await audit.close();
    await change(store, await lineKeys(store));
    const report = await verifyAudit(store);
    assert.equal(report.ok, false);
    assert.match(report.ok ? '' : report.problem, problem);
  }
  const store = memoryStore();
  const audit = await openAudit({ store });
  await audit.add(call);
  const [key] = await lineKeys(store);
  await store.delete(key!);
  await assert.rejects(openAudit({ store }), /cannot be continued: line 1 is missing/);
});

test('a head that is kept elsewhere shows that lines were removed from the end', async () => {
  const store = memoryStore();
  const audit = await openAudit({ store });
  for (let index = 0; index < 3; index++) await audit.add(call);
  await store.delete((await lineKeys(store)).at(-1)!);
  const report = await verifyAudit(store, { head: audit.head });
  assert.match(report.ok ? '' : report.problem, /the end was removed/);
});

test('an entry that the store cannot keep is reported, so that its action does not happen', async () => {
  const store = memoryStore({ maxEntries: 8 });
  const audit = await openAudit({ store });
  let stored = 0;
  await assert.rejects(async () => {
    for (; stored < 10; stored++) await audit.add(call);
  }, RangeError);
  assert.ok(stored > 0);
  assert.equal((await lines(store)).length, stored);
});
