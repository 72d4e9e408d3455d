import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withinCpuMs } from '../../../../scripts/lib/cpu-time.ts';
import fc from 'fast-check';
import { parseChallenges, tokenChallenge } from './challenge.ts';

function plain(header: string): unknown {
  return parseChallenges(header).map(({ scheme, params }) => ({ scheme, ...Object.fromEntries(params) }));
}

test('several challenges are parsed, with quoted commas, escapes and spaces', () => {
  assert.deepEqual(plain('Bearer'), [{ scheme: 'bearer' }]);
  assert.deepEqual(plain('Bearer realm="a, b", scope="x y" , error=invalid_token'), [
    { scheme: 'bearer', realm: 'a, b', scope: 'x y', error: 'invalid_token' },
  ]);
  assert.deepEqual(plain('Basic realm="q\\"uote", DPoP algs="ES256", resource_metadata="https://x/y"'), [
    { scheme: 'basic', realm: 'q"uote' },
    { scheme: 'dpop', algs: 'ES256', resource_metadata: 'https://x/y' },
  ]);
  assert.deepEqual(plain('Negotiate abc123==, Bearer scope="s"'), [
    { scheme: 'negotiate' },
    { scheme: 'bearer', scope: 's' },
  ]);
  assert.deepEqual(plain('Negotiate, Bearer'), [{ scheme: 'negotiate' }, { scheme: 'bearer' }]);
  assert.deepEqual(plain('bearer SCOPE = "s"'), [{ scheme: 'bearer', scope: 's' }]);
  assert.deepEqual(plain('Bearer scope="first", scope="second"'), [{ scheme: 'bearer', scope: 'first' }]);
  assert.equal(tokenChallenge('Basic realm="x"'), undefined);
  assert.equal(tokenChallenge(undefined), undefined);
});

test('any header is parsed in linear time and without an exception', () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      parseChallenges(header);
    }),
  );
  withinCpuMs(1_000, () => {
    for (const piece of ['Bearer ', 'a="', ',', '\\"', 'a=b,', 'x ']) parseChallenges(piece.repeat(100_000));
  });
});
