import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import type { ServerResponse } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { ExchangeLog } from './exchange-log.ts';
import {
  isEventStream,
  isResourceMetadata,
  movedEndpoint,
  movedHeaders,
  movedResource,
  type Origins,
  resized,
} from './rewrite.ts';
import { type Field, fieldsOf, passedOn, rawOf, valueOf, withField } from './wire-headers.ts';

/** The target of requests, and the changes made to them. */
export interface Forwarding {
  readonly target: URL;
  /** The origin of the proxy, as the client uses it. */
  readonly proxyOrigin: string;
  readonly headers: readonly Field[];
  readonly onNote?: ((text: string) => void) | undefined;
}

const CONNECT_MS = 30_000;
/** The largest metadata that are rewritten, in bytes. Larger ones pass unchanged. */
const METADATA_BYTES = 1024 * 1024;
/** The longest first event of a stream, in bytes. */
const EVENT_BYTES = 64 * 1024;

/**
 * Each connection of a client has connections of its own to the server, so that a broken connection on one side breaks the other.
 */
const agents = new WeakMap<Socket, HttpAgent | HttpsAgent>();

function agentFor(socket: Socket, secure: boolean): HttpAgent | HttpsAgent {
  let agent = agents.get(socket);
  if (agent === undefined) {
    agents.set(socket, (agent = secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })));
    const own = agent;
    socket.once('close', () => own.destroy());
  }
  return agent;
}

function open(incoming: IncomingMessage, { target, headers }: Forwarding): ClientRequest {
  const secure = target.protocol === 'https:';
  let fields = withField(passedOn(fieldsOf(incoming.rawHeaders)), 'Host', target.host);
  for (const [name, value] of headers) fields = withField(fields, name, value);
  // The proxy must be able to read a body that it may have to change.
  if (isResourceMetadata(incoming.url!)) fields = withField(fields, 'Accept-Encoding', 'identity');
  return (secure ? httpsRequest : httpRequest)({
    protocol: target.protocol,
    hostname: target.hostname.replace(/^\[|\]$/g, ''),
    port: target.port === '' ? (secure ? 443 : 80) : target.port,
    path: incoming.url,
    method: incoming.method,
    headers: rawOf(fields),
    agent: agentFor(incoming.socket, secure),
    setHost: false,
  });
}

/** Passes a stream on as it arrives, with backpressure. */
function pass(
  from: IncomingMessage,
  to: { write(chunk: Buffer): boolean; once(event: 'drain', listener: () => void): unknown },
  see: (chunk: Buffer) => Buffer | undefined,
): void {
  from.on('data', (chunk: Buffer) => {
    const own = see(chunk);
    if (own === undefined || own.length === 0 || to.write(own)) return;
    from.pause();
    to.once('drain', () => from.resume());
  });
}

/** Answers instead of the server, if its answer cannot be passed on. */
function answerInstead(outgoing: ServerResponse, what: string, log: ExchangeLog): void {
  log.note(`${what}. The client is answered with 502 by the proxy`);
  outgoing.statusMessage = '';
  outgoing.writeHead(502, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  outgoing.end(`tenon proxy: ${what}\n`);
}

/** Node's parser rejected the answer: the error is the server's, and the client gets a 502 with an explanation. */
function isUnreadable({ code = '' }: NodeJS.ErrnoException): boolean {
  return code.startsWith('HPE_');
}

/** Passes on a request and its answer. */
export function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  forwarding: Forwarding,
  log: ExchangeLog,
): void {
  let upstream: ClientRequest;
  try {
    upstream = open(incoming, forwarding);
  } catch (error) {
    const { message } = error as Error;
    answerInstead(outgoing, `This request cannot be passed on: ${message}`, log);
    return log.end(message);
  }
  let connected = false;

  const failed = (error: NodeJS.ErrnoException): void => {
    const reason = `${error.code ?? error.message}`;
    if (outgoing.destroyed || outgoing.writableEnded) return log.end(reason);
    if (isUnreadable(error) && !outgoing.headersSent) {
      answerInstead(
        outgoing,
        `The answer of the server is no HTTP that can be read: ${error.message} (${reason})`,
        log,
      );
      return log.end(reason);
    }
    // The client gets the same as from the server: a broken connection.
    if (connected) {
      log.end(`the server broke the connection off: ${reason}`);
      outgoing.destroy();
      return undefined;
    }
    const what = `The server at ${forwarding.target.origin} cannot be reached: ${reason}`;
    answerInstead(outgoing, what, log);
    return log.end(reason);
  };

  const limit = setTimeout(() => upstream.destroy(new Error(`no connection within ${CONNECT_MS} ms`)), CONNECT_MS);
  upstream.once('socket', (socket) => {
    const ready = (): void => {
      connected = true;
      clearTimeout(limit);
    };
    if (socket.connecting) socket.once('connect', ready);
    else ready();
  });
  upstream.once('close', () => clearTimeout(limit));
  upstream.on('error', failed);
  // Without a listener, Node ends the connection silently, and the client would wait for an answer.
  upstream.once('upgrade', (_, socket) => {
    socket.destroy();
    const what = 'The server switched to another protocol, which it was not asked to do';
    answerInstead(outgoing, what, log);
    log.end(what);
  });
  upstream.once('response', (answer) => giveBack(answer, incoming, outgoing, forwarding, log));

  pass(incoming, upstream, (chunk) => {
    log.requestBody(chunk);
    return chunk;
  });
  incoming.once('end', () => {
    log.requestEnd();
    upstream.end();
  });
  outgoing.once('close', () => {
    if (outgoing.writableFinished) return;
    log.end('the client left before all was said');
    upstream.destroy();
  });
}

function giveBack(
  answer: IncomingMessage,
  { method, url = '' }: IncomingMessage,
  outgoing: ServerResponse,
  { target, proxyOrigin, onNote }: Forwarding,
  log: ExchangeLog,
): void {
  const origins: Origins = { server: target.origin, proxy: proxyOrigin };
  const given = fieldsOf(answer.rawHeaders);
  const { fields, changed } = movedHeaders(passedOn(given), origins);
  const status = answer.statusCode!;
  outgoing.sendDate = false;
  /** Writes the head. Returns false if it cannot be written; the client has then received a 502. */
  const head = (own: readonly Field[]): boolean => {
    try {
      outgoing.writeHead(status, answer.statusMessage, rawOf(own));
    } catch (error) {
      const { message } = error as Error;
      answerInstead(outgoing, `The answer of the server cannot be passed on: ${message}`, log);
      log.end(message);
      answer.destroy();
      return false;
    }
    // The client needs the head of a stream before its first event.
    outgoing.flushHeaders();
    return true;
  };
  log.answer(status, given);
  for (const change of changed) log.note(`On the way to the client, ${change}`);

  if (isResourceMetadata(url) && status === 200) giveMetadata(answer, outgoing, fields, origins, head, log, onNote);
  else if (head(fields)) {
    const mayName = method === 'GET' && isEventStream(fields) && valueOf(fields, 'content-encoding') === undefined;
    const beginning = mayName ? createBeginning(origins, log) : (chunk: Buffer) => chunk;
    pass(answer, outgoing, (chunk) => {
      log.answerBody(chunk);
      return beginning(chunk);
    });
    answer.once('end', () => {
      log.end();
      outgoing.end();
    });
  }
  answer.once('close', () => {
    if (answer.complete || outgoing.writableEnded) return;
    log.end('the server broke the connection off');
    outgoing.destroy();
  });
  answer.on('error', () => outgoing.destroy());
}

/** Holds back the beginning of a stream until its first event is complete, which may have to be changed. */
function createBeginning(origins: Origins, log: ExchangeLog): (chunk: Buffer) => Buffer | undefined {
  let held: Buffer | undefined = Buffer.alloc(0);
  return (chunk) => {
    if (held === undefined) return chunk;
    held = Buffer.concat([held, chunk]);
    // One character per byte, so that unchanged bytes stay the same.
    const text = held.toString('latin1');
    const own = movedEndpoint(text, origins) ?? (held.length > EVENT_BYTES ? text : undefined);
    if (own === undefined) return undefined;
    held = undefined;
    if (own !== text) log.note('On the way to the client, the endpoint event names the proxy, not the server');
    return Buffer.from(own, 'latin1');
  };
}

const AUDIENCE =
  'the server names itself as the resource of its tokens, and the client is told that it is the proxy, or it would refuse. ' +
  'Tokens are then asked for the proxy: an authorization server that checks the resource, or a server that checks the audience, ' +
  'will not accept that. If so, give the proxy a token of the server: --header "Authorization: Bearer …"';

/** Holds metadata until they are complete, because they may have to be changed. */
function giveMetadata(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  fields: readonly Field[],
  origins: Origins,
  head: (fields: readonly Field[]) => boolean,
  log: ExchangeLog,
  onNote: ((text: string) => void) | undefined,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let passing = false;
  pass(answer, outgoing, (chunk) => {
    log.answerBody(chunk);
    if (passing) return chunk;
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= METADATA_BYTES) return undefined;
    passing = true;
    return head(fields) ? Buffer.concat(chunks) : undefined;
  });
  answer.once('end', () => {
    log.end();
    if (passing) return outgoing.end();
    const body = Buffer.concat(chunks);
    const own = valueOf(fields, 'content-encoding') === undefined ? movedResource(body.toString(), origins) : undefined;
    const sent = own === undefined ? body : Buffer.from(own);
    if (own !== undefined) {
      log.note(`OAuth: ${AUDIENCE}`);
      onNote?.(`OAuth: ${AUDIENCE}`);
    }
    if (head(own === undefined ? fields : resized(fields, sent))) outgoing.end(sent);
    return undefined;
  });
}
