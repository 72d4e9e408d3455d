import type { InboxAnswer } from '../api/bodies.ts';
import { memberTexts } from '../values/json-text.ts';
import { isObject } from '@tenon/values/is-object';
import { quoted } from '../values/words.ts';
import { WorkbenchError } from './contract.ts';

/** Scripted answers to questions. */
export interface Script {
  /** The text of the script, unchanged. */
  readonly text: string;
  /** The scripted answer. Undefined: the user is asked. */
  answerTo(question: {
    readonly method: string;
    readonly name?: string;
    readonly message: string;
  }): InboxAnswer | undefined;
}

const ACTIONS = ['accept', 'decline', 'cancel', 'ignore'] as const;

function answerOf(key: string, text: string): InboxAnswer {
  const value: unknown = JSON.parse(text);
  const action = ACTIONS.find((name) => name === value);
  if (action !== undefined) return { action };
  if (isObject(value)) return { action: 'accept', content: text };
  throw new WorkbenchError(
    'bad-request',
    `The answer to ${quoted(key)} is ${quoted(value)}`,
    `An answer is an object, or one of ${ACTIONS.map((name) => `"${name}"`).join(', ')}.`,
  );
}

function membersOf(text: string): readonly (readonly [string, string])[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new WorkbenchError('bad-request', `The scripted answers are not JSON: ${(error as Error).message}`);
  }
  if (!isObject(value)) throw new WorkbenchError('bad-request', 'The scripted answers must be a JSON object');
  return memberTexts(text) ?? [];
}

/**
 * Reads scripted answers: a JSON object by the name of a question, its exact message, its method (`sampling/createMessage`,
 * `roots/list`), or `*` for any other form or page. An answer is the content of the form, the result, `"accept"`, `"decline"`,
 * `"cancel"`, or `"ignore"`. An empty text is a script without answers. Throws a `WorkbenchError` for an invalid script.
 */
export function readScript(text: string): Script {
  const answers = new Map(
    (text.trim() === '' ? [] : membersOf(text)).map(([key, value]) => [key, answerOf(key, value)]),
  );
  return {
    text,
    answerTo({ method, name, message }) {
      const keys = [name, message, method, ...(method === 'elicitation/create' ? ['*'] : [])];
      const key = keys.find((key) => key !== undefined && answers.has(key));
      return key === undefined ? undefined : answers.get(key);
    },
  };
}
