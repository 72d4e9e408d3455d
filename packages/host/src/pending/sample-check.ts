import type { SampleParams } from 'tenon/client';
import { isBase64 } from '../values/base64.ts';
import { isObject } from '@tenon/values/is-object';

type Members = Readonly<Record<string, unknown>>;
/** Says what a value has to be, or gives undefined: it is. */
type Check = (value: unknown) => string | undefined;

const expect =
  (fits: (value: unknown) => boolean, expected: string): Check =>
  (value) =>
    fits(value) ? undefined : expected;

const isText = (value: unknown): boolean => typeof value === 'string';
const text = expect(isText, 'a string');
const number = expect(Number.isFinite, 'a number');
const texts = expect((value) => Array.isArray(value) && value.every(isText), 'a list of strings');
const object = expect(isObject, 'an object');

/** What may be left out of a request; `null` counts as left out. */
const OPTIONAL: Readonly<Record<string, Check>> = {
  systemPrompt: text,
  temperature: number,
  stopSequences: texts,
  modelPreferences: object,
  metadata: object,
};

const PREFERENCES: Readonly<Record<string, Check>> = {
  hints: expect((value) => Array.isArray(value) && value.every(isObject), 'a list of objects'),
  costPriority: number,
  speedPriority: number,
  intelligencePriority: number,
};

/** What is wrong with members that may be left out. */
function memberProblem(members: Members, checks: Readonly<Record<string, Check>>, where = ''): string | undefined {
  for (const [name, check] of Object.entries(checks)) {
    const expected = members[name] == null ? undefined : check(members[name]);
    if (expected !== undefined) return `${where}${name} must be ${expected}`;
  }
  return undefined;
}

function hintProblem(preferences: Members): string | undefined {
  const hints = (preferences['hints'] ?? []) as readonly Members[];
  const wrong = hints.findIndex(({ name }) => name != null && !isText(name));
  return wrong === -1 ? undefined : `modelPreferences.hints[${wrong}].name must be a string`;
}

/** What is wrong with a block of a message. This host takes texts, and images of the user. */
function blockProblem(block: unknown, role: unknown, where: string): string | undefined {
  if (!isObject(block)) return `${where} must be an object`;
  const { type, text: expected, data, mimeType } = block;
  if (type === 'text') return isText(expected) ? undefined : `${where}.text must be a string`;
  if (type !== 'image' || role !== 'user')
    return `${where}.type must be ${role === 'user' ? '"text" or "image"' : '"text"'}: this host takes nothing else`;
  if (typeof data !== 'string' || !isBase64(data)) return `${where}.data must be base64`;
  return typeof mimeType === 'string' && /^image\/[\w.+-]+$/.test(mimeType)
    ? undefined
    : `${where}.mimeType must be that of an image`;
}

function messageProblem(message: unknown, where: string): string | undefined {
  if (!isObject(message)) return `${where} must be an object`;
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant') return `${where}.role must be "user" or "assistant"`;
  if (!Array.isArray(content)) return blockProblem(content, role, `${where}.content`);
  if (content.length === 0) return `${where}.content must not be empty`;
  for (const [index, block] of content.entries()) {
    const problem = blockProblem(block, role, `${where}.content[${index}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** What is wrong with a request to a model: of a server, or as a person has changed it. Undefined: the model can be asked. */
export function requestProblem(request: Members): string | undefined {
  const { messages, maxTokens, modelPreferences } = request;
  if (typeof maxTokens !== 'number' || !(maxTokens >= 1)) return 'maxTokens must be a number from 1 on';
  if (!Array.isArray(messages) || messages.length === 0) return 'messages must be a list that is not empty';
  for (const [index, message] of messages.entries()) {
    const problem = messageProblem(message, `messages[${index}]`);
    if (problem !== undefined) return problem;
  }
  const preferences = isObject(modelPreferences) ? modelPreferences : {};
  return (
    memberProblem(request, OPTIONAL) ??
    memberProblem(preferences, PREFERENCES, 'modelPreferences.') ??
    hintProblem(preferences)
  );
}

/** What is wrong with an answer that a person wants a server to have. */
export function resultProblem({ role, content, model, stopReason }: Members): string | undefined {
  if (role !== 'assistant' && role !== 'user') return 'role must be "assistant" or "user"';
  if (!isText(model)) return 'model must be a string';
  if (stopReason !== undefined && !isText(stopReason)) return 'stopReason must be a string';
  return messageProblem({ role: 'user', content }, 'the answer');
}

/** The request without members that are `null`, which count as left out. */
export function withoutNulls(request: SampleParams): SampleParams {
  const kept = (members: object) => Object.fromEntries(Object.entries(members).filter(([, value]) => value != null));
  const { modelPreferences } = request;
  return {
    ...(kept(request) as unknown as SampleParams),
    ...(modelPreferences == null ? {} : { modelPreferences: kept(modelPreferences) }),
  };
}
