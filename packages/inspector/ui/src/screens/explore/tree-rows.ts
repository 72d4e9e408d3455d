import { LIST_KINDS, type ListKind, type ServerView } from '../../../../src/api/views.ts';
import type { Lists, Offer } from '../../store/lists.ts';

/** A row of the tree of all items. */
export type TreeRow =
  | { readonly type: 'server'; readonly key: string; readonly server: ServerView; readonly open: boolean }
  | {
      readonly type: 'kind';
      readonly key: string;
      readonly server: ServerView;
      readonly kind: ListKind;
      readonly shown: number;
      readonly all: number;
      readonly open: boolean;
    }
  | { readonly type: 'offer'; readonly key: string; readonly offer: Offer };

export interface TreeInput {
  readonly servers: readonly ServerView[];
  readonly lists: ReadonlyMap<string, Lists>;
  /** The filter text. All its words must match. */
  readonly filter: string;
  /** Keys of closed rows. A filter opens everything. */
  readonly closed: ReadonlySet<string>;
}

export function serverKey(server: string): string {
  return `server\n${server}`;
}
export function kindKey(server: string, kind: ListKind): string {
  return `kind\n${server}\n${kind}`;
}
export function offerKey({ server, kind, id }: Pick<Offer, 'server' | 'kind' | 'id'>): string {
  return `offer\n${server}\n${kind}\n${id}`;
}

const NONE: readonly Offer[] = [];

function found(offers: readonly Offer[], words: readonly string[]): readonly Offer[] {
  return words.length === 0 ? offers : offers.filter(({ search }) => words.every((word) => search.includes(word)));
}

/** The visible rows, from top to bottom. */
export function treeRows({ servers, lists, filter, closed }: TreeInput): readonly TreeRow[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const filtered = words.length > 0;
  const rows: TreeRow[] = [];
  for (const server of servers) {
    const key = serverKey(server.id);
    const open = filtered || !closed.has(key);
    const place = rows.length;
    rows.push({ type: 'server', key, server, open });
    if (!open) continue;
    for (const kind of LIST_KINDS) {
      const all = lists.get(server.id)?.byKind.get(kind) ?? NONE;
      const shown = found(all, words);
      if (shown.length === 0) continue;
      const kindRow = kindKey(server.id, kind);
      const kindOpen = filtered || !closed.has(kindRow);
      rows.push({ type: 'kind', key: kindRow, server, kind, shown: shown.length, all: all.length, open: kindOpen });
      if (kindOpen) for (const offer of shown) rows.push({ type: 'offer', key: offerKey(offer), offer });
    }
    // A server without matches is left out.
    if (filtered && rows.length === place + 1) rows.pop();
  }
  return rows;
}
