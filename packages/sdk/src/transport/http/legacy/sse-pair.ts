import { COALESCES } from '../../../protocol/channel.ts';
import { CODE } from '../../../protocol/errors.ts';
import type { Limits } from '../../../protocol/limits.ts';
import { andThen, settle } from '../../../protocol/maybe.ts';
import { parseJson } from '../../../wire/json.ts';
import { messageEvent, sseEvent } from '../../../wire/sse.ts';
import { Connection } from '../../connection/connection.ts';
import { type HttpExchange, readBody } from '../http-exchange.ts';
import type { Endpoint } from '../endpoint.ts';
import { EventStream } from '../event-stream.ts';
import { isJsonType } from '../media-types.ts';
import { failRequest, hasRequest, refuseCaller, refuseUndelivered, refuseWhileDraining } from '../refuse.ts';
import { sendError } from '../send-error.ts';

/** The last segments of the two paths: clients listen at one and post to the other. */
export const SSE_PATHS = { listen: 'sse', post: 'messages' } as const;

/** The clients of HTTP+SSE (2024-11-05, "HTTP with SSE"). A session is one stream, and ends with it. */
export interface SsePair {
  /** Opens a stream. */
  listen(http: HttpExchange): void;
  /** Handles a message of a client whose stream is open, on this node or another. */
  post(http: HttpExchange): void;
  /** Handles a message that arrived on another node. */
  take(session: string, owner: string | undefined, text: string): void;
  close(): void;
}

interface Client {
  readonly owner: string | undefined;
  readonly connection: Connection;
  readonly stream: EventStream;
}

function invalid({ reply, headers }: HttpExchange, status: number, message: string): void {
  sendError(reply, status, { code: CODE.invalidRequest, message }, headers);
}

/** The name of a session contains the node that has its stream. */
function nodeOf(session: string): string | undefined {
  return /^([0-9a-f-]{36})\.[0-9a-f-]{36}$/.exec(session)?.[1];
}

export function createSsePair(endpoint: Endpoint): SsePair {
  const clients = new Map<string, Client>();
  const { engine, streams, cluster } = endpoint;
  const { limits } = engine;

  const listen = (http: HttpExchange): void => {
    const { request, reply, principal, headers } = http;
    if (request.method !== 'GET') {
      const error = { code: CODE.invalidRequest, message: 'Only GET is allowed here' };
      return sendError(reply, 405, error, { ...headers, allow: 'GET' });
    }
    if (!http.accepts.stream) return invalid(http, 406, 'Accept must list text/event-stream');
    let own = 0;
    if (principal !== undefined) for (const { owner } of clients.values()) if (owner === principal.id) own++;
    if (clients.size >= limits.sessions || own >= limits.sessionsPerPrincipal) {
      const error = { code: CODE.internalError, message: 'Too many sessions: try again later' };
      return sendError(reply, 503, error, { ...headers, 'retry-after': '30' });
    }
    const id = `${cluster?.node ?? crypto.randomUUID()}.${crypto.randomUUID()}`;
    const stream = new EventStream(reply, headers ?? {}, streams);
    const channel = {
      send: (data: string) => stream.write(messageEvent(data), data),
      incoming: NEVER,
      close: () => stream.end(),
      [COALESCES]: true,
    };
    const connection = new Connection(engine, channel, { principal, quotaKey: http.quotaKey }, endpoint.calls);
    clients.set(id, { owner: principal?.id, connection, stream });
    reply.onGone(() => {
      clients.delete(id);
      connection.close();
    });
    void stream.write(sseEvent({ event: 'endpoint', data: `${postPathFor(request.path)}?sessionId=${id}` }));
  };

  const post = (http: HttpExchange): void => {
    const { request, reply, principal, headers } = http;
    if (request.method !== 'POST') {
      const error = { code: CODE.invalidRequest, message: 'Only POST is allowed here' };
      return sendError(reply, 405, error, { ...headers, allow: 'POST' });
    }
    if (!isJsonType(request.header('content-type'))) return invalid(http, 415, 'Content-Type must be application/json');
    if (!/^(?:identity)?$/i.test((request.header('content-encoding') ?? '').trim()))
      return invalid(http, 415, 'The body must not be encoded');
    const id = request.query('sessionId') ?? '';
    const client = clients.get(id);
    const node = cluster === undefined || client !== undefined ? undefined : nodeOf(id);
    const elsewhere = node !== undefined && node !== cluster?.node ? node : undefined;
    // The sender cannot distinguish an ended session from one of another principal.
    if (elsewhere === undefined && (client === undefined || client.owner !== principal?.id))
      return invalid(http, 404, 'There is no such session: open a stream first');
    request.body(limits.bodyBytes, (text) => {
      if (typeof text !== 'string')
        return text.unreadable === 'too large'
          ? invalid(http, 413, `The body is larger than ${limits.bodyBytes} bytes`)
          : sendError(reply, 400, { code: CODE.parseError, message: 'The body is not valid UTF-8' }, headers);
      if (endpoint.draining && hasRequest(readBody(text, limits))) return refuseWhileDraining(http);
      return void settle(
        () => (endpoint.scopes.inUse ? endpoint.scopes.refuses(valueOf(text, limits), principal) : undefined),
        (denial) => {
          if (denial !== undefined) return refuseCaller(endpoint, http, denial, { check: 'scopes' });
          const owner = principal?.id;
          if (elsewhere !== undefined)
            return void andThen(cluster!.send(elsewhere, { kind: 'posted', session: id, owner, text }), (isTaken) =>
              isTaken ? reply.send(202, headers ?? {}) : refuseUndelivered(http),
            );
          reply.send(202, headers ?? {});
          return client!.connection.receive(text);
        },
        (error) => failRequest(endpoint, http, error),
      );
    });
  };

  return {
    listen,
    post,
    take(session, owner, text) {
      const client = clients.get(session);
      if (client?.owner === owner) client?.connection.receive(text);
    },
    close() {
      for (const { connection, stream } of clients.values()) {
        connection.close();
        stream.end();
      }
      clients.clear();
    },
  };
}

/** The parsed text; undefined if it is not JSON, to which the connection will respond. */
function valueOf(text: string, limits: Limits): unknown {
  try {
    return parseJson(text, limits);
  } catch {
    return undefined;
  }
}

/** The path to post to, for clients that listen at this one. */
function postPathFor(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1) + SSE_PATHS.post;
}

/** Messages come by POST, not from a channel. */
const NEVER: AsyncIterable<string> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
