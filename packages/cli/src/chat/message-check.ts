import { isObject } from '@tenon/values/is-object';

// Checks messages as the AI SDK does, as far as JSON allows, so that a saved conversation that it would reject is not resumed.

type Check = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Check>>;

const isText: Check = (value) => typeof value === 'string';
const isAnything: Check = (value) => value !== undefined;
/** Data as text, or an object that describes it. */
const isData: Check = (value) => isText(value) || isObject(value);
function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

function fits(value: unknown, shape: Shape): boolean {
  return (
    isObject(value) &&
    Object.entries(shape).every(([name, check]) => check(value[name])) &&
    optional(isObject)(value['providerOptions'])
  );
}

const OUTPUTS: ReadonlyMap<unknown, Check> = new Map<string, Check>([
  ['text', isText],
  ['error-text', isText],
  ['json', isAnything],
  ['error-json', isAnything],
  ['execution-denied', () => true],
  ['content', (value) => Array.isArray(value) && value.every((part) => fits(part, { type: isText }))],
]);

const isOutput: Check = (value) => isObject(value) && OUTPUTS.get(value['type'])?.(value['value']) === true;

const TEXT = { text: isText };
const FILE = { data: isData, mediaType: isText };
const CALL = { toolCallId: isText, toolName: isText };
const RESULT = { ...CALL, output: isOutput };

type Parts = ReadonlyMap<unknown, Shape>;

const PARTS: ReadonlyMap<unknown, Parts> = new Map<string, Parts>([
  [
    'user',
    new Map<string, Shape>([
      ['text', TEXT],
      ['file', FILE],
      ['image', { image: isData }],
    ]),
  ],
  [
    'assistant',
    new Map<string, Shape>([
      ['text', TEXT],
      ['reasoning', TEXT],
      ['file', FILE],
      ['reasoning-file', FILE],
      ['custom', { kind: isText }],
      ['tool-call', CALL],
      ['tool-result', RESULT],
      ['tool-approval-request', { approvalId: isText, toolCallId: isText }],
    ]),
  ],
  [
    'tool',
    new Map<string, Shape>([
      ['tool-result', RESULT],
      ['tool-approval-response', { approvalId: isText, approved: (value) => typeof value === 'boolean' }],
    ]),
  ],
]);

function isMessage(value: unknown): boolean {
  if (!fits(value, {})) return false;
  const { role, content } = value as Readonly<Record<string, unknown>>;
  if (isText(content)) return role === 'system' || role === 'user' || role === 'assistant';
  const parts = PARTS.get(role);
  if (parts === undefined || !Array.isArray(content)) return false;
  return content.every((part: unknown) => {
    const shape = isObject(part) ? parts.get(part['type']) : undefined;
    return shape !== undefined && fits(part, shape);
  });
}

function partsIn(messages: readonly unknown[]) {
  return messages.flatMap((message) => {
    const { content } = message as { readonly content: unknown };
    return Array.isArray(content) ? (content as { readonly type: string; readonly toolCallId?: string }[]) : [];
  });
}

/** Why these are not valid messages of a conversation; undefined if they are. */
export function messagesProblem(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return 'it has no messages';
  const wrong = messages.findIndex((message) => !isMessage(message));
  if (wrong !== -1) return `its message ${wrong + 1} is invalid`;
  const parts = partsIn(messages);
  const answered = new Set(parts.flatMap(({ type, toolCallId }) => (type === 'tool-result' ? [toolCallId] : [])));
  const open = parts.some(({ type, toolCallId }) => type === 'tool-call' && !answered.has(toolCallId));
  return open ? 'a tool call in it has no result' : undefined;
}
