// Clients of every revision and of the official SDKs, as a user of each would write them.

import { Client as V2Client, StreamableHTTPClientTransport as V2Transport } from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { type Client, connect, ConnectionError } from 'tenon/client';
import type { Attempt, Claim } from './history.ts';

const INFO = { name: 'chaos', version: '1.0.0' };

/** A connection that a client has made. */
export interface Connection {
  /** Calls a tool, and gives the text of its result. */
  call(
    tool: string,
    args: Record<string, unknown>,
    onProgress?: (message: string | undefined) => void,
  ): Promise<string>;
  /** For tasks; undefined if this client knows none. */
  readonly tenon?: Client | undefined;
  close(): Promise<unknown>;
}

/** A server, and how long a call to it may take, in milliseconds. */
export interface ServerTarget {
  readonly url: string;
  readonly callMs: number;
}

/** A kind of client. `onQuestion` gets the message of each question, and gives the word to answer it with. */
export interface ClientKind {
  readonly name: string;
  /** Does it speak a revision in which a server can ask? */
  readonly asks: boolean;
  connect(target: ServerTarget, onQuestion: (message: string) => string): Promise<Connection>;
}

/** The text of the first message for a model. */
function questionIn([message]: readonly { readonly content: unknown }[]): string {
  const [block] = [message?.content].flat() as { readonly text: string }[];
  return block?.text ?? '';
}

/** What a model answers. */
function thought(text: string) {
  return { role: 'assistant', model: 'chaos', content: { type: 'text', text } } as const;
}

function tenonKind(revision: '2026-07-28' | '2025-11-25' | '2025-06-18' | '2025-03-26'): ClientKind {
  return {
    name: `tenon ${revision}`,
    asks: revision !== '2025-03-26',
    async connect({ url, callMs }, onQuestion) {
      const client = await connect(url, {
        revision,
        timeout: callMs,
        elicit: ({ message }) => ({ action: 'accept', content: { word: onQuestion(message) } }),
        sample: ({ messages }) => thought(onQuestion(questionIn(messages))),
      });
      return {
        tenon: revision === '2026-07-28' ? client : undefined,
        call: async (tool, args, onProgress) =>
          String(await client.call(tool, args, { onProgress: onProgress && (({ message }) => onProgress(message)) })),
        close: () => client.close(),
      };
    },
  };
}

interface OfficialResult {
  readonly [member: string]: unknown;
}

function textOf({ content, isError }: OfficialResult): string {
  const [block] = content as readonly { readonly text: string }[];
  if (isError === true) throw new Error(`tool error: ${block?.text}`);
  return block?.text ?? '';
}

interface OfficialClient {
  callTool(params: object, ...rest: unknown[]): Promise<OfficialResult>;
  close(): Promise<void>;
}

function officialConnection(client: OfficialClient, callMs: number, rest: readonly unknown[]): Connection {
  return {
    call: async (name, args, onProgress) => {
      const onprogress = onProgress && (({ message }: { readonly message?: string }) => onProgress(message));
      const options = { timeout: callMs, resetTimeoutOnProgress: true, onprogress };
      return textOf(await client.callTool({ name, arguments: args }, ...rest, options));
    },
    close: () => client.close(),
  };
}

const officialV1: ClientKind = {
  name: 'official v1',
  asks: true,
  async connect({ url, callMs }, onQuestion) {
    const client = new V1Client(INFO, { capabilities: { elicitation: {}, sampling: {} } });
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) =>
      thought(onQuestion(questionIn(params.messages))),
    );
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
      action: 'accept',
      content: { word: onQuestion(params.message) },
    }));
    await client.connect(new V1Transport(new URL(url)), { timeout: callMs });
    return officialConnection(client, callMs, [undefined]);
  },
};

function officialV2(modern: boolean): ClientKind {
  return {
    name: `official v2 ${modern ? '2026-07-28' : '2025-11-25'}`,
    asks: true,
    async connect({ url, callMs }, onQuestion) {
      const client = new V2Client(INFO, {
        capabilities: { elicitation: { form: {} }, sampling: {} },
        versionNegotiation: { mode: modern ? { pin: '2026-07-28' } : 'legacy' },
      });
      client.setRequestHandler('elicitation/create', ({ params }) => ({
        action: 'accept',
        content: { word: onQuestion(params.message) },
      }));
      client.setRequestHandler('sampling/createMessage', ({ params }) =>
        thought(onQuestion(questionIn(params.messages))),
      );
      await client.connect(new V2Transport(new URL(url)), { timeout: callMs });
      return officialConnection(client, callMs, []);
    },
  };
}

export const CLIENT_KINDS: readonly ClientKind[] = [
  tenonKind('2026-07-28'),
  tenonKind('2025-11-25'),
  tenonKind('2025-06-18'),
  tenonKind('2025-03-26'),
  officialV1,
  officialV2(false),
  officialV2(true),
];

/** What an error says about the call. */
function claimOf(error: unknown): Claim {
  if (error instanceof ConnectionError && error.processed === 'no') return 'not done';
  return /Nothing was done|did not run/.test((error as Error)?.message) ? 'not done' : 'unknown';
}

/** How a call failed, for the history. */
export function failureOf(error: unknown): NonNullable<Attempt['failure']> {
  return { claim: claimOf(error), message: String((error as Error)?.message ?? error) };
}
