import { createAnthropic } from '@ai-sdk/anthropic';
import type { SentResult, Turn, Wire } from './model-server.ts';

interface Block {
  readonly type: string;
  readonly tool_use_id: string;
  readonly content: string | readonly { text?: string }[];
}

interface Body {
  readonly messages: readonly { content: string | readonly Block[] }[];
  readonly tools?: readonly { name: string; input_schema: unknown }[];
}

function event(data: { readonly type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function block(index: number, start: object, deltas: readonly object[]): string[] {
  return [
    event({ type: 'content_block_start', index, content_block: start } as never),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta } as never)),
    event({ type: 'content_block_stop', index } as never),
  ];
}

function events({ text = [], calls = [], instead }: Turn): string[] {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'local', content: [], stop_reason: null };
  const usage = { input_tokens: 100, output_tokens: 1 };
  const blocks = [
    ...(text.length === 0
      ? []
      : [
          block(
            0,
            { type: 'text', text: '' },
            text.map((piece) => ({ type: 'text_delta', text: piece })),
          ),
        ]),
    ...calls.map(({ id, name, pieces }, at) =>
      block(
        at + (text.length === 0 ? 0 : 1),
        { type: 'tool_use', id, name, input: {} },
        pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      ),
    ),
  ];
  // An interrupted message does not end its last block either.
  const last = instead === undefined ? blocks.at(-1) : blocks.at(-1)?.slice(0, -1);
  return [
    event({ type: 'message_start', message: { ...message, usage } } as never),
    event({ type: 'ping' }),
    ...blocks.slice(0, -1).flat(),
    ...(last ?? []),
  ];
}

function end({ calls = [], finish }: Turn): string[] {
  const stop_reason = finish ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn';
  return [
    event({
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: 10 },
    } as never),
    event({ type: 'message_stop' }),
  ];
}

function textOf(content: Block['content']): string {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n');
}

/** The Messages API of Anthropic. */
export const anthropicWire: Wire = {
  name: 'anthropic',
  path: '/v1/messages',
  model: (baseURL) => createAnthropic({ baseURL, apiKey: 'none' })('claude-sonnet-4-5'),
  events,
  end,
  error: (status) => ({ type: 'error', error: { type: 'api_error', message: `status ${status}` } }),
  results: ({ messages }: Body): SentResult[] => {
    const { content } = messages.at(-1) ?? { content: [] };
    if (typeof content === 'string') return [];
    return content
      .filter(({ type }) => type === 'tool_result')
      .map((each) => ({ id: each.tool_use_id, text: textOf(each.content) }));
  },
  tools: ({ tools = [] }: Body) => tools.map((tool) => ({ name: tool.name, schema: tool.input_schema })),
};
