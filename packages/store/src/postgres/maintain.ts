import type { StoreReport } from '../engine.ts';
import type { DatabaseAddress } from './address.ts';
import type { Connections } from './connections.ts';
import { migrate, versionIn } from './migrate.ts';
import { SCHEMA_VERSION } from './schema.ts';

/** How many rows are removed in one transaction. */
const STEP = 1_000;
/** How long counting or one step may take, in milliseconds. */
const PATIENCE_MS = 600_000;

/** Reports what a store contains, without changing it. */
export async function inspect(connections: Connections, address: DatabaseAddress): Promise<StoreReport> {
  const way = { what: 'inspect', repeatable: true, patienceMs: PATIENCE_MS };
  const version = await connections.use(way, (client) => versionIn(client, address));
  if (version === 0) return { version, known: SCHEMA_VERSION, values: 0, logs: 0, characters: 0, expired: 0 };
  type Row = Record<'entries' | 'logs' | 'characters' | 'expired', string>;
  const [row] = await connections.run<Row>(`SELECT * FROM "${address.schema}".report(NULL)`, [], way);
  return {
    version,
    known: SCHEMA_VERSION,
    values: Number(row!.entries),
    logs: Number(row!.logs),
    characters: Number(row!.characters),
    expired: Number(row!.expired),
  };
}

/** Removes everything that has expired, in small steps. Returns the number of removed rows. */
export async function sweep(connections: Connections, address: DatabaseAddress): Promise<number> {
  await migrate(connections, address, 'only-check');
  const way = { what: 'sweep', repeatable: true, patienceMs: PATIENCE_MS };
  let total = 0;
  for (const call of ['sweep(NULL, $1, true)', 'remove_messages($1)'])
    for (let removed = STEP; removed >= STEP;) {
      const [row] = await connections.run<{ removed: number }>(
        `SELECT "${address.schema}".${call} AS removed`,
        [STEP],
        way,
      );
      ({ removed } = row!);
      total += removed;
    }
  return total;
}
