import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProcessExitError, SpawnError } from '../transport/stdio/spawn-errors.ts';
import { AuthError } from './auth-error.ts';
import * as errors from './errors.ts';

type ErrorClass = abstract new (...args: never) => Error;

/** A second copy of a module, as two installed versions of the package have. */
async function copyOf<M>(path: string): Promise<M> {
  return (await import(`${path}?copy`)) as M;
}

const { ConnectionError, DefinitionError, PeerError, ProtocolError, TimeoutError, ToolError } = errors;
const MADE: readonly (readonly [ErrorClass, Error])[] = [
  [AuthError, new AuthError('refused', 'token', 'no')],
  [ConnectionError, new ConnectionError('closed', 'no')],
  [DefinitionError, new DefinitionError('no-name', 'no')],
  [PeerError, new PeerError('invalid-answer', 'no')],
  [ProcessExitError, new ProcessExitError({ code: 1, signal: null, stderr: '' })],
  [ProtocolError, new ProtocolError(1, 'no')],
  [SpawnError, new SpawnError('spawn-failed', 'x', 'no', {})],
  [TimeoutError, new TimeoutError('request-timeout', 'no')],
  [ToolError, new ToolError('no')],
];

test('`instanceof` recognises the errors of every copy of the package, each by its own class only', async () => {
  const others = {
    ...(await copyOf<typeof errors>('./errors.ts')),
    ...(await copyOf<object>('./auth-error.ts')),
    ...(await copyOf<object>('../transport/stdio/spawn-errors.ts')),
  } as unknown as Record<string, ErrorClass>;
  for (const [Class, error] of MADE) {
    assert.equal(error.name, Class.name);
    assert.ok(error instanceof Error && error instanceof Class);
    assert.notEqual(others[Class.name], Class);
    for (const [Other] of MADE) assert.equal(error instanceof others[Other.name]!, Other === Class, Other.name);
  }
  for (const value of [undefined, null, 'text', 5, {}, new Error('x')]) assert.equal(value instanceof ToolError, false);
});

test('a class that a program derives from one of these recognises only its own errors', async () => {
  class Refused extends ToolError {}
  const refused = new Refused('no');
  assert.ok(refused instanceof Refused && refused instanceof ToolError);
  assert.equal(refused.name, 'ToolError');
  assert.equal(new ToolError('no') instanceof Refused, false);
  const { ToolError: Other } = await copyOf<typeof errors>('./errors.ts');
  assert.ok(refused instanceof Other);
});
