// The codes of errors, each in a situation in which a user gets it.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

/** Throws or rejects with the error. */
type Situation = () => unknown;

/** Tests a situation for each code of a class. A code without one does not compile. */
export function provoke<Code extends string>(name: string, situations: Readonly<Record<Code, Situation>>): void {
  describe(`the codes of ${name}`, () => {
    for (const [code, situation] of Object.entries<Situation>(situations))
      test(code, () => assert.rejects(async () => situation(), { name, code }));
  });
}
