import type { SampleParams } from 'tenon/client';
import { isBase64 } from '../values/base64.ts';
import { isObject } from '@tenon/values/is-object';

type Members = Readonly<Record<string, unknown>>;
/** Returns what the value must be, or undefined if it is valid. */
type Check = (value: unknown) => string | undefined;

function expect(fits: (value: unknown) => boolean, expected: string): Check {
  return (value) => (fits(value) ? undefined : expected);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
const text = expect(isText, 'a string');
const number = expect(Number.isFinite, 'a number');
const texts = expect((value) => Array.isArray(value) && value.every(isText), 'a list of strings');
const object = expect(isObject, 'an object');

/** Optional members of a request; `null` counts as omitted. */
const OPTIONAL: Readonly<Record<string, Check>> = {
  systemPrompt: text,
  temperature: number,
  stopSequences: texts,
  modelPreferences: object,
  includeContext: expect((value) => CONTEXTS.includes(value), '"none", "thisServer" or "allServers"'),
  metadata: object,
  tools: expect(
    (value) => Array.isArray(value) && value.every(isTool),
    'a list of tools with a name and an inputSchema',
  ),
  toolChoice: expect(
    (value) => isObject(value) && TOOL_CHOICES.includes(value['mode']),
    'an object with the mode "auto", "required" or "none"',
  ),
};

const TOOL_CHOICES: readonly unknown[] = ['auto', 'required', 'none'];

function isTool(value: unknown): boolean {
  return isObject(value) && isText(value['name']) && value['name'] !== '' && isObject(value['inputSchema']);
}

const PREFERENCES: Readonly<Record<string, Check>> = {
  hints: expect((value) => Array.isArray(value) && value.every(isObject), 'a list of objects'),
  costPriority: number,
  speedPriority: number,
  intelligencePriority: number,
};

/** The first problem of optional members. */
function memberProblem(members: Members, checks: Readonly<Record<string, Check>>, where = ''): string | undefined {
  for (const [name, check] of Object.entries(checks)) {
    const expected = members[name] == null ? undefined : check(members[name]);
    if (expected !== undefined) return `${where}${name} must be ${expected}`;
  }
  return undefined;
}

function hintProblem(preferences: Members): string | undefined {
  const hints = (preferences['hints'] ?? []) as readonly Members[];
  const index = hints.findIndex(({ name }) => name != null && !isText(name));
  return index === -1 ? undefined : `modelPreferences.hints[${index}].name must be a string`;
}

const MEDIA_TYPES = { image: /^image\/[\w.+-]+$/, audio: /^audio\/[\w.+-]+$/ } as const;
const CONTEXTS: readonly unknown[] = ['none', 'thisServer', 'allServers'];

/** The kinds of content that this host supports, by role. */
const KINDS: Readonly<Record<'user' | 'assistant', readonly unknown[]>> = {
  user: ['text', 'image', 'audio', 'tool_result'],
  assistant: ['text', 'tool_use'],
};

/** The problem of a content block. */
function blockProblem(block: unknown, role: 'user' | 'assistant', where: string): string | undefined {
  if (!isObject(block)) return `${where} must be an object`;
  const { type, text: expected, data, mimeType } = block;
  if (!KINDS[role].includes(type))
    return `${where}.type must be ${KINDS[role].map((kind) => `"${String(kind)}"`).join(', ')}: this host supports no other content`;
  if (type === 'text') return isText(expected) ? undefined : `${where}.text must be a string`;
  if (type === 'tool_use') return toolUseProblem(block, where);
  if (type === 'tool_result') return toolResultProblem(block, where);
  if (type !== 'image' && type !== 'audio') return undefined;
  if (typeof data !== 'string' || !isBase64(data)) return `${where}.data must be base64`;
  return typeof mimeType === 'string' && MEDIA_TYPES[type].test(mimeType)
    ? undefined
    : `${where}.mimeType must be an ${type} type`;
}

function toolUseProblem({ id, name, input }: Members, where: string): string | undefined {
  if (!isText(id) || !isText(name)) return `${where} must have an id and a name, both strings`;
  return isObject(input) ? undefined : `${where}.input must be an object`;
}

function toolResultProblem({ toolUseId, content }: Members, where: string): string | undefined {
  if (!isText(toolUseId)) return `${where}.toolUseId must be a string`;
  if (!Array.isArray(content)) return `${where}.content must be a list`;
  const at = content.findIndex((block) => !isContent(block));
  return at === -1 ? undefined : `${where}.content[${at}] must be a content block`;
}

/** Is it a block of a tool result? Kinds that this host does not know are left out, with a note for the model. */
function isContent(block: unknown): boolean {
  if (!isObject(block)) return false;
  const { type, text: expected, data, mimeType, uri, resource } = block;
  if (type === 'text') return isText(expected);
  if (type === 'image' || type === 'audio') return isText(data) && isText(mimeType);
  if (type === 'resource_link') return isText(uri);
  if (type !== 'resource') return true;
  return isObject(resource) && ['text', 'blob', 'mimeType'].every((member) => isText(resource[member] ?? ''));
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

/** Why a sampling request cannot be sent to the model, be it from a server or edited by a person. Undefined if it can. */
export function requestProblem(request: Members): string | undefined {
  const { messages, maxTokens, modelPreferences } = request;
  if (typeof maxTokens !== 'number' || !(maxTokens >= 1)) return 'maxTokens must be a number of at least 1';
  if (!Array.isArray(messages) || messages.length === 0) return 'messages must be a non-empty list';
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

/** Whether a request contains a recording. */
export function hasAudio({ messages }: SampleParams): boolean {
  return messages.some(({ content }) => [content].flat().some((block) => block.type === 'audio'));
}

/** Why a result that a person edited cannot be sent to the server. Undefined if it can. */
export function resultProblem({ role, content, model, stopReason }: Members): string | undefined {
  if (role !== 'assistant' && role !== 'user') return 'role must be "assistant" or "user"';
  if (!isText(model)) return 'model must be a string';
  if (stopReason !== undefined && !isText(stopReason)) return 'stopReason must be a string';
  const isUse = [content].flat().some((block) => isObject(block) && block['type'] === 'tool_use');
  return messageProblem({ role: isUse ? 'assistant' : 'user', content }, 'the response');
}

/** The request without members that are `null`, which count as omitted. */
export function withoutNulls(request: SampleParams): SampleParams {
  const omitNulls = (members: object) =>
    Object.fromEntries(Object.entries(members).filter(([, value]) => value != null));
  const { modelPreferences } = request;
  const plain = omitNulls(request) as unknown as SampleParams;
  return modelPreferences == null ? plain : { ...plain, modelPreferences: omitNulls(modelPreferences) };
}
