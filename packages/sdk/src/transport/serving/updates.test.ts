import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Principal } from '../../protocol/request-context.ts';
import type { Engine } from '../../server/engine.ts';
import type { Watcher } from './announce-resource.ts';
import { announce } from './updates.ts';

/** An engine in which a resource is visible to some principals, and a record of its lookups. */
function stage(visibleTo: readonly string[]) {
  const asked: (string | undefined)[] = [];
  const logged: string[] = [];
  const engine = {
    hasResource: (_: string, { principal }: { readonly principal: Principal | undefined }) => {
      asked.push(principal?.id);
      if (principal?.id === 'broken') throw new Error('no database');
      return Promise.resolve(principal !== undefined && visibleTo.includes(principal.id));
    },
    log: ({ event }: { readonly event: string }) => void logged.push(event),
  } as unknown as Engine;
  const told: string[] = [];
  const watcher = (name: string, principal: Principal | undefined, wants: () => boolean = () => true): Watcher => ({
    principal,
    wants,
    notify: () => void told.push(name),
  });
  return { engine, asked, logged, told, watcher };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('a change of a resource is not sent to callers from whom it is hidden, and visibility is determined once for each principal', async () => {
  const { engine, asked, told, watcher } = stage(['ann']);
  const [ann, bob] = [{ id: 'ann' }, { id: 'bob' }];
  const watchers = [
    watcher('ann 1', ann),
    watcher('bob', bob),
    watcher('anonymous', undefined),
    watcher('ann 2', ann),
    watcher('uninterested', { id: 'eve' }, () => false),
  ];
  announce(engine, { uri: 'a:b' }, watchers);
  await settled();
  assert.deepEqual(told, ['ann 1', 'ann 2']);
  assert.deepEqual(asked, ['ann', 'bob', undefined]);
});

test('a watcher that ended while visibility was determined is not notified', async () => {
  const { engine, told, watcher } = stage(['ann']);
  let open = true;
  announce(engine, { uri: 'a:b' }, [watcher('ann', { id: 'ann' }, () => open)]);
  open = false;
  await settled();
  assert.deepEqual(told, []);
});

test('an error in determining visibility is logged, and other watchers are notified', async () => {
  const { engine, logged, told, watcher } = stage(['ann']);
  announce(engine, { uri: 'a:b' }, [watcher('broken', { id: 'broken' }), watcher('ann', { id: 'ann' })]);
  await settled();
  assert.deepEqual([told, logged], [['ann'], ['handler-failed']]);
});

test('a change of a list is announced at once to all watchers of it', () => {
  const { engine, asked, told, watcher } = stage([]);
  announce(engine, { list: 'tools' }, [watcher('a', undefined), watcher('b', undefined, () => false)]);
  assert.deepEqual([told, asked], [['a'], []]);
});
