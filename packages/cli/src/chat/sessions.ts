import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '@tenon/values/is-object';
import { replaceFile } from '@tenon/values/node/replace-file';
import { decodeUtf8 } from '@tenon/values/utf8';
import { type Failure, usage } from '../failure/failure.ts';
import { oneLine } from '../terminal/printable.ts';
import { messagesProblem } from './message-check.ts';
import { inState } from './state-failure.ts';
import type { Message } from './types.ts';

/** A saved conversation. */
export interface SavedConversation {
  readonly id: string;
  /** When it was started and last changed, in milliseconds since 1970. */
  readonly began: number;
  readonly changed: number;
  readonly model: string;
  readonly messages: readonly Message[];
}

const ID = /^\d{8}-\d{6}-[0-9a-f]{6}$/;

export function isSessionId(text: string): boolean {
  return ID.test(text);
}

/** An id for a new conversation. Ids sort by time and cannot be guessed. */
export function newSessionId(now = new Date()): string {
  const [day, time] = now.toISOString().split('T') as [string, string];
  return `${day.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}-${randomBytes(3).toString('hex')}`;
}

function folderOf(state: string): string {
  return join(state, 'sessions');
}

/** Saves a conversation atomically: if the process is killed meanwhile, the previous version stays. Only this user can read the file. */
export function saveSession(state: string, saved: SavedConversation): Promise<void> {
  return inState(state, async () => {
    const folder = folderOf(state);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await replaceFile(join(folder, `${saved.id}.json`), JSON.stringify(saved));
  });
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}

/** The ids of all saved conversations, the most recently used first. */
export function sessionIds(state: string): Promise<string[]> {
  return inState(state, async () => {
    const folder = folderOf(state);
    const names = (await readdir(folder).catch(unlessMissing)) ?? [];
    const ids = names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5));
    const kept = await Promise.all(
      ids.filter(isSessionId).map(async (id) => {
        // Each use rewrites the file, so its time is that of the last use.
        const { mtimeMs = 0 } = (await stat(join(folder, `${id}.json`)).catch(unlessMissing)) ?? {};
        return { id, used: mtimeMs };
      }),
    );
    return kept.sort((a, b) => b.used - a.used || (a.id < b.id ? 1 : -1)).map(({ id }) => id);
  });
}

function unusable(path: string, why: string): Failure {
  return usage(
    `${oneLine(path, 500)} is not a conversation: ${oneLine(why, 300)}`,
    'Move the file away.',
    'bad_conversation',
  );
}

/** Parses a saved conversation. Throws a usage failure that names the file. */
function savedIn(text: string, path: string, id: string): SavedConversation {
  let saved: unknown;
  try {
    saved = JSON.parse(text);
  } catch (error) {
    throw unusable(path, (error as Error).message);
  }
  if (!isObject(saved)) throw unusable(path, 'it is not an object');
  const { began, changed, model, messages } = saved;
  if (typeof began !== 'number' || typeof changed !== 'number' || typeof model !== 'string')
    throw unusable(path, 'its time or its model is missing');
  const problem = messagesProblem(messages);
  if (problem !== undefined) throw unusable(path, problem);
  return { id, began, changed, model, messages: messages as SavedConversation['messages'] };
}

/** Loads a saved conversation; undefined if the id is unknown. Throws a usage failure if it cannot be read. */
export async function loadSession(state: string, id: string): Promise<SavedConversation | undefined> {
  if (!isSessionId(id)) return undefined;
  const path = join(folderOf(state), `${id}.json`);
  const bytes = await readFile(path)
    .catch(unlessMissing)
    .catch((error: Error) => {
      throw unusable(path, error.message);
    });
  if (bytes === undefined) return undefined;
  const text = decodeUtf8(bytes);
  if (text === undefined) throw unusable(path, 'it is not UTF-8');
  return savedIn(text, path, id);
}

/** Up to `most` saved conversations, the most recently used first, and the problems of those that cannot be read. */
export async function savedSessions(
  state: string,
  most: number,
): Promise<{ readonly saved: SavedConversation[]; readonly problems: string[] }> {
  const saved: SavedConversation[] = [];
  const problems: string[] = [];
  for (const id of await sessionIds(state)) {
    if (saved.length === most) break;
    try {
      const one = await loadSession(state, id);
      if (one !== undefined) saved.push(one);
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  return { saved, problems };
}
