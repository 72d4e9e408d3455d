import {
  Agent as HttpAgent,
  type AgentOptions,
  type ClientRequest,
  globalAgent,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { AllFields } from '../../../wire/headers.ts';
import { type AnswerHead, type HttpSend, type Incoming, NOT_SENT, type Outgoing, type SentRequest } from '../send.ts';

/**
 * How long a connection is kept without a request, in milliseconds; less if the server announces less. Servers close such connections, many
 * after 5 seconds, and a request that is sent at that moment fails.
 */
const IDLE_MS = 4_000;
/** Connections are reused; streams need many at the same time. */
const AGENT = { keepAlive: true, maxFreeSockets: 64, noDelay: true, timeout: IDLE_MS };

/** Fields that are always set here and never by the program. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['accept-encoding', 'content-length']);

const NEVER_SENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** A URL, parsed once. */
interface Address {
  readonly options: Pick<RequestOptions, 'protocol' | 'hostname' | 'port' | 'path' | 'agent'>;
  readonly request: typeof httpsRequest;
  readonly host: string;
}

const MAX_ADDRESSES = 100;

/** Sends with `node:http`, at an eighth of the cost of `fetch`. Each client has its own, with its own connections. */
export function defaultSend(): HttpSend {
  const connections = new Connections();
  return (outgoing, incoming) => {
    let request: ClientRequest;
    try {
      request = connections.begin(outgoing, incoming);
    } catch (error) {
      incoming.end(error as Error, false);
      return NOT_SENT;
    }
    const sent = new NodeRequest(request, incoming, connections);
    request.end(outgoing.body);
    return sent;
  };
}

/** With the proxy that Node itself uses, which `NODE_USE_ENV_PROXY` and `--use-env-proxy` turn on from Node 22.21 and 24.5 on. */
function createAgents() {
  const { options: own } = globalAgent as { readonly options?: AgentOptions };
  const options = { ...AGENT, proxyEnv: own?.proxyEnv };
  return { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) };
}

/** The connections of one client, and the state that its requests share. */
class Connections {
  readonly #agents = createAgents();
  readonly #addresses = new Map<string, Address>();
  /** Header fields as Node writes them without looking for repeated names: names and values in turn. */
  readonly #lists = new WeakMap<Outgoing['headers'], readonly string[]>();

  /** Closes the connections that wait for a request. */
  closeIdle(): void {
    for (const { freeSockets } of Object.values(this.#agents))
      for (const socket of Object.values(freeSockets).flat()) socket?.destroy();
  }

  begin({ method, url, headers, body }: Outgoing, incoming: Incoming): ClientRequest {
    const { options, request, host } = this.#address(url);
    const list = [...this.#listOf(headers)];
    if (body !== undefined) list.push('content-length', String(Buffer.byteLength(body)));
    const ownHost = headers['host'];
    if (ownHost === undefined) list.push('Host', host);
    const { protocol, hostname, port, path, agent } = options;
    const servername = ownHost === undefined ? undefined : serverName(ownHost);
    const begun = request({ protocol, hostname, port, path, agent, method, headers: list, servername });
    incoming.sent?.(sentFields(begun, list));
    return begun;
  }

  #listOf(headers: Outgoing['headers']): readonly string[] {
    const known = this.#lists.get(headers);
    if (known !== undefined) return known;
    const list: string[] = [];
    for (const [name, value] of Object.entries(headers)) if (!OWN_FIELDS.has(name)) list.push(name, value);
    list.push('accept-encoding', 'identity');
    this.#lists.set(headers, list);
    return list;
  }

  #address(url: string): Address {
    const known = this.#addresses.get(url);
    if (known !== undefined) return known;
    const { protocol, hostname, port, pathname, search, host } = new URL(url);
    const options = {
      protocol,
      hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? undefined : Number(port),
      path: `${pathname}${search}`,
      agent: this.#agents[protocol as 'http:' | 'https:'],
    };
    const address = { options, request: protocol === 'https:' ? httpsRequest : httpRequest, host };
    if (this.#addresses.size >= MAX_ADDRESSES) this.#addresses.clear();
    this.#addresses.set(url, address);
    return address;
  }
}

/**
 * The server name for TLS, from a `Host` header. Node derives it itself, but not from a list of header fields. It cannot be an IP address
 * (RFC 6066).
 */
function serverName(host: string): string {
  const name = host.replace(/:\d*$/, '');
  return name.startsWith('[') || isIP(name) !== 0 ? '' : name;
}

/** The header fields that are sent: Node adds `connection` when it writes the others. */
function sentFields(request: ClientRequest, list: readonly string[]): AllFields {
  const fields: [string, string][] = [];
  for (let at = 0; at < list.length; at += 2) fields.push([list[at]!.toLowerCase(), list[at + 1]!]);
  return [...fields, ['connection', request.shouldKeepAlive === false ? 'close' : 'keep-alive']];
}

/** The property under which listeners find the request of an emitter: one set of listeners serves all requests. */
const OWNER = Symbol('owner');
type Owned<T> = T & { [OWNER]: NodeRequest };

/** A request that was sent, and its answer. */
class NodeRequest implements SentRequest, AnswerHead {
  readonly #request: ClientRequest;
  readonly #incoming: Incoming;
  readonly #connections: Connections;
  #response: IncomingMessage | undefined;
  #over = false;

  constructor(request: ClientRequest, incoming: Incoming, connections: Connections) {
    this.#request = request;
    this.#incoming = incoming;
    this.#connections = connections;
    (request as Owned<ClientRequest>)[OWNER] = this;
    request.on('error', onError);
    request.on('close', onRequestClosed);
    request.on('response', onResponse);
  }

  abort(): void {
    this.#over = true;
    this.#request.destroy();
  }

  get status(): number {
    return this.#response?.statusCode ?? 0;
  }

  header(name: string): string | undefined {
    const value = this.#response?.headers[name];
    return typeof value === 'string' || value === undefined ? value : value.join(', ');
  }

  all(): AllFields {
    return Object.entries(this.#response?.headers ?? {});
  }

  respond(response: IncomingMessage): void {
    this.#response = response;
    if (this.#over) return;
    const coding = response.headers['content-encoding'] ?? 'identity';
    // Compressed bodies are refused, because a small one can decompress to a huge one.
    if (coding !== 'identity') {
      this.#request.destroy();
      return this.end(new Error(`The answer is encoded (${coding}), although that was not asked for`));
    }
    (response as Owned<IncomingMessage>)[OWNER] = this;
    response.on('data', onData);
    response.on('end', onEnd);
    response.on('error', onError);
    response.on('close', onResponseClosed);
    return this.#incoming.head(this);
  }

  data(chunk: Buffer): void {
    if (!this.#over) this.#incoming.data(chunk);
  }

  end(error?: Error & { code?: unknown }): void {
    if (this.#over) return;
    this.#over = true;
    // The server has probably closed the others, too.
    if (error !== undefined && this.#response === undefined && this.#request.reusedSocket)
      this.#connections.closeIdle();
    if (error === undefined) this.#incoming.end();
    else this.#incoming.end(error, this.#response !== undefined || !NEVER_SENT.has(error.code));
  }

  /** For a response such as 101 Switching Protocols, Node closes the connection without any other event. */
  requestClosed(): void {
    if (this.#response === undefined && !this.#over)
      this.end(new Error('The connection was closed before there was an answer'));
  }

  /** After the end of the answer this has no effect. */
  responseClosed(): void {
    if (!this.#over) this.end(new Error('The connection ended in the middle of an answer'));
  }
}

function onError(this: ClientRequest | IncomingMessage, error: Error): void {
  (this as Owned<typeof this>)[OWNER].end(error);
}

function onRequestClosed(this: ClientRequest): void {
  (this as Owned<ClientRequest>)[OWNER].requestClosed();
}

function onResponse(this: ClientRequest, response: IncomingMessage): void {
  (this as Owned<ClientRequest>)[OWNER].respond(response);
}

function onData(this: IncomingMessage, chunk: Buffer): void {
  (this as Owned<IncomingMessage>)[OWNER].data(chunk);
}

function onEnd(this: IncomingMessage): void {
  const owner = (this as Owned<IncomingMessage>)[OWNER];
  if (this.complete) owner.end();
  else owner.responseClosed();
}

function onResponseClosed(this: IncomingMessage): void {
  (this as Owned<IncomingMessage>)[OWNER].responseClosed();
}
