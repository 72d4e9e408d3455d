import { createOpenAI } from '@ai-sdk/openai';
import type { SentResult, Turn, Wire } from './model-server.ts';

interface Tool {
  readonly type: string;
  readonly name?: string;
  readonly parameters?: unknown;
  /** The tools of a namespace. */
  readonly tools?: readonly Tool[];
}

interface Item {
  readonly type?: string;
  readonly call_id: string;
  readonly output: string | readonly { text?: string }[];
}

interface Body {
  readonly input: string | readonly Item[];
  readonly tools?: readonly Tool[];
}

function event(data: { readonly type: string; readonly [name: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

interface Output {
  readonly begun: object;
  readonly done: object;
  /** The members of each event between those two. */
  readonly deltas: readonly { readonly type: string; readonly [name: string]: unknown }[];
}

function message(text: readonly string[]): Output {
  const item = { type: 'message', id: 'msg_1', role: 'assistant' };
  const content = [{ type: 'output_text', text: text.join(''), annotations: [] }];
  return {
    begun: { ...item, status: 'in_progress', content: [] },
    done: { ...item, status: 'completed', content },
    deltas: text.map((delta) => ({
      type: 'response.output_text.delta',
      item_id: item.id,
      content_index: 0,
      delta,
    })),
  };
}

/** A tool of a namespace is called `namespace/name`. */
function call({ id, name, pieces }: NonNullable<Turn['calls']>[number]): Output {
  const [own, namespace] = name.split('/').toReversed();
  const item = { type: 'function_call', id: `fc_${id}`, call_id: id, name: own, namespace };
  return {
    begun: { ...item, status: 'in_progress', arguments: '' },
    done: { ...item, status: 'completed', arguments: pieces.join('') },
    deltas: pieces.map((delta) => ({ type: 'response.function_call_arguments.delta', item_id: item.id, delta })),
  };
}

function outputs({ text = [], calls = [] }: Turn): Output[] {
  return [...(text.length === 0 ? [] : [message(text)]), ...calls.map(call)];
}

const RESPONSE = { id: 'resp_1', object: 'response', created_at: 1, model: 'local' };

function events(turn: Turn): string[] {
  const items = outputs(turn).map(({ begun, done, deltas }, output_index) => [
    event({ type: 'response.output_item.added', output_index, item: begun }),
    ...deltas.map((delta) => event({ ...delta, output_index })),
    event({ type: 'response.output_item.done', output_index, item: done }),
  ]);
  // An interrupted response does not end its last item either.
  const last = turn.instead === undefined ? items.at(-1) : items.at(-1)?.slice(0, -1);
  return [
    event({ type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [] } }),
    ...items.slice(0, -1).flat(),
    ...(last ?? []),
  ];
}

function end(turn: Turn): string[] {
  const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
  const status = turn.finish === undefined ? 'completed' : 'incomplete';
  const incomplete_details = turn.finish === undefined ? null : { reason: 'max_output_tokens' };
  const output = outputs(turn).map(({ done }) => done);
  return [event({ type: `response.${status}`, response: { ...RESPONSE, status, incomplete_details, output, usage } })];
}

function toolsOf(tools: readonly Tool[], namespace = ''): { name: string; schema: unknown }[] {
  return tools.flatMap(({ type, name = type, parameters, tools: inner }) =>
    inner === undefined ? [{ name: `${namespace}${name}`, schema: parameters }] : toolsOf(inner, `${name}/`),
  );
}

function results({ input }: Body): SentResult[] {
  if (typeof input === 'string') return [];
  const last = input.findLastIndex(({ type }) => type !== 'function_call_output');
  return input.slice(last + 1).map(({ call_id: id, output }) => ({
    id,
    text: typeof output === 'string' ? output : output.map(({ text = '' }) => text).join('\n'),
  }));
}

/** The Responses API of OpenAI. */
export const responsesWire: Wire = {
  name: 'responses',
  path: '/v1/responses',
  model: (baseURL) => createOpenAI({ baseURL, apiKey: 'none' }).responses('gpt-local'),
  events,
  end,
  error: (status) => ({ error: { message: `status ${status}`, type: 'error', code: null, param: null } }),
  results,
  tools: ({ tools = [] }: Body) => toolsOf(tools),
};
