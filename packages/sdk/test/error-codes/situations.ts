// The codes of errors, each in a situation in which a user gets it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ERROR_CODES, ErrorCode } from '../../src/protocol/error-codes.ts';

/** Does what ends with the error. */
export type Situation = () => unknown;

/** What a client is connected with, so that no test learns from another one. */
export const eras = { get: () => undefined, set() {}, delete() {} };

/** Tests a situation for each code of a class. A code without one does not compile. */
export function provoke<Name extends keyof typeof ERROR_CODES>(
  name: Name,
  situations: Readonly<Record<ErrorCode<Name>, Situation>>,
): void {
  describe(`the codes of ${name}`, () => {
    for (const [code, situation] of Object.entries<Situation>(situations))
      test(code, () => assert.rejects(async () => situation(), { name, code }));
  });
}
