import assert from 'node:assert/strict';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFolderStore } from '../state/state-store.ts';
import { loadGrants } from './grants.ts';
import type { Subject } from './subject.ts';

const subject: Subject = { act: 'call', server: 'a', trusted: false, tool: 't', exactly: '1' };

test('invalid decision files are quarantined and reported; the others apply', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'grants-'));
  const store = createFolderStore(folder);
  await (await loadGrants(store)).add(subject, 'always', true);
  const [name] = await store.list('grants');
  const grant = await store.get(`grants/${name}`);
  await store.put('grants/null', null);
  // Under the name of another subject it would apply to that.
  await store.put('grants/elsewhere', grant);
  await store.put('grants/half', { ...(grant as object), at: 'soon' });
  await writeFile(join(folder, 'grants', 'torn.json'), '{"about":');
  await writeFile(join(folder, 'grants', '.DS_Store.json'), 'x');
  const problems: string[] = [];
  const grants = await loadGrants(store, Date.now, (message) => problems.push(message));
  assert.equal((await grants.find(subject))?.effect, 'allow');
  assert.equal(problems.length, 4);
  assert.equal((await readdir(join(folder, 'grants'))).filter((file) => file.endsWith('.bad')).length, 4);
});

test('a permanent decision that another host revokes or changes no longer applies in this one', async () => {
  const store = createFolderStore(await mkdtemp(join(tmpdir(), 'grants-')));
  const [one, two] = [await loadGrants(store), await loadGrants(store)];
  await one.add(subject, 'always', true);
  assert.equal((await two.find(subject))?.effect, 'allow');
  await two.add(subject, 'always', false);
  assert.equal((await one.find(subject))?.effect, 'deny');
  assert.equal(await two.revoke('another'), 0);
  assert.equal(await two.revoke('a'), 1);
  assert.equal(await one.find(subject), undefined);
  // A decision for the session applies to one host only.
  await one.add(subject, 'session', true);
  await two.revoke();
  assert.equal((await one.find(subject))?.effect, 'allow');
  assert.equal(await two.find(subject), undefined);
});

test('a permanent decision of another host is revoked with the others', async () => {
  const store = createFolderStore(await mkdtemp(join(tmpdir(), 'grants-')));
  const [one, two] = [await loadGrants(store), await loadGrants(store)];
  await one.add(subject, 'always', true);
  assert.equal(await two.revoke('a'), 1);
  assert.equal(await (await loadGrants(store)).find(subject), undefined);
});
