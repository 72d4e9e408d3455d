import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { AllFields } from '../../../wire/headers.ts';
import type { HttpSend, Incoming, Outgoing } from '../send.ts';

/** Connections are reused; streams need many at the same time. */
const AGENT = { keepAlive: true, maxFreeSockets: 64, noDelay: true };

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

/** Sends with `node:http`, at an eighth of the cost of `fetch`. Each client has its own, with its own connections. */
export function defaultSend(): HttpSend {
  const agents = { 'http:': new HttpAgent(AGENT), 'https:': new HttpsAgent(AGENT) };
  const known = new Map<string, RequestOptions>();
  const optionsOf = (url: string): RequestOptions => {
    const cached = known.get(url);
    if (cached !== undefined) return cached;
    const { protocol, hostname, port, pathname, search } = new URL(url);
    const options: RequestOptions = {
      protocol,
      hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? undefined : Number(port),
      path: `${pathname}${search}`,
      agent: agents[protocol as keyof typeof agents],
    };
    if (known.size > 100) known.clear();
    known.set(url, options);
    return options;
  };
  const begin = ({ method, url, headers, body }: Outgoing): ClientRequest => {
    const options = optionsOf(url);
    const fields: Record<string, string | number> = { ...headers, 'accept-encoding': 'identity' };
    if (body !== undefined) fields['content-length'] = Buffer.byteLength(body);
    const send = options.protocol === 'https:' ? httpsRequest : httpRequest;
    return send({ ...options, method, headers: fields });
  };
  return (outgoing, incoming) => {
    let request: ClientRequest;
    try {
      request = begin(outgoing);
    } catch (error) {
      incoming.end(error as Error, false);
      return () => {};
    }
    incoming.sent?.(sentFields(request));
    return watch(request, outgoing.body, incoming);
  };
}

/** The header fields that are sent: Node adds `connection` when it writes the others. */
function sentFields(request: ClientRequest): AllFields {
  return [
    ...Object.entries(request.getHeaders()),
    ['connection', request.shouldKeepAlive === false ? 'close' : 'keep-alive'],
  ];
}

function watch(request: ClientRequest, body: string | undefined, incoming: Incoming): () => void {
  let over = false;
  let sent = false;
  const end = (error?: Error & { code?: unknown }): void => {
    if (over) return;
    over = true;
    if (error === undefined) incoming.end();
    else incoming.end(error, sent || !NEVER_SENT.has(error.code));
  };
  request.on('error', end);
  // For a response such as 101 Switching Protocols, Node closes the connection without any other event.
  request.on('close', () => {
    if (!sent) end(new Error('The connection was closed before there was an answer'));
  });
  request.on('response', (response: IncomingMessage) => {
    sent = true;
    if (over) return;
    const coding = response.headers['content-encoding'] ?? 'identity';
    // Compressed bodies are refused, because a small one can decompress to a huge one.
    if (coding !== 'identity') {
      request.destroy();
      return end(new Error(`The answer is encoded (${coding}), although that was not asked for`));
    }
    response.on('data', (chunk: Buffer) => {
      if (!over) incoming.data(chunk);
    });
    response.on('end', () =>
      end(response.complete ? undefined : new Error('The connection ended in the middle of an answer')),
    );
    response.on('error', end);
    response.on('close', () => end(new Error('The connection ended in the middle of an answer')));
    incoming.head(
      response.statusCode ?? 0,
      (name) => {
        const value = response.headers[name];
        return typeof value === 'string' || value === undefined ? value : value.join(', ');
      },
      () => Object.entries(response.headers),
    );
  });
  request.end(body);
  return () => {
    over = true;
    request.destroy();
  };
}
