// What is measured beside what.
import { openClient } from './client.ts';
import { heapPerCall, heapPerSession } from './heap.ts';
import { type HttpLoad, openHttp } from './http.ts';
import type { Running } from './measured.ts';
import type { Sample, Unit } from './results.ts';
import { timeToAnswer } from './start.ts';
import { openStdio, type StdioLoad } from './stdio.ts';

export interface Comparison {
  readonly title: string;
  readonly unit: Unit;
  readonly servers: readonly string[];
  readonly floor?: string;
  readonly ceiling?: string;
  /** Most turns of each server, if it needs fewer than others. */
  readonly turns?: number;
  /** Programs on a pipe take turns, with one call at a time. */
  readonly isSequential?: boolean;
  /** Starts one server on the Node at this path. */
  open(server: string, node: string): Promise<Turns>;
}

/** A server that can be measured several times. */
export interface Turns {
  measure(): Promise<Sample>;
  close(): void;
}

const ALL = ['raw', 'ceiling', 'tenon', 'mcp-lite', 'tmcp', 'official-v2', 'official-v1'];
/** Those that speak 2026-07-28. */
const MODERN = ['raw', 'ceiling', 'tenon', 'tmcp', 'official-v2'];
/** For variations of a load. With the others, which need several times as long, a run would take twice the time. */
const VARIED = ['raw', 'ceiling', 'tenon', 'mcp-lite', 'official-v2'];
const VARIED_MODERN = VARIED.filter((server) => MODERN.includes(server));
/** Those that need several times as long, so they get fewer calls. */
const SLOWER: Readonly<Record<string, number>> = { tmcp: 6, 'official-v2': 10, 'official-v1': 10 };
/** How much longer they need for long lists, and how much longer over stdio, where HTTP costs nothing. */
const SLOWER_LISTS = 5;
const SLOWER_STDIO = 3;
/** Calls before those that are measured, for each of them: the runtime has then compiled what is called often. */
const WARM_UP = 1.5;
/** How often each server is measured, by turns. */
export const TURNS = 15;
/** The same where each turn starts a server and makes thousands of calls before it measures. */
const LONG_TURNS = 3;
const BOUNDS = { floor: 'raw', ceiling: 'ceiling' };

/** How many calls there are: before those that are measured, and in each turn. */
function countsOf(calls: number, share: number, slower: number): { readonly warmUp: number; readonly each: number } {
  // Those with fewer calls have more of them to warm up: it takes a number of calls, not a time.
  const warmUp = Math.ceil((calls * share * WARM_UP) / Math.ceil(slower / 2));
  return { warmUp: Math.max(warmUp, 5), each: Math.max(Math.ceil((calls * share) / slower / TURNS), 5) };
}

async function turnsOf(opened: Promise<Running>, calls: number): Promise<Turns> {
  const { run, close } = await opened;
  const measure = async (): Promise<Sample> => {
    const { cpu, perSecond } = await run(calls);
    return { value: cpu, perSecond };
  };
  return { measure, close };
}

/** Each turn starts a server of its own. */
function startedEachTurn(measure: () => Promise<number>): Promise<Turns> {
  return Promise.resolve({ measure: async () => ({ value: await measure() }), close: () => {} });
}

/** All comparisons. `calls` is how many calls are measured in all turns together, where one costs a few microseconds. */
export function comparisonsOf(calls: number): Comparison[] {
  const http = (
    title: string,
    servers: readonly string[],
    load: Omit<HttpLoad, 'server' | 'node' | 'warmUp'>,
    share: number,
  ): Comparison => ({
    title: `http ${title}, ${load.connections === 1 ? 'one connection' : `${load.connections} connections`}`,
    unit: 'µs',
    servers,
    ...BOUNDS,
    open: (server, node) => {
      const slower = load.call === 'big' ? 1 : (SLOWER[server] ?? 1) * (load.call === 'list' ? SLOWER_LISTS : 1);
      const { warmUp, each } = countsOf(calls, share, slower);
      return turnsOf(openHttp({ ...load, server, node, warmUp }), each);
    },
  });

  const stdio = (
    title: string,
    servers: readonly string[],
    load: Omit<StdioLoad, 'server' | 'node' | 'warmUp'>,
    share: number,
  ): Comparison => ({
    title: `stdio ${title}, ${load.inFlight} in flight`,
    unit: 'µs',
    servers,
    ...BOUNDS,
    isSequential: load.inFlight === 1,
    open: (server, node) => {
      const slower = load.call === 'big' || SLOWER[server] === undefined ? 1 : SLOWER_STDIO;
      const { warmUp, each } = countsOf(calls, share, slower);
      return turnsOf(openStdio({ ...load, server, node, warmUp }), each);
    },
  });

  const client = (
    title: string,
    transport: 'http' | 'stdio' | 'memory',
    inFlight: number,
    share: number,
    servers: readonly string[],
    bounds: Pick<Comparison, 'floor' | 'ceiling'> = BOUNDS,
  ): Comparison => ({
    title: `${title}, ${inFlight} in flight`,
    unit: 'µs',
    servers,
    ...bounds,
    isSequential: transport === 'stdio' && inFlight === 1,
    open: (client, node) => {
      const slower = client === 'official-v2' ? 6 : 1;
      const { warmUp, each } = countsOf(calls, share, slower);
      return turnsOf(openClient({ client, node, transport, inFlight, warmUp }), each);
    },
  });

  const start = (title: string, servers: readonly string[], floor: string): Comparison => ({
    title: `start ${title}`,
    unit: 'ms',
    servers,
    floor,
    open: (server, node) => startedEachTurn(() => timeToAnswer(server, node)),
  });

  const heap = (
    title: string,
    servers: readonly string[],
    measure: (server: string, node: string) => Promise<number>,
  ): Comparison => ({
    title: `heap ${title}`,
    unit: 'bytes',
    servers,
    turns: LONG_TURNS,
    open: (server, node) => startedEachTurn(() => measure(server, node)),
  });
  const sessions = Math.min(calls, 1_000);

  const stateless = { era: 'stateless', call: 'echo', tools: 4, connections: 64 } as const;
  const session = { ...stateless, era: 'session' } as const;
  const modern = { ...stateless, era: 'modern' } as const;
  const pipe = { era: 'modern', call: 'echo', inFlight: 64 } as const;
  const legacyPipe = { ...pipe, era: 'legacy' } as const;
  const CLIENTS = ['raw', 'ceiling', 'tenon', 'official-v2'];
  const HOST = { floor: 'tenon' };

  return [
    http('echo, stateless', ALL, stateless, 1),
    http('echo, stateless', VARIED, { ...stateless, connections: 1 }, 0.5),
    http('echo, stateless, 204 tools', VARIED, { ...stateless, tools: 204 }, 1),
    http('echo, in a session', ALL, session, 1),
    http('echo, in a session', VARIED, { ...session, connections: 1 }, 0.5),
    http('echo, 2026-07-28', MODERN, modern, 1),
    http('echo, 2026-07-28', VARIED_MODERN, { ...modern, connections: 1 }, 0.5),
    http('read of a resource, stateless', VARIED, { ...stateless, call: 'read' }, 1),
    http('read of a resource, 2026-07-28', VARIED_MODERN, { ...modern, call: 'read' }, 1),
    http('list of 200 tools, stateless', VARIED, { ...stateless, call: 'list', tools: 200 }, 0.25),
    http('list of 200 tools, 2026-07-28', VARIED_MODERN, { ...modern, call: 'list', tools: 200 }, 0.25),
    http('1 MB, stateless', ALL, { ...stateless, call: 'big', connections: 4 }, 0.02),
    http('1 MB, 2026-07-28', MODERN, { ...modern, call: 'big', connections: 4 }, 0.02),
    http('50 steps of progress, in a session', ALL, { ...session, call: 'steps' }, 0.25),
    http('50 steps of progress, 2026-07-28', MODERN, { ...modern, call: 'steps' }, 0.25),
    stdio('echo, 2026-07-28', MODERN, pipe, 2),
    stdio('echo, 2026-07-28', MODERN, { ...pipe, inFlight: 1 }, 0.75),
    stdio(
      'echo, legacy',
      ALL.filter((server) => server !== 'mcp-lite'),
      legacyPipe,
      2,
    ),
    stdio(
      'echo, legacy',
      ALL.filter((server) => server !== 'mcp-lite'),
      { ...legacyPipe, inFlight: 1 },
      0.75,
    ),
    stdio('1 MB, 2026-07-28', MODERN, { ...pipe, call: 'big', inFlight: 4 }, 0.02),
    client('client over http', 'http', 64, 0.75, CLIENTS),
    client('client over http', 'http', 1, 0.5, CLIENTS),
    client('client over stdio', 'stdio', 64, 2, CLIENTS),
    client('client over stdio', 'stdio', 1, 0.75, CLIENTS),
    client('memory, client and server in one process', 'memory', 64, 2, [...CLIENTS, 'tmcp']),
    client('memory, client and server in one process', 'memory', 1, 2, [...CLIENTS, 'tmcp']),
    client('host.call over client.call, in one process', 'memory', 64, 1, ['tenon', 'tenon-host'], HOST),
    client('host.call over client.call, in one process', 'memory', 1, 1, ['tenon', 'tenon-host'], HOST),
    start('to the first answer, with zod', ['raw-zod', 'tenon', 'tmcp', 'official-v2', 'official-v1'], 'raw-zod'),
    start('to the first answer, without zod', ['raw', 'tenon-json'], 'raw'),
    heap('of an idle session', ALL, (server, node) => heapPerSession({ server, node, tools: 4, sessions })),
    heap('of an idle session, 204 tools', ALL, (server, node) =>
      heapPerSession({ server, node, tools: 204, sessions }),
    ),
    heap('kept of a call, 2026-07-28', MODERN, (server, node) =>
      heapPerCall({ server, node, calls: Math.min(calls, 20_000) }),
    ),
  ];
}
