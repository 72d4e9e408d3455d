// oxlint-disable unicorn/no-thenable -- this file tests thenables
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { andThen, settle } from './maybe.ts';

function fail(): never {
  throw new Error('must not be called');
}

/** A query of a database library: its `then` takes callbacks and returns nothing. */
function query<T>(value: T): PromiseLike<T> {
  return { then: (next?: ((value: T) => unknown) | null) => void next?.(value) } as never;
}
function failingQuery(error: Error): PromiseLike<never> {
  return { then: (_: unknown, failed?: ((error: Error) => unknown) | null) => void failed?.(error) } as never;
}

test('a value is passed on in the same turn', () => {
  assert.equal(
    andThen(1, (value) => value + 1),
    2,
  );
  assert.equal(
    settle(
      () => 1,
      (value) => value + 1,
      fail,
    ),
    2,
  );
});

test('a promised value is passed on when it resolves', async () => {
  assert.equal(await andThen(Promise.resolve(1), (value) => value + 1), 2);
  assert.equal(
    await settle(
      () => Promise.resolve(1),
      (value) => value + 1,
      fail,
    ),
    2,
  );
});

test('a thenable that does not chain is awaited like a promise', async () => {
  assert.equal(await andThen(query(1), (value) => value + 1), 2);
  assert.equal(
    await settle(
      () => query(1),
      (value) => value + 1,
      fail,
    ),
    2,
  );
  assert.equal(
    await settle(
      () => failingQuery(new Error('no table')),
      fail,
      (error) => (error as Error).message,
    ),
    'no table',
  );
});

test('an error goes to `failed`, whether it is thrown, rejected, or caused by reading the value', async () => {
  const message = (error: unknown): string => (error as Error).message;
  assert.equal(
    settle(
      () => {
        throw new Error('thrown');
      },
      fail,
      message,
    ),
    'thrown',
  );
  assert.equal(await settle(() => Promise.reject(new Error('rejected')), fail, message), 'rejected');
  const trap = {
    get then(): never {
      throw new Error('looked at');
    },
  };
  assert.equal(
    settle(() => trap as never, fail, message),
    'looked at',
  );
});

test('errors of the continuations are not caught', async () => {
  assert.throws(
    () =>
      settle(
        () => 1,
        () => {
          throw new Error('next');
        },
        fail,
      ),
    /next/,
  );
  assert.throws(
    () =>
      settle(
        () => {
          throw new Error('first');
        },
        fail,
        () => {
          throw new Error('failed');
        },
      ),
    /failed/,
  );
  await assert.rejects(
    async () =>
      settle(
        () => Promise.resolve(1),
        () => {
          throw new Error('next');
        },
        fail,
      ),
    /next/,
  );
});
