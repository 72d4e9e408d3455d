// Every revision × every transport, as data. A test that runs in all cells runs with the same server in each, while the oracle checks the
// wire and a guard checks that the intended revision was negotiated.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, connect, type ConnectOptions, type ContractOf, type Target } from '../../src/entries/client.ts';
import { serveHttp } from '../../src/entries/node.ts';
import { revisions, type Revision, type Server, type ServeOptions } from '../../src/entries/index.ts';
import { perTestFile } from '../../../../scripts/lib/test-file.ts';
import { createOracle, type Oracle } from '../oracle/oracle.ts';
import type { App } from './app.ts';
import { type Fixture, suite } from './fixture.ts';
import { program } from './program.ts';

export const transports = ['memory', 'stdio', 'http', 'sse'] as const;
export type Transport = (typeof transports)[number];

/** One combination. */
export interface Cell {
  readonly revision: Revision;
  readonly transport: Transport;
  /** The suffix of a test's name. */
  readonly where: string;
}

export const cells: readonly Cell[] = revisions.flatMap((revision) =>
  transports
    // HTTP+SSE is the HTTP transport of 2024-11-05.
    .filter((transport) => transport !== 'sse' || revision === '2024-11-05')
    .map((transport) => ({ revision, transport, where: `on ${revision} over ${transport}` })),
);

/** The cells in which both sides write to one channel. */
export const channels = cells.filter(({ transport }) => transport === 'memory' || transport === 'stdio');

/** Picks the cells of one era. */
export function legacy({ revision }: Cell): boolean {
  return revision !== '2026-07-28';
}
export function modern(cell: Cell): boolean {
  return !legacy(cell);
}
/** The cells in which each request stands alone, with headers that repeat it and a connection that ends with it. */
export function endsByItself(cell: Cell): boolean {
  return modern(cell) && cell.transport === 'http';
}

/** The objects that a test of one cell works with. */
export interface CellContext<A extends Server = App> {
  readonly cell: Cell;
  readonly client: Client<ContractOf<A>>;
  /** All messages since the test began, in order; including the handshake if the test has its own connection. */
  readonly wire: readonly Wired[];
}

export interface Wired {
  readonly from: 'client' | 'server';
  readonly message: Message;
}

/** A message of the wire, or a part of a batch. */
export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, any>;
  readonly result?: Record<string, any>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: any };
}

/** The server that a test needs, and how to serve it. Tests of a file that use the same objects share a connection in each cell. */
export interface Setup<A extends Server = App> {
  readonly fixture?: Fixture<A>;
  /** How the client connects. */
  readonly connect?: ConnectOptions;
  /** How the server is served: JSON only, because it is passed to another process. */
  readonly serve?: ServeOptions;
}

/** Options for the connection of a test. */
export interface CellOptions<A extends Server = App> extends Setup<A> {
  /** The test needs its own connection. */
  readonly alone?: boolean;
  readonly only?: (cell: Cell) => boolean;
  /** The client sends invalid messages on purpose: only the server is checked. */
  readonly hostile?: boolean;
  /** Methods and notifications of the server's own, which the schemas do not have. */
  readonly own?: RegExp;
}

interface Connection {
  readonly client: Client;
  end(): Promise<void>;
  readonly wire: Wired[];
  readonly oracle: Oracle;
}

/** Serves a fixture in a cell. */
async function serveIn(
  { transport }: Cell,
  fixture: Fixture,
  { principal, ...serve }: ServeOptions,
): Promise<{ readonly target: Target; stop(): Promise<void> }> {
  const stop = async (): Promise<void> => {};
  if (transport === 'memory') return { target: fixture.make(), stop };
  if (transport === 'stdio')
    return { target: program(fixture, principal === undefined ? serve : { ...serve, principal }), stop };
  const served = await serveHttp(fixture.make(), {
    ...serve,
    port: 0,
    signals: false,
    sse: transport === 'sse',
    drainMs: 100,
    // Absent, not undefined: an option that is given as undefined is an error.
    ...(principal === undefined ? {} : { auth: () => principal }),
  });
  const target = transport === 'sse' ? served.url.replace(/mcp$/, 'sse') : served.url;
  return { target, stop: () => served.close() };
}

/** Connects in a cell, with the oracle watching. */
async function open(
  cell: Cell,
  { fixture = suite as unknown as Fixture, connect: options = {}, serve = {} }: Setup<Server>,
): Promise<Connection> {
  const oracle = createOracle(cell.revision);
  const wire: Wired[] = [];
  const { target, stop } = await serveIn(cell, fixture, serve);
  const client = await connect<unknown>(target, {
    revision: cell.revision,
    serve,
    ...options,
    onTrace(entry) {
      options.onTrace?.(entry);
      if (entry.kind !== 'sent' && entry.kind !== 'received' && entry.kind !== 'junk') return;
      const direction = entry.kind === 'sent' ? 'client-to-server' : 'server-to-client';
      oracle.observe(direction, entry.text);
      if (entry.kind === 'junk') return;
      wire.push({ from: entry.kind === 'sent' ? 'client' : 'server', message: JSON.parse(entry.text) as Message });
    },
  });
  assert.equal(client.revision, cell.revision, 'the negotiated revision is the intended one');
  const end = async (): Promise<void> => {
    await client.close();
    await stop();
  };
  return { client, wire, oracle, end };
}

/** A resource that the tests of a file share: one for each cell and setup. */
interface Shared<S, T> {
  readonly cell: Cell;
  readonly setup: S;
  /** Identifies the setup. */
  readonly key: readonly unknown[];
  made: Promise<T> | undefined;
}

/** Makes a resource that several tests of a file use, once for each cell and setup, and ends it after the last test. */
export function sharing<S extends Setup<Server>, T>(
  make: (cell: Cell, setup: S) => Promise<T>,
  end: (made: T) => Promise<void>,
  parts: (setup: S) => unknown[],
) {
  const sharedOfFile = perTestFile<Shared<S, T>[]>(
    () => [],
    (shared) => Promise.all(shared.splice(0).map(({ made }) => made?.then(end, () => {}))),
  );
  const same = (a: readonly unknown[], b: readonly unknown[]): boolean => a.every((part, at) => part === b[at]);

  /** Announces that a test will use it. */
  const want = (cell: Cell, setup: S): Shared<S, T> => {
    const key = [setup.fixture, setup.serve, ...parts(setup)];
    const shared = sharedOfFile();
    const known = shared.find((one) => one.cell === cell && same(one.key, key));
    if (known !== undefined) return known;
    const wanted: Shared<S, T> = { cell, setup, key, made: undefined };
    shared.push(wanted);
    return wanted;
  };

  /** Makes it for all cells that use it, at once, because processes take time to start. */
  const get = (cell: Cell, setup: S): Promise<T> => {
    const wanted = want(cell, setup);
    if (wanted.made === undefined) {
      for (const one of sharedOfFile()) {
        if (one.made !== undefined || !same(one.key, wanted.key)) continue;
        one.made = make(one.cell, one.setup);
        // The test that uses it reports the error.
        one.made.catch(() => {});
      }
    }
    return wanted.made!;
  };
  return { want, get };
}

const connected = sharing(
  open,
  ({ end }) => end(),
  ({ connect }) => [connect],
);

/** Begins to observe; the returned function fails the test if there were problems since then. */
export function watch(
  { problems }: Oracle,
  { hostile = false, own }: { readonly hostile?: boolean; readonly own?: RegExp },
): () => void {
  const before = problems.length;
  return () => {
    const found = problems
      .slice(before)
      .filter((problem) => !hostile || problem.startsWith('server-to-client'))
      .filter(
        (problem) => own?.test(/: (\S+) is not a \S+ (?:request|notification) of /.exec(problem)?.[1] ?? '') !== true,
      );
    assert.deepEqual(found, [], 'the official schemas have nothing against the wire');
  };
}

/** Runs in a cell; afterwards the oracle's problems fail the test. */
export async function inCell<A extends Server = App>(
  cell: Cell,
  run: (seat: CellContext<A>) => Promise<void>,
  options: CellOptions<A> = {},
): Promise<void> {
  const setup = options as unknown as Setup<Server>;
  const connection = options.alone === true ? await open(cell, setup) : await connected.get(cell, setup);
  const verdict = watch(connection.oracle, options);
  if (options.alone !== true) connection.wire.length = 0;
  try {
    await run({ cell, client: connection.client as Client<ContractOf<A>>, wire: connection.wire });
  } finally {
    if (options.alone === true) await connection.end();
  }
  verdict();
}

/** A test in every cell, or in those selected by `only`. */
export function everywhere<A extends Server = App>(
  name: string,
  run: (seat: CellContext<A>) => Promise<void>,
  options: CellOptions<A> = {},
): void {
  for (const cell of cells) {
    if (options.only?.(cell) === false) continue;
    if (options.alone !== true) connected.want(cell, options as unknown as Setup<Server>);
    test(`${name} ${cell.where}`, () => inCell(cell, run, options));
  }
}
