// Sends requests to the nodes of a cluster, many at a time.

import { Agent, request } from 'node:http';
import type { Engine } from './engines.ts';
import { NodeProcess, type Shared } from './node-process.ts';

const IN_FLIGHT = 32;
const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';
const TASKS = 'io.modelcontextprotocol/tasks';

/** The members of results that are read here. */
export interface Result {
  readonly taskId: string;
  readonly status: string;
  readonly content: readonly { readonly text: string }[];
}

interface Reply {
  readonly result?: Result;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Reply | null;
}

/** Whose request it is, where nodes ask for that, and the node that gets it: by default the next one. */
interface From {
  readonly user?: string;
  readonly port?: number;
}

/** The header that names a user. */
function of(user: string | undefined): Record<string, string> {
  return user === undefined ? {} : { 'x-user': user };
}

/** The nodes of a cluster, and the connections to them. */
export class Nodes {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
  readonly #ports: readonly number[];
  readonly sessions: string[] = [];
  #turn = 0;

  constructor(ports: readonly number[]) {
    this.#ports = ports;
  }

  /** Sends a message to the next node. */
  post(message: object, headers: Readonly<Record<string, string>>, port = this.#next()): Promise<Answer> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++this.#turn, ...message });
    const fields = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
    return new Promise((resolve, reject) => {
      const sent = request({
        port,
        host: '127.0.0.1',
        path: '/mcp',
        method: 'POST',
        agent: this.#agent,
        headers: fields,
      });
      sent.on('error', reject);
      sent.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          const json = text.startsWith('{') ? text : (/^data: ?(\{.*)$/m.exec(text)?.[1] ?? 'null');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: JSON.parse(json) as Reply | null,
          });
        });
      });
      sent.end(body);
    });
  }

  /** Sends a request of 2026-07-28, and gives its result. */
  async modern(method: string, params: Readonly<Record<string, unknown>>, { user, port }: From = {}): Promise<Result> {
    const name = params['name'] ?? params['taskId'];
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } },
    };
    const named: Record<string, string> = name === undefined ? {} : { 'mcp-name': String(name) };
    const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...named, ...of(user) };
    return resultOf(await this.post({ method, params: { ...params, _meta } }, headers, port));
  }

  /** Begins a session, and gives its id. */
  async begin(user?: string): Promise<string> {
    const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'cost', version: '1' } };
    const answer = await this.post({ method: 'initialize', params }, of(user));
    resultOf(answer);
    const session = String(answer.headers['mcp-session-id']);
    await this.inSession(session, { method: 'notifications/initialized', id: undefined }, user);
    return session;
  }

  inSession(session: string, message: object, user?: string): Promise<Answer> {
    return this.post(message, { 'mcp-session-id': session, 'mcp-protocol-version': LEGACY, ...of(user) });
  }

  /** Processor time of all nodes so far, in microseconds. */
  async usage(): Promise<number> {
    const each = this.#ports.map(async (port) => {
      const { content } = await this.modern('tools/call', { name: 'usage', arguments: {} }, { port });
      return Number(content[0]?.text);
    });
    return (await Promise.all(each)).reduce((sum, usage) => sum + usage, 0);
  }

  close(): void {
    this.#agent.destroy();
  }

  #next(): number {
    return this.#ports[this.#turn % this.#ports.length]!;
  }
}

/** The result in an answer. Throws for any other. */
export function resultOf({ status, body }: Answer): Result {
  if (body?.result === undefined) throw new Error(`The server refused with ${status}: ${JSON.stringify(body)}`);
  return body.result;
}

/** Does work so many times, a few at once. */
export async function many(count: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(IN_FLIGHT, count) }, lane));
}

/** Starts nodes, and ends them when the work is done. */
export async function withNodes<T>(
  { store, bus }: Engine,
  size: number,
  work: (nodes: Nodes) => Promise<T>,
  more: Pick<Shared, 'users'> = {},
): Promise<T> {
  const processes = Array.from({ length: size }, () => new NodeProcess({ store, bus, ...more }));
  const nodes = new Nodes(await Promise.all(processes.map(({ port }) => port)));
  try {
    return await work(nodes);
  } finally {
    nodes.close();
    await Promise.all(processes.map((node) => node.end()));
  }
}

/** A number for a table. */
export function figure(value: number): string {
  return Math.round(value).toLocaleString('en');
}
