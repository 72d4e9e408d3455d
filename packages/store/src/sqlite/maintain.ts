import type { StoreReport } from '../engine.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { prepareStatements } from './statements.ts';
import type { StoreFile } from './store-file.ts';

/** How many rows are removed in one transaction. */
const STEP = 1_000;

/** Reports what a store contains. */
export async function reportOn(file: StoreFile): Promise<StoreReport> {
  const count = file.prepare(
    `SELECT total(json IS NOT NULL) AS "values", total(json IS NULL) AS logs, total(size) AS characters,
      total(expires <= ?) AS expired FROM entries`,
  );
  const row = await file.read(
    () => count.get(Date.now()) as Record<'values' | 'logs' | 'characters' | 'expired', number>,
  );
  return { version: SCHEMA_VERSION, known: SCHEMA_VERSION, ...row };
}

/** Removes everything that has expired, in small steps. Returns the number of removed rows. */
export async function removeExpired(file: StoreFile): Promise<number> {
  const statements = prepareStatements(file);
  const step = (): Promise<number> | number =>
    file.write('written', () => statements.removeExpired(Date.now(), STEP) + statements.removeLogValues(STEP));
  let total = 0;
  for (let removed = await step(); removed > 0; removed = await step()) total += removed;
  return total;
}
