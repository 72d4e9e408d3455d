// The correct conversations, split up: the responses of a server, its own requests and notifications, and the messages of a client.
import { conversation } from '../oracle/corpus/conversation.ts';
import type { Revision } from '../oracle/oracle.ts';
import type { Json } from './values.ts';

/** A placeholder for the id of the request that a message answers. */
export const ID = '@id@';

/** A request of one side, and the other's response. */
export interface Exchange {
  readonly method: string;
  readonly params: Json | undefined;
  readonly request: Json;
  /** The whole response. */
  readonly answer: Json;
}

export interface Corpus {
  /** The requests of clients. */
  readonly asked: readonly Exchange[];
  /** The requests of servers. */
  readonly askedBack: readonly Exchange[];
  readonly notesOfClient: readonly Json[];
  readonly notesOfServer: readonly Json[];
}

export function corpusOf(revision: Revision): Corpus {
  const open = new Map<string, Json>();
  const asked: Exchange[] = [];
  const askedBack: Exchange[] = [];
  const notesOfClient: Json[] = [];
  const notesOfServer: Json[] = [];
  for (const { direction, message } of conversation(revision)) {
    if (Array.isArray(message)) continue;
    const byClient = direction === 'client-to-server';
    if ('method' in message) {
      if ('id' in message) open.set(`${byClient} ${String(message['id'])}`, message);
      else (byClient ? notesOfClient : notesOfServer).push(message);
      continue;
    }
    const request = open.get(`${!byClient} ${String(message['id'])}`);
    if (request === undefined) continue;
    const { method, params } = request as { method: string; params?: Json };
    (byClient ? askedBack : asked).push({ method, params, request, answer: { ...message, id: ID } });
  }
  return { asked, askedBack, notesOfClient, notesOfServer };
}

/** The correct response to a request. */
export function goodAnswer({ asked }: Corpus, { method, params }: { method: string; params?: Json }): Json {
  const fitting = asked.filter((one) => one.method === method && Object.hasOwn(one.answer, 'result'));
  const found = fitting.find((one) => one.params?.['cursor'] === params?.['cursor']) ?? fitting[0];
  return found?.answer ?? { jsonrpc: '2.0', id: ID, error: { code: -32601, message: 'Method not found' } };
}
