// What requests cost on clusters of different sizes: requests a second, and processor time of all nodes for each request.

import { Agent, request } from 'node:http';
import { openStore } from '@tenon/store';
import { type Engine, type EngineName, ENGINES } from './engines.ts';
import { NodeProcess } from './node-process.ts';

const SIZES = [1, 2, 4];
const IN_FLIGHT = 32;
const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';
const TASKS = 'io.modelcontextprotocol/tasks';

/** A kind of work: makes one request or a few, at any of the nodes, and counts as one. */
interface Load {
  readonly name: string;
  readonly calls: number;
  run(nodes: Nodes, at: number): Promise<void>;
}

/** The members of results that are read here. */
interface Result {
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

/** The nodes of a cluster, and the connections to them. */
class Nodes {
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
  async modern(method: string, params: Readonly<Record<string, unknown>>, port?: number): Promise<Result> {
    const name = params['name'] ?? params['taskId'];
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } },
    };
    const named: Record<string, string> = name === undefined ? {} : { 'mcp-name': String(name) };
    const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...named };
    return resultOf(await this.post({ method, params: { ...params, _meta } }, headers, port));
  }

  /** Begins a session, and gives its id. */
  async begin(): Promise<string> {
    const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'cost', version: '1' } };
    const answer = await this.post({ method: 'initialize', params }, {});
    resultOf(answer);
    const session = String(answer.headers['mcp-session-id']);
    await this.inSession(session, { method: 'notifications/initialized', id: undefined });
    return session;
  }

  inSession(session: string, message: object): Promise<Answer> {
    return this.post(message, { 'mcp-session-id': session, 'mcp-protocol-version': LEGACY });
  }

  /** Processor time of all nodes so far, in microseconds. */
  async usage(): Promise<number> {
    const each = this.#ports.map(async (port) => {
      const { content } = await this.modern('tools/call', { name: 'usage', arguments: {} }, port);
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

function resultOf({ status, body }: Answer): Result {
  if (body?.result === undefined) throw new Error(`The server refused with ${status}: ${JSON.stringify(body)}`);
  return body.result;
}

const LOADS: readonly Load[] = [
  {
    name: 'stateless call, 2026-07-28',
    calls: 10_000,
    run: async (nodes) => void (await nodes.modern('tools/call', { name: 'echo', arguments: { text: 'hello' } })),
  },
  {
    name: 'call in a session',
    calls: 5_000,
    async run(nodes, at) {
      const session = (nodes.sessions[at % 50] ??= await nodes.begin());
      const params = { name: 'echo', arguments: { text: 'hello' } };
      resultOf(await nodes.inSession(session, { method: 'tools/call', params }));
    },
  },
  { name: 'beginning of a session', calls: 1_000, run: async (nodes) => void (await nodes.begin()) },
  {
    name: 'task, from its start to its result',
    calls: 500,
    async run(nodes) {
      const { taskId } = await nodes.modern('tools/call', { name: 'work', arguments: { name: 'cost' } });
      for (;;) {
        const { status } = await nodes.modern('tasks/get', { taskId });
        if (status === 'completed') return;
        if (status !== 'working') throw new Error(`The task is ${status}`);
      }
    },
  },
];

async function many(count: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(IN_FLIGHT, count) }, lane));
}

/** Measures one load: requests a second, and microseconds of processor time of all nodes for each. */
async function measure(
  nodes: Nodes,
  { calls, run }: Load,
): Promise<{ readonly perSecond: number; readonly cpu: number }> {
  await many(Math.ceil(calls / 2), (at) => run(nodes, at));
  const before = await nodes.usage();
  const began = performance.now();
  await many(calls, (at) => run(nodes, at));
  const seconds = (performance.now() - began) / 1_000;
  return { perSecond: calls / seconds, cpu: ((await nodes.usage()) - before) / calls };
}

async function withNodes<T>(engine: Engine, size: number, work: (nodes: Nodes) => Promise<T>): Promise<T> {
  const { store, bus } = engine;
  const processes = Array.from({ length: size }, () => new NodeProcess({ store, bus }));
  const nodes = new Nodes(await Promise.all(processes.map(({ port }) => port)));
  try {
    return await work(nodes);
  } finally {
    nodes.close();
    await Promise.all(processes.map((node) => node.end()));
  }
}

function figure(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** How long one operation of the store takes when it keeps so many values, in microseconds. */
async function printGrowth(address: string): Promise<void> {
  console.log('| values in the store | `get` µs | `set` µs | a page of 100 keys µs |\n|--:|--:|--:|--:|');
  await using store = await openStore(address, { tenant: 'growth' });
  let filled = 0;
  for (const size of [1_000, 10_000, 100_000]) {
    const from = filled;
    await many(size - from, async (at) => void (await store.set(`value/${from + at}`, { at: from + at }, 3_600_000)));
    filled = size;
    const time = async (work: (at: number) => unknown): Promise<number> => {
      const began = performance.now();
      for (let at = 0; at < 300; at++) await work(at);
      return ((performance.now() - began) / 300) * 1_000;
    };
    const get = await time((at) => store.get(`value/${(at * 331) % size}`));
    const set = await time((at) => store.set(`value/${(at * 331) % size}`, { at }, 3_600_000));
    const keys = await time((at) => store.keys('value/', `value/${(at * 331) % size}`, 100));
    console.log(`| ${figure(size)} | ${figure(get)} | ${figure(set)} | ${figure(keys)} |`);
  }
}

/** Prints what requests cost on one engine, as the tables of docs/scaling.md. */
export async function printCosts(name: EngineName): Promise<void> {
  const engine = await ENGINES[name]();
  try {
    console.log(`${name}\n\n| | ${SIZES.map((size) => `${size} node${size === 1 ? '' : 's'}`).join(' | ')} |`);
    console.log(`|---|${SIZES.map(() => '--:').join('|')}|`);
    const rows = new Map<string, string[]>(LOADS.map((load) => [load.name, []]));
    for (const size of SIZES)
      await withNodes(engine, size, async (nodes) => {
        for (const load of LOADS) {
          const { perSecond, cpu } = await measure(nodes, load);
          rows.get(load.name)!.push(`${figure(perSecond)}/s, ${figure(cpu)} µs`);
        }
      });
    for (const [row, cells] of rows) console.log(`| ${row} | ${cells.join(' | ')} |`);
    console.log('');
    await printGrowth(engine.store);
  } finally {
    await engine.delete();
  }
}
