// What the clients of others have in common: the server they are tried with, and the call that each of them makes.
import { join } from 'node:path';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import { type Cell, ok, red, short } from './cell.ts';
import { EXAMPLE } from './example.ts';
import { type Ended, run } from './programs.ts';
import { programOf } from './servers.ts';

/** A server of Tenon's, reached in one way. */
export interface Offered {
  readonly home: string;
  /** Where it is reached; undefined: over stdio. */
  readonly url: string | undefined;
  /** The command that starts it over stdio. */
  readonly command: readonly string[];
}

/** How a server is reached. */
export const WAYS = ['stdio', 'HTTP'] as const;
export type Way = (typeof WAYS)[number];

/** A client of others. */
export interface Client {
  readonly name: string;
  readonly package: string;
  /** The environment in Python that has it, in `python/`. */
  readonly python?: string;
  readonly stdio?: (offered: Offered) => Promise<Cell>;
  readonly http?: (offered: Offered) => Promise<Cell>;
  readonly expected?: Readonly<Partial<Record<Way, RegExp>>>;
  readonly because?: string;
}

export const LIMIT_MS = 90_000;

export function node(name: string, bin?: string): string[] {
  return [process.execPath, programOf(name, bin)];
}

/** Has a program ended well, and printed all of this? */
export function says(ended: Ended, wanted: readonly string[], text = ''): Cell {
  const all = stripVTControlCharacters(`${ended.out}\n${ended.err}`);
  if (wanted.every((each) => all.includes(each)) && ended.code === 0) return ok(text);
  return red(`${ended.code}, ${short(stripVTControlCharacters(ended.err).trim() || ended.out)}`);
}

/** A program of `clients/` lists and calls. `runtime`: what runs it. */
export async function sessionOf(
  file: string,
  { home }: Offered,
  words: readonly string[],
  runtime = process.execPath,
): Promise<Cell> {
  const call = ['--call', EXAMPLE.tool, JSON.stringify(EXAMPLE.args)];
  const command = [runtime, join(import.meta.dirname, 'clients', file), ...call, ...words];
  const wanted = [`{"tools":["${EXAMPLE.tool}"]`, EXAMPLE.answer];
  return says(await run(command, { home, limit: LIMIT_MS }), wanted, 'listed, called');
}
