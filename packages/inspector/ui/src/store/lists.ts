import { useEffect } from 'react';
import { LIST_KINDS, type ListKind, type ServerView } from '../../../src/api/views.ts';
import { api, ApiError } from './api.ts';
import { useServers } from './model.ts';
import { createStore, useStore } from './store.ts';

/** An item that a server offers. */
export interface Offer {
  readonly server: string;
  readonly kind: ListKind;
  /** The name of a tool or a prompt, the URI of a resource or a template, or the id of a task. */
  readonly id: string;
  /** Its title, if it differs from the id. */
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** Exactly as the server sent it. */
  readonly text: string;
  /** Lower-case text for searching. */
  readonly search: string;
}

export interface Lists {
  readonly generation: number;
  readonly byKind: ReadonlyMap<ListKind, readonly Offer[]>;
  readonly problem: string | undefined;
}

export const lists = createStore<ReadonlyMap<string, Lists>>(new Map());

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The entry of a task. Its title is the status, which changes. */
function taskOffer(server: string, entry: Record<string, unknown>, text: string): Offer {
  const id = textOf(entry['taskId']) ?? '';
  const description = textOf(entry['statusMessage']);
  const title = [textOf(entry['status']), description].filter((word) => word !== undefined).join(' · ') || undefined;
  return { server, kind: 'tasks', id, title, description, text, search: `${id} ${title ?? ''}`.toLowerCase() };
}

export function offerOf(server: string, kind: ListKind, text: string): Offer {
  let entry: Record<string, unknown> = {};
  try {
    entry = (JSON.parse(text) as Record<string, unknown> | null) ?? {};
  } catch {
    // Not JSON: only its text is shown.
  }
  const annotations = entry['annotations'] as Record<string, unknown> | undefined;
  if (kind === 'tasks') return taskOffer(server, entry, text);
  const name = textOf(entry['name']);
  const id = textOf(entry['uri']) ?? textOf(entry['uriTemplate']) ?? name ?? '';
  const title = textOf(entry['title']) ?? textOf(annotations?.['title']) ?? (name === id ? undefined : name);
  const description = textOf(entry['description']);
  return { server, kind, id, title, description, text, search: `${id} ${title ?? ''}`.toLowerCase() };
}

interface LoadState {
  readonly generation: number;
}

/** The generation that is loaded or loading for each server, so that none is requested twice. */
const asked = new Map<string, LoadState>();

async function load(server: ServerView): Promise<void> {
  const { id, generation } = server;
  if (asked.get(id)?.generation === generation) return;
  const own: LoadState = { generation };
  asked.set(id, own);
  const byKind = new Map<ListKind, readonly Offer[]>();
  let problem: string | undefined;
  for (const kind of LIST_KINDS) {
    if (!server.lists.some((list) => list.kind === kind && list.count > 0)) continue;
    try {
      const { entries } = await api.list({ parts: { id, kind } });
      byKind.set(
        kind,
        entries.map((text) => offerOf(id, kind, text)),
      );
    } catch (error) {
      problem = error instanceof ApiError ? error.message : String(error);
    }
  }
  // Meanwhile another generation was requested, or the inspector was restarted.
  if (asked.get(id) !== own) return;
  if (problem !== undefined) asked.delete(id);
  lists.set((before) => new Map(before).set(id, { generation, byKind, problem }));
}

/** Loads lists that are older than the views of their servers. */
export async function keepLists(servers: readonly ServerView[]): Promise<void> {
  await Promise.all(servers.filter((server) => server.lists.length > 0).map(load));
}

/** After a restart of the inspector the same ids name other servers, and generations start over. */
export function forgetLists(): void {
  asked.clear();
  lists.set(new Map());
}

/** Keeps the lists of all servers up to date. Used once, by the shell. */
export function useListsKept(): void {
  const servers = useServers();
  useEffect(() => void keepLists(servers), [servers]);
}

function everything(all: ReadonlyMap<string, Lists>): ReadonlyMap<string, Lists> {
  return all;
}

/** The lists of all servers, by id of the server. */
export function useLists(): ReadonlyMap<string, Lists> {
  return useStore(lists, everything);
}
