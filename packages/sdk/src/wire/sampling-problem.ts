import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';

function blocksOf(message: JsonObject): JsonObject[] {
  const { content } = message;
  return (Array.isArray(content) ? content : [content]).filter(isObject);
}

function idsOf(message: JsonObject | undefined, type: string, key: string): unknown[] {
  return message === undefined
    ? []
    : blocksOf(message).flatMap((block) => (block['type'] === type ? [block[key]] : []));
}

/** The reason why a sampling request is invalid, or undefined. See "Tool result messages" and "Tool use and result balance" of sampling. */
export function samplingProblem(params: JsonObject): string | undefined {
  const { messages, maxTokens } = params;
  if (typeof maxTokens !== 'number') return 'A sampling request needs "maxTokens"';
  if (!Array.isArray(messages)) return 'A sampling request needs "messages"';
  for (const [index, message] of messages.entries()) {
    if (!isObject(message) || (message['role'] !== 'user' && message['role'] !== 'assistant')) {
      return `messages[${index}] needs a role, user or assistant`;
    }
    const blocks = blocksOf(message);
    if (blocks.length === 0) return `messages[${index}] needs content`;
    const problem = balanceProblem(
      message,
      messages[index - 1] as JsonObject | undefined,
      messages[index + 1] as unknown,
    );
    if (problem !== undefined) return `messages[${index}] ${problem}`;
  }
  return undefined;
}

/** The message after tool uses must contain their results and nothing else. */
function balanceProblem(message: JsonObject, before: JsonObject | undefined, after: unknown): string | undefined {
  const results = idsOf(message, 'tool_result', 'toolUseId');
  if (results.length > 0) {
    if (message['role'] !== 'user') return 'has tool results but is not from the user';
    if (results.length !== blocksOf(message).length) return 'mixes tool results with other content';
    const uses = new Set(idsOf(before, 'tool_use', 'id'));
    if (!results.every((id) => uses.has(id))) return 'has a tool result without a tool use before it';
    if (new Set(results).size < results.length) return 'has two results of one tool use';
  }
  const uses = idsOf(message, 'tool_use', 'id');
  if (uses.length === 0) return undefined;
  if (message['role'] !== 'assistant') return 'has a tool use but is not from the assistant';
  const problem = usesProblem(message);
  if (problem !== undefined) return problem;
  const answered = new Set(isObject(after) ? idsOf(after, 'tool_result', 'toolUseId') : []);
  return uses.every((id) => answered.has(id)) ? undefined : 'has a tool use that the next message does not answer';
}

/** Whoever runs the tools relies on it that each use has an id, a name and arguments. */
function usesProblem(message: JsonObject): string | undefined {
  const uses = blocksOf(message).filter(({ type }) => type === 'tool_use');
  const isWhole = ({ id, name, input }: JsonObject) =>
    typeof id === 'string' && typeof name === 'string' && isObject(input);
  if (!uses.every(isWhole)) return 'has a tool use without an id, a name or an input';
  return new Set(uses.map(({ id }) => id)).size < uses.length ? 'has two tool uses with one id' : undefined;
}

/**
 * The reason why an answer does not fit its sampling request, or undefined: it uses a tool that was not offered, or does not use them as
 * the request requires ("Tool choice modes" of sampling).
 */
export function sampledProblem({ tools, toolChoice }: JsonObject, answer: JsonObject): string | undefined {
  const used = idsOf(answer, 'tool_use', 'name');
  const mode = isObject(toolChoice) ? toolChoice['mode'] : undefined;
  if (mode === 'required' && used.length === 0) return 'it uses no tool, although one is required';
  if (used.length === 0) return undefined;
  if (mode === 'none') return 'it uses a tool, although none may be used';
  const offered = new Set(
    (Array.isArray(tools) ? tools : []).map((tool) => (isObject(tool) ? tool['name'] : undefined)),
  );
  if (offered.size === 0) return 'it uses a tool, but none was offered';
  if (!used.every((name) => offered.has(name))) return 'it uses a tool that was not offered';
  const problem = usesProblem(answer);
  return problem === undefined ? undefined : `it ${problem}`;
}
