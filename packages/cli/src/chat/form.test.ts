import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QuestionItem } from '@tenon/host';
import type { Console } from './console.ts';
import { answerQuestion } from './form.ts';

/** A terminal on which the user presses only Enter, once the question is answered. */
function onlyEnter(): Console {
  return {
    lines: () => {},
    choose: async (_message: string, choices: readonly { value: string }[], { initial }: { initial?: string } = {}) =>
      initial ?? choices[0]!.value,
  } as unknown as Console;
}

function form(properties: Record<string, unknown>, required: readonly string[] = []): QuestionItem {
  return {
    ...{ kind: 'question', id: 'q', at: 0, server: 'x', warnings: [], message: 'Well?' },
    ...{ tool: undefined, name: undefined, page: undefined },
    form: { schema: { type: 'object', properties, required } as never, defaults: {} },
  } as QuestionItem;
}

test('Enter alone never accepts a value without a default', async () => {
  const boolean = { type: 'boolean' };
  const item = form({ needed: boolean, open: boolean, preset: { ...boolean, default: true } }, ['needed']);
  assert.deepEqual(await answerQuestion(onlyEnter(), item, new AbortController().signal), {
    allow: true,
    content: { needed: false, preset: true },
  });
});

test('a question of an earlier chat says from when it is, and no other does', async () => {
  for (const resumed of [true, undefined] as const) {
    const shown: string[] = [];
    const console = { ...onlyEnter(), lines: (lines: readonly string[]) => void shown.push(...lines) } as Console;
    const at = new Date(2026, 10, 27, 9, 5).getTime();
    await answerQuestion(console, { ...form({}), at, resumed }, new AbortController().signal);
    assert.equal(
      /From an earlier chat: this was first asked on 2026-11-27 09:05/.test(shown.join('\n')),
      resumed === true,
    );
  }
});
