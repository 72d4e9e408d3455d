// A host with tools whose results are a text, an image or an error, and a local server in place of a provider of models.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHost, type Host } from '@tenon/host';
import { image, server, text, tool, ToolError } from 'tenon';

/** A picture of one pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const input = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;

export async function startHost(): Promise<Host> {
  const app = server({
    name: 'weather',
    tools: {
      look: tool({ description: 'The weather of a city', input }, ({ city }) => `Sun in ${city}`),
      photo: tool({ description: 'A photo of a city', input }, ({ city }) => [
        text(`This is ${city}`),
        image(PNG, 'image/png'),
      ]),
      fail: tool({ description: 'Fails' }, () => {
        throw new ToolError('The station is down');
      }),
    },
  });
  const host = await createHost({ servers: { w: app }, rules: [{ effect: 'allow', server: 'w' }] });
  await host.start();
  return host;
}

/** The calls that the model makes in its first answer. */
export const CALLS = [
  { id: 'call_1', name: 'w__look', input: { city: 'Oslo' } },
  { id: 'call_2', name: 'w__photo', input: { city: 'Rome' } },
  { id: 'call_3', name: 'w__fail', input: {} },
] as const;

/** A local server in place of a provider. */
export interface Provider extends AsyncDisposable {
  readonly url: string;
  /** The bodies of the requests so far. */
  readonly requests: Readonly<Record<string, unknown>>[];
}

/** Answers the first request with `first`, and all others with `second`. */
export async function startProvider(first: object, second: object): Promise<Provider> {
  const requests: Readonly<Record<string, unknown>>[] = [];
  const listening = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    requests.push(JSON.parse(body) as Readonly<Record<string, unknown>>);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(requests.length === 1 ? first : second));
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]() {
      listening.closeAllConnections();
      return new Promise((resolve) => listening.close(() => resolve()));
    },
  };
}

/** A message of Anthropic's Messages API. */
function anthropicMessage(id: string, content: readonly object[], stop_reason: string): object {
  const usage = { input_tokens: 10, output_tokens: 10 };
  return { id, type: 'message', role: 'assistant', model: 'local', content, stop_reason, stop_sequence: null, usage };
}

/** A provider that speaks Anthropic's Messages. */
export function startAnthropic(): Promise<Provider> {
  return startProvider(
    anthropicMessage(
      'msg_1',
      CALLS.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
      'tool_use',
    ),
    anthropicMessage('msg_2', [{ type: 'text', text: 'Sunny' }], 'end_turn'),
  );
}

interface Block {
  readonly type: string;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?:
    | string
    | readonly { readonly type: string; readonly text?: string; readonly source?: { data?: string } }[];
}

/** What Anthropic got as results: the texts, the data of images, and whether each is an error. */
export function anthropicResults({ requests }: Provider): unknown[] {
  const messages = requests[1]!['messages'] as { content: string | Block[] }[];
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return blocks
    .filter(({ type }) => type === 'tool_result')
    .map(({ tool_use_id, content = '', is_error = false }) => {
      const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
      return {
        id: tool_use_id,
        text: parts.map(({ text = '' }) => text).join(''),
        images: parts.flatMap(({ type, source }) => (type === 'image' ? [source?.data] : [])),
        isError: is_error,
      };
    });
}

/** The same, as it should be. */
export const EXPECTED = [
  { id: 'call_1', text: 'Sun in Oslo', images: [], isError: false },
  { id: 'call_2', text: 'This is Rome', images: [PNG], isError: false },
  { id: 'call_3', text: 'The station is down', images: [], isError: true },
];
