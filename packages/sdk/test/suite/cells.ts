// Every revision × every transport, as data. A test that runs in all cells runs against the same server in each, with the
// wire watched by the oracle and a guard that the negotiated revision is the intended one.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Client, connect, type ConnectOptions, type ContractOf } from '../../src/entries/client.ts';
import { revisions, type Revision } from '../../src/entries/index.ts';
import { createOracle, type Oracle } from '../oracle/oracle.ts';
import { app, type App } from './app.ts';
import { program } from './program.ts';

export const transports = ['memory', 'stdio'] as const;
export type Transport = (typeof transports)[number];

/** One combination. */
export interface Cell {
  readonly revision: Revision;
  readonly transport: Transport;
  /** Ends a test's name. */
  readonly where: string;
}

export const cells: readonly Cell[] = revisions.flatMap((revision) =>
  transports.map((transport) => ({ revision, transport, where: `on ${revision} over ${transport}` })),
);

/** What a test of one cell works with. */
export interface Seat {
  readonly cell: Cell;
  readonly client: Client<ContractOf<App>>;
  /** Every message since the test began, in order. */
  readonly wire: Wired[];
}

export interface Wired {
  readonly from: 'client' | 'server';
  readonly message: Record<string, unknown>;
}

/** How a test wants its connection. */
export interface CellOptions {
  /** A connection of its own, made like this. Without it, the tests of a file share one in each cell. */
  readonly connect?: ConnectOptions;
  readonly only?: (cell: Cell) => boolean;
  /** The client sends what is wrong on purpose: only the server is judged. */
  readonly hostile?: boolean;
}

interface Connection {
  readonly client: Client<ContractOf<App>>;
  readonly wire: Wired[];
  readonly judges: Record<'both' | 'server', Oracle>;
}

/** Connects in a cell, with two oracles watching: one judges both sides, one only the server. */
const open = async (cell: Cell, options: ConnectOptions): Promise<Connection> => {
  const judges = { both: createOracle(cell.revision), server: createOracle(cell.revision, { judge: 'server-to-client' }) };
  const wire: Wired[] = [];
  const client = await connect<App>(cell.transport === 'memory' ? app() : { command: process.execPath, args: [program()] }, {
    revision: cell.revision,
    ...options,
    onTrace(entry) {
      options.onTrace?.(entry);
      if (entry.kind !== 'sent' && entry.kind !== 'received') return;
      const direction = entry.kind === 'sent' ? 'client-to-server' : 'server-to-client';
      for (const judge of Object.values(judges)) judge.observe(direction, entry.text);
      wire.push({ from: entry.kind === 'sent' ? 'client' : 'server', message: JSON.parse(entry.text) as Record<string, unknown> });
    },
  });
  assert.equal(client.revision, cell.revision, 'the negotiated revision is the intended one');
  return { client, wire, judges };
};

const shared = new Map<Cell, Promise<Connection>>();
after(async () => {
  for (const connection of shared.values()) await connection.then(({ client }) => client.close(), () => {});
});

const connectionFor = (cell: Cell): Promise<Connection> => {
  const known = shared.get(cell);
  if (known !== undefined) return known;
  const made = open(cell, {});
  shared.set(cell, made);
  return made;
};

/** Runs in a cell; afterwards the oracle says what it has against the messages. */
export const inCell = async (cell: Cell, run: (seat: Seat) => Promise<void>, options: CellOptions = {}): Promise<void> => {
  const connection = options.connect === undefined ? await connectionFor(cell) : await open(cell, options.connect);
  const { problems } = connection.judges[options.hostile === true ? 'server' : 'both'];
  const before = problems.length;
  connection.wire.length = 0;
  try {
    await run({ cell, client: connection.client, wire: connection.wire });
  } finally {
    if (options.connect !== undefined) await connection.client.close();
  }
  assert.deepEqual(problems.slice(before), [], 'the official schemas have nothing against the wire');
};

/** A test in every cell, or in those that `only` picks. */
export const everywhere = (name: string, run: (seat: Seat) => Promise<void>, options: CellOptions = {}): void => {
  for (const cell of cells) if (options.only?.(cell) !== false) test(`${name} ${cell.where}`, () => inCell(cell, run, options));
};
