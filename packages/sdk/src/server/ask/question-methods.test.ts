import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import type { Asker } from './asker.ts';
import { createQuestionMethods } from './question-methods.ts';

/** Asks for a form, with a client that answers once with this content. */
function ask(schema: z.ZodObject, content: JsonObject): Promise<unknown> {
  const asker = {
    async answer(_: unknown, validate: (answer: JsonObject) => Promise<{ value?: unknown; retryReason?: string }>) {
      const { value, retryReason } = await validate({ action: 'accept', content });
      if (retryReason !== undefined) throw new Error(retryReason);
      return value;
    },
  };
  const request = { capabilities: { elicitation: { form: {} } }, revision: '2025-11-25' } as unknown as RequestContext;
  return createQuestionMethods(asker as unknown as Asker, request, () => 'call').ask('who', 'Who?', schema);
}

const PERSON = z.object({ name: z.string(), nick: z.string().optional(), sure: z.boolean().default(true) });

test('a form field that the client sends as null counts as left empty', async () => {
  assert.deepEqual(await ask(PERSON, { name: 'Ann', nick: null }), { name: 'Ann', sure: true });
  await assert.rejects(ask(PERSON, { name: null, nick: 'A' }), /name/);
  await assert.rejects(ask(PERSON, { name: 'Ann', sure: null }), /sure/, 'the user did not accept the default');
  await assert.rejects(ask(PERSON, { name: 5, nick: null }), /name/);
});
