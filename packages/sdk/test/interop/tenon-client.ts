// Our client behind the interface of the script, with the oracle checking all traffic.

import { type Client, connect, type ConnectOptions, type Target } from '../../src/entries/client.ts';
import type { LogLevel } from '../../src/entries/index.ts';
import { createOracle } from '../oracle/oracle.ts';
import { newUser, type Peer, roots, sample, type User } from './script.ts';

type Json = Record<string, unknown>;

/** A client that answers like all others of the suite, and the oracle that checks its messages. */
export interface Tapped extends AsyncDisposable {
  readonly client: Client;
  readonly peer: Peer;
  /** The violations of the official schemas by the client, except for the deliberately wrong requests of the script. */
  problems(): string[];
  /** Received texts that are not protocol messages, and problems that the client reported. */
  readonly complaints: readonly string[];
  /** The methods the client sent, in order. */
  readonly sent: readonly string[];
  /** The number of processes that were started. */
  readonly processes: () => number;
}

/** The requests that the script deliberately gets wrong. */
const deliberate = /"method":"nothing\/here"|"cursor":"nowhere"|"uri":7/;

export async function connectTapped(target: Target, options: ConnectOptions = {}): Promise<Tapped> {
  const oracle = createOracle(options.revision ?? 'auto', { judge: 'client-to-server' });
  const user = newUser();
  const complaints: string[] = [];
  const sent: string[] = [];
  let processes = 0;
  const logs: Json[] = [];
  const client: Client = await connect(target, {
    elicit: { handler: ({ message }, { signal }) => user.answer(message, signal) as never, url: true },
    sample: { handler: (params) => sample(params as never) as never, tools: true },
    roots,
    onLog: (message) => logs.push(JSON.parse(JSON.stringify(message)) as Json),
    log: ({ level, event, message }) => {
      if (level === 'warn' || level === 'error') complaints.push(`${event}: ${message}`);
    },
    ...options,
    onTrace({ kind, text }) {
      if (kind === 'sent') {
        oracle.observe('client-to-server', text);
        const { method } = JSON.parse(text) as { method?: string };
        if (method !== undefined) sent.push(method);
      } else if (kind === 'received') oracle.observe('server-to-client', text);
      else if (kind === 'junk' || kind === 'lost') complaints.push(`junk: ${text}`);
      else if (kind === 'open') processes++;
    },
  });
  return {
    client,
    peer: peerOf(client, user, logs),
    problems: () => oracle.problems.filter((problem) => !deliberate.test(problem)),
    complaints,
    sent,
    processes: () => processes,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function peerOf(client: Client, user: User, logs: readonly Json[]): Peer {
  return {
    user,
    revision: client.revision,
    server: client.server as unknown as Json | undefined,
    capabilities: client.capabilities as Json,
    instructions: client.instructions,
    logs,
    tools: () => client.tools().all() as Promise<never>,
    resources: () => client.resources().all() as Promise<never>,
    templates: () => client.templates().all() as Promise<never>,
    prompts: () => client.prompts().all() as Promise<never>,
    async call(name, args = {}, { logLevel, ...options } = {}) {
      if (logLevel !== undefined) await client.setLogLevel(logLevel as LogLevel);
      return (await client.result(name, args, options as never)) as unknown as Json;
    },
    read: (uri) => client.read(uri) as Promise<never>,
    prompt: (name, args) => client.prompt(name, args) as Promise<never>,
    complete: (ref, argument, value, resolved) => client.complete(ref, { argument, value, resolved }) as Promise<never>,
    async watch(what) {
      const watch = client.watch(
        what === 'tools' || what === 'prompts' || what === 'resources' ? { list: what } : { uri: what },
      );
      await watch.ready;
      const changes = watch[Symbol.asyncIterator]();
      return {
        async next() {
          const { value } = await changes.next();
          const change = value as { uri?: string; list?: string } | undefined;
          return change?.uri ?? change?.list;
        },
        close: async () => watch.close(),
      };
    },
    raw: (method, params) => client.request(method, params) as Promise<Json>,
  };
}
