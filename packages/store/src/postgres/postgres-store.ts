import { noRoomError, roomFor } from '@tenon/values/room';
import type { LogPart } from 'tenon/http';
import type { EngineStore } from '../engine.ts';
import { endOfPrefix, keyBytes, keyOf } from '../key-bytes.ts';
import type { EngineOptions } from '../options.ts';
import type { DatabaseAddress } from './address.ts';
import type { Connections, Way } from './connections.ts';
import { AddedEstimates, type Size, WriteBudget } from './room-budget.ts';
import { sha256, split, splitKey } from './split-key.ts';

/** How often, in milliseconds, a process that writes looks for expired entries, and how many rows are removed at once. */
const SWEEP_MS = 1_000;
const SWEEP = 500;
/** How many of the oldest entries are removed at once, if there are too many: before each step all are counted. */
const TRIM = 5_000;
/** The number of such steps before a value is refused for lack of room, or until the oldest entries are removed. */
const STEPS_FOR_ROOM = 20;
/** How long counting and removing entries may take, in milliseconds. */
const PATIENCE_MS = 60_000;
/** The parts of a store that values stored with `add`, and those of one owner, can have at most, as `roomFor` decides. */
const ADDED = 1 / 2;
const SHARE = 1 / 10;
/** The maximum number of keys that are listed at once. */
const MAX_LIMIT = 2 ** 31 - 1;

/** The result of the function `put` in the database. */
interface PutRow {
  /** `grows`: an added value would become larger than this call allows, so there has to be room. */
  readonly outcome: 'stored' | 'different' | 'grows';
  readonly size_before: string | null;
  readonly owner_before: Buffer | null;
}

/**
 * A store in a schema of PostgreSQL. Each method calls a function in the database, which is one transaction. Lifetimes go by the clock of the
 * server, unless the option `now` is given. Values stored with `add`, and their replacements, are on disk when the method resolves.
 */
export class PostgresStore implements EngineStore {
  readonly #connections: Connections;
  readonly #address: DatabaseAddress;
  readonly #options: EngineOptions;
  readonly #budget: WriteBudget;
  readonly #added: AddedEstimates;
  #trimming: Promise<void> | undefined;
  /** When to look for expired entries again. Infinity: this is happening. */
  #sweepAt = 0;

  constructor(connections: Connections, address: DatabaseAddress, options: EngineOptions) {
    this.#connections = connections;
    this.#address = address;
    this.#options = options;
    const most = this.#most;
    this.#budget = new WriteBudget(most);
    this.#added = new AddedEstimates(times(most, ADDED), times(most, ADDED * SHARE));
  }

  async get(key: string): Promise<unknown> {
    const { head, digest } = splitKey(key);
    const [row] = await this.#call<{ json: string | null }>(
      reading('get'),
      'value_of',
      [head, digest, this.#now],
      'json',
    );
    return row!.json === null ? undefined : JSON.parse(row!.json);
  }

  async set(key: string, value: unknown, lifeMs: number): Promise<void> {
    await this.#put({ what: 'set', repeatable: true }, key, null, value, lifeMs);
  }

  async swap(key: string, before: unknown, after: unknown, lifeMs: number): Promise<boolean> {
    const expected = JSON.stringify(before);
    if (expected === undefined) return false;
    return this.#put({ what: 'swap', repeatable: false }, key, expected, after, lifeMs);
  }

  async add(key: string, value: unknown, lifeMs: number, owner?: string): Promise<boolean> {
    const json = jsonOf(value);
    const size: Size = { entries: 1, characters: key.length + json.length };
    const ownerId = owner === undefined ? null : sha256(keyBytes(owner));
    try {
      await this.#checkRoom(size, ownerId);
    } catch (error) {
      if (error instanceof RangeError && (await this.#has(key))) return false;
      throw error;
    }
    const { head, digest, rest } = splitKey(key);
    const values = [head, digest, rest, json, size.characters, lifeMs, this.#now, ownerId, this.#lockMs];
    const way = { what: 'add', repeatable: false };
    const [row] = await this.#call<{ done: boolean }>(way, 'add_value', values, 'done');
    if (!row!.done) return false;
    this.#added.add(ownerId?.toString('hex'), size);
    await this.#written(size);
    return true;
  }

  async keys(prefix: string, after: string | undefined, limit: number): Promise<readonly string[]> {
    // The smallest key after another one is that key with the smallest code unit appended.
    const from = splitKey(after === undefined || after < prefix ? prefix : `${after}\0`);
    const to = split(endOfPrefix(prefix));
    const most = Math.min(Math.max(Math.trunc(limit), 0), MAX_LIMIT);
    const values = [from.head, from.rest, to.head, to.rest, this.#now, most];
    const rows = await this.#call<{ key: Buffer }>(reading('keys'), 'keys_between', values, 'key');
    return rows.map(({ key }) => keyOf(key));
  }

  async delete(key: string): Promise<void> {
    const { head, digest } = splitKey(key);
    const values = [head, digest, this.#address.durable, this.#lockMs];
    await this.#call({ what: 'delete', repeatable: true }, 'remove', values, 'done');
  }

  async append(key: string, value: unknown, lifeMs: number): Promise<number> {
    const json = jsonOf(value);
    const { head, digest, rest } = splitKey(key);
    const { maxLogCharacters } = this.#options;
    const values = [
      ...[head, digest, rest, json, key.length, json.length, lifeMs],
      ...[this.#now, maxLogCharacters, this.#address.durable, this.#lockMs],
    ];
    const way = { what: 'append', repeatable: false };
    const [row] = await this.#call<{ place: string }>(way, 'append_value', values, 'place');
    const place = Number(row!.place);
    await this.#written({ entries: place === 1 ? 1 : 0, characters: json.length });
    return place;
  }

  async read(key: string, after: number): Promise<LogPart | undefined> {
    const { head, digest } = splitKey(key);
    const from = Math.min(Math.max(Math.trunc(after), 0), Number.MAX_SAFE_INTEGER);
    const values = [head, digest, from, this.#now];
    type Row = { readonly first_gone: string; readonly value: string | null };
    const rows = await this.#call<Row>(reading('read'), 'log_part', values);
    if (rows[0] === undefined) return undefined;
    return {
      first: Math.max(after, Number(rows[0].first_gone)) + 1,
      values: rows.flatMap(({ value }): unknown[] => (value === null ? [] : [JSON.parse(value)])),
    };
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  /** The time of the option `now`. Null: the database uses its clock. */
  get #now(): number | null {
    return this.#options.now?.() ?? null;
  }

  /** How long the database waits for a lock, in milliseconds. A writer may need two in turn: its place in the queue, and the row. */
  get #lockMs(): number {
    return Math.ceil(this.#options.busyMs / 2);
  }

  get #most(): Size {
    return { entries: this.#options.maxEntries, characters: this.#options.maxCharacters };
  }

  /** Calls a function of the schema. `column` names its result; without it, the result is rows. */
  #call<Row extends object>(
    way: Way,
    name: string,
    values: readonly unknown[],
    column?: string,
  ): Promise<readonly Row[]> {
    const call = `"${this.#address.schema}".${name}(${values.map((_, at) => `$${at + 1}`).join(', ')})`;
    const sql = column === undefined ? `SELECT * FROM ${call}` : `SELECT ${call} AS ${column}`;
    return this.#connections.run<Row>(sql, values, way);
  }

  /** Stores a value, with `expected` only in place of that one. Returns whether it did. */
  async #put(way: Way, key: string, expected: string | null, value: unknown, lifeMs: number): Promise<boolean> {
    const json = jsonOf(value);
    const size: Size = { entries: 1, characters: key.length + json.length };
    const { head, digest, rest } = splitKey(key);
    for (let growth = 0, owner: Buffer | null = null; ;) {
      const values = [
        ...[head, digest, rest, expected, json, size.characters, lifeMs, this.#now, growth],
        ...[this.#address.durable, this.#lockMs],
      ];
      const [row] = await this.#call<PutRow>(way, 'put', values);
      const { outcome, size_before: before, owner_before: ownerBefore } = row!;
      if (outcome === 'different') return false;
      if (outcome === 'stored') {
        if (growth > 0) this.#added.add(owner?.toString('hex'), { entries: 0, characters: growth });
        await this.#written(size);
        return true;
      }
      growth = size.characters - Number(before);
      owner = ownerBefore;
      await this.#checkRoom({ entries: 0, characters: growth }, owner);
    }
  }

  /** Whether a key has a value or a log. */
  async #has(key: string): Promise<boolean> {
    const { head, digest } = splitKey(key);
    const schema = `"${this.#address.schema}"`;
    const [row] = await this.#connections.run<{ found: boolean }>(
      `SELECT EXISTS (SELECT FROM ${schema}.entries WHERE head = $1 AND digest = $2 AND expires > ${schema}.clock($3)) AS found`,
      [head, digest, this.#now],
      { what: 'add', repeatable: true },
    );
    return row!.found;
  }

  /** Throws if there is no room for more values that have to stay. Expired entries are removed first. */
  async #checkRoom(more: Size, owner: Buffer | null): Promise<void> {
    const known = this.#added.of(owner?.toString('hex'));
    if (known !== undefined && roomFor(more, { most: this.#most, ...known }) === 'enough') return;
    for (let step = 0; ; step++) {
      const room = roomFor(more, { most: this.#most, ...(await this.#countAdded(owner)) });
      if (room === 'enough') return;
      if (step === STEPS_FOR_ROOM || (await this.#sweep(true)) === 0)
        throw noRoomError(room, `the store in ${this.#address.name}`);
    }
  }

  async #countAdded(owner: Buffer | null): Promise<{ readonly added: Size; readonly own: Size | undefined }> {
    type Row = Record<'entries' | 'characters' | 'own_entries' | 'own_characters', string>;
    const way = { what: 'add', repeatable: true, patienceMs: PATIENCE_MS };
    const [row] = await this.#call<Row>(way, 'added_sizes', [owner]);
    const added = { entries: Number(row!.entries), characters: Number(row!.characters) };
    const own = { entries: Number(row!.own_entries), characters: Number(row!.own_characters) };
    this.#added.counted(owner?.toString('hex'), added, own);
    return { added, own: own.entries === 0 ? undefined : own };
  }

  /** Something was stored: removes the oldest entries if there may be too many, and now and then the expired ones. */
  async #written(size: Size): Promise<void> {
    this.#budget.spend(size);
    if (this.#budget.isSpent) await (this.#trimming ??= this.#trim().finally(() => (this.#trimming = undefined)));
    if (performance.now() >= this.#sweepAt) void this.#sweepInBackground();
  }

  /** Never rejects: what was stored is stored, and the next write tries again. */
  async #trim(): Promise<void> {
    this.#budget.reset();
    const { entries, characters } = this.#most;
    const way = { what: 'trim', repeatable: true, patienceMs: PATIENCE_MS };
    try {
      for (let step = 0; step < STEPS_FOR_ROOM; step++) {
        const values = [this.#now, entries, characters, TRIM];
        const [row] = await this.#call<{ too_large: boolean; removed: number }>(way, 'trim_entries', values);
        if (!row!.too_large || row!.removed === 0) return;
      }
    } catch {
      this.#budget.exhaust();
    }
  }

  async #sweepInBackground(): Promise<void> {
    this.#sweepAt = Infinity;
    const removed = await this.#sweep(false).catch(() => 0);
    this.#sweepAt = removed >= SWEEP ? 0 : performance.now() + SWEEP_MS;
  }

  /** Removes some of what has expired. Returns the number of removed rows. */
  async #sweep(wait: boolean): Promise<number> {
    const way = { what: 'sweep', repeatable: true, patienceMs: PATIENCE_MS };
    const [row] = await this.#call<{ count: number }>(way, 'sweep', [this.#now, SWEEP, wait], 'count');
    return row!.count;
  }
}

/** A statement that only reads. */
function reading(what: string): Way {
  return { what, repeatable: true };
}

function times({ entries, characters }: Size, factor: number): Size {
  return { entries: entries * factor, characters: characters * factor };
}

/** A value as JSON. Values that JSON cannot represent become null. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}
