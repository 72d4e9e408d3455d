import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Message } from './types.ts';

/** A conversation as it is kept. */
export interface Saved {
  readonly id: string;
  /** When it was begun and last changed, in milliseconds since 1970. */
  readonly began: number;
  readonly changed: number;
  readonly model: string;
  readonly messages: readonly Message[];
}

const ID = /^\d{8}-\d{6}-[0-9a-f]{6}$/;

export const isSessionId = (text: string): boolean => ID.test(text);

/** A name for a new conversation: names sort by time, and nobody guesses them. */
export const newSessionId = (now = new Date()): string => {
  const [day, time] = now.toISOString().split('T') as [string, string];
  return `${day.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}-${randomBytes(3).toString('hex')}`;
};

const folderOf = (state: string): string => join(state, 'sessions');

/** Writes it whole or not at all: a program that is killed meanwhile leaves the one before. Only this user may read it. */
export const saveSession = async (state: string, saved: Saved): Promise<void> => {
  const folder = folderOf(state);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${saved.id}.json`);
  const beside = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(beside, JSON.stringify(saved), { mode: 0o600, flush: true });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
};

const isSaved = (value: unknown): value is Saved =>
  typeof value === 'object' &&
  value !== null &&
  Array.isArray((value as Saved).messages) &&
  (value as Saved).messages.every((message) => typeof message === 'object' && message !== null && 'role' in message);

/** Names of the conversations that are kept, the last one first. */
export const sessionIds = async (state: string): Promise<string[]> => {
  const names = await readdir(folderOf(state)).catch(() => []);
  return names
    .filter((name) => name.endsWith('.json') && isSessionId(name.slice(0, -5)))
    .map((name) => name.slice(0, -5))
    .sort()
    .reverse();
};

/** A conversation that is kept; without a name the last one. Undefined: there is none. Throws where it cannot be read. */
export const loadSession = async (state: string, id?: string): Promise<Saved | undefined> => {
  const found = id ?? (await sessionIds(state))[0];
  if (found === undefined || !isSessionId(found)) return undefined;
  const path = join(folderOf(state), `${found}.json`);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const saved: unknown = JSON.parse(text);
  if (!isSaved(saved)) throw new SyntaxError(`${path} is no conversation`);
  return { ...saved, id: found };
};
