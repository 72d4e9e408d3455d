import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Turn, Wire } from './model-server.ts';

interface Body {
  readonly messages: readonly {
    role: string;
    tool_call_id: string;
    content: string | readonly { text?: string }[];
  }[];
  readonly tools?: readonly { function: { name: string; parameters: unknown } }[];
}

function textOf(content: Body['messages'][number]['content']): string {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n');
}

function chunk(rest: object): string {
  return `data: ${JSON.stringify({ id: 'chat-1', object: 'chat.completion.chunk', created: 1, model: 'local', ...rest })}\n\n`;
}

function delta(delta: object): string {
  return chunk({ choices: [{ index: 0, delta, finish_reason: null }] });
}

function toolDelta(index: number, rest: object): string {
  return delta({ tool_calls: [{ index, ...rest }] });
}

function events({ text = [], calls = [] }: Turn): string[] {
  const starts = calls.map(({ id, name }, index) =>
    toolDelta(index, { id, type: 'function', function: { name, arguments: '' } }),
  );
  const longest = Math.max(0, ...calls.map(({ pieces }) => pieces.length));
  // The chunks of parallel calls are interleaved.
  const pieces = Array.from({ length: longest }, (_, at) =>
    calls.flatMap((call, index) => {
      const piece = call.pieces[at];
      return piece === undefined ? [] : [toolDelta(index, { function: { arguments: piece } })];
    }),
  );
  return [delta({ role: 'assistant' }), ...text.map((content) => delta({ content })), ...starts, ...pieces.flat()];
}

function end({ calls = [], finish }: Turn): string[] {
  return [
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: finish ?? (calls.length > 0 ? 'tool_calls' : 'stop') }] }),
    chunk({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } }),
    'data: [DONE]\n\n',
  ];
}

const chat: Omit<Wire, 'name' | 'model'> = {
  path: '/v1/chat/completions',
  events,
  end,
  error: (status) => ({ error: { message: `status ${status}`, type: 'error', code: null, param: null } }),
  results: ({ messages }: Body) => {
    const last = messages.map(({ role }) => role).lastIndexOf('assistant');
    return messages
      .slice(last + 1)
      .filter(({ role }) => role === 'tool')
      .map((message) => ({ id: message.tool_call_id, text: textOf(message.content) }));
  },
  tools: ({ tools = [] }: Body) =>
    tools.map((tool) => ({ name: tool.function.name, schema: tool.function.parameters })),
};

/** Chat Completions through the provider for OpenAI-compatible servers. */
export const compatibleWire: Wire = {
  ...chat,
  name: 'openai-compatible',
  model: (baseURL) => createOpenAICompatible({ name: 'local', baseURL, includeUsage: true }).chatModel('local'),
};

/** Chat Completions through OpenAI's own provider. */
export const openAiWire: Wire = {
  ...chat,
  name: 'openai',
  model: (baseURL) => createOpenAI({ baseURL, apiKey: 'none' }).chat('gpt-local'),
};
