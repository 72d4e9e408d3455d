import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { ListKind } from '../../../../src/api/views.ts';
import { Input, SearchField } from 'react-aria-components';
import { Dot } from '../../parts/Badge.tsx';
import {
  ChevronDown,
  ChevronRight,
  PromptIcon,
  ResourceIcon,
  TaskIcon,
  TemplateIcon,
  ToolIcon,
} from '../../parts/icons.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { statusTone } from '../../parts/server-status.ts';
import { VirtualList } from '../../parts/VirtualList.tsx';
import { currentRoute, go, useRoute } from '../../route/use-route.ts';
import { useLists } from '../../store/lists.ts';
import { useServers } from '../../store/model.ts';
import { offerKey, serverKey, kindKey, treeRows, type TreeRow } from './tree-rows.ts';
import css from './tree.module.css';

const KINDS: Readonly<Record<ListKind, string>> = {
  tools: 'Tools',
  resources: 'Resources',
  templates: 'Templates',
  prompts: 'Prompts',
  tasks: 'Tasks',
};
const ICONS = {
  tools: ToolIcon,
  resources: ResourceIcon,
  templates: TemplateIcon,
  prompts: PromptIcon,
  tasks: TaskIcon,
} as const;
const LEVELS = { server: 1, kind: 2, offer: 3 } as const;

function Row({ row }: { readonly row: TreeRow }): ReactNode {
  if (row.type === 'offer') {
    const { id, title, kind } = row.offer;
    const Icon = ICONS[kind];
    // URIs share their beginnings, and task ids mean nothing, so the name or the status comes first.
    const first = kind === 'tools' || kind === 'prompts' ? id : (title ?? id);
    const second = first === id ? title : id;
    return (
      <span className={css.offer}>
        <span className={css.icon}>
          <Icon size={13} />
        </span>
        <span className={css.id}>
          <Inert text={first} most={120} />
        </span>
        {second !== undefined && (
          <span className={css.title}>
            <Inert text={second} most={120} />
          </span>
        )}
      </span>
    );
  }
  const Chevron = row.open ? ChevronDown : ChevronRight;
  return (
    <span className={row.type === 'server' ? css.server : css.kind}>
      <Chevron size={11} />
      {row.type === 'server' ? (
        <>
          <Dot tone={statusTone(row.server.status)} /> <Inert text={row.server.name} most={80} />
        </>
      ) : (
        <>
          {KINDS[row.kind]}{' '}
          <span className={css.count}>{row.shown === row.all ? row.all : `${row.shown} of ${row.all}`}</span>
        </>
      )}
    </span>
  );
}

/** Shows the item of a row. */
function goTo(row: TreeRow): void {
  const { query } = currentRoute();
  const line = query.get('line');
  const kept = new Map(line === undefined ? [] : [['line', line]]);
  if (row.type === 'offer') {
    const { server, kind, id } = row.offer;
    go({ screen: 'explore', server, rest: [kind, id], query: kept }, true);
  }
}

/** The key of the item in the route. */
function useChosen(): string | undefined {
  const { server, rest } = useRoute();
  const [kind, id] = rest;
  if (server === undefined) return undefined;
  if (kind === undefined) return serverKey(server);
  return id === undefined ? kindKey(server, kind as ListKind) : offerKey({ server, kind: kind as ListKind, id });
}

const CLOSED = 'explore closed';

function useClosed(): readonly [ReadonlySet<string>, (key: string, open: boolean) => void] {
  const [closed, setClosed] = useState<ReadonlySet<string>>(
    () => new Set(JSON.parse(sessionStorage.getItem(CLOSED) ?? '[]') as string[]),
  );
  const set = (key: string, open: boolean): void => {
    const next = new Set(closed);
    if (open) next.delete(key);
    else next.add(key);
    sessionStorage.setItem(CLOSED, JSON.stringify([...next].slice(-500)));
    setClosed(next);
  };
  return [closed, set];
}

/** The action of the left and right arrow keys at a row. Undefined: another key. */
function arrowAct(
  key: string,
  row: TreeRow,
): 'enter' | 'next' | 'open' | 'close' | { readonly parent: string | undefined } | undefined {
  if (key === 'ArrowRight') {
    if (row.type === 'offer') return 'enter';
    return row.open ? 'next' : 'open';
  }
  if (key !== 'ArrowLeft') return undefined;
  if (row.type === 'offer') return { parent: kindKey(row.offer.server, row.offer.kind) };
  if (row.open) return 'close';
  return { parent: row.type === 'kind' ? serverKey(row.server.id) : undefined };
}

function FilterBox({
  value,
  onChange,
  onKey,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onKey: (key: 'ArrowDown' | 'Enter') => void;
}): ReactNode {
  return (
    <SearchField className={css.search!} aria-label="Filter" value={value} onChange={onChange}>
      <Input
        className={css.filter!}
        placeholder="Filter"
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
          event.preventDefault();
          onKey(event.key);
        }}
      />
    </SearchField>
  );
}

/** The items of all servers, as a tree with a filter. */
export function Tree({ onEnter }: { readonly onEnter: () => void }): ReactNode {
  const servers = useServers();
  const lists = useLists();
  const [filter, setFilter] = useState('');
  const [closed, setOpen] = useClosed();
  const chosen = useChosen();
  const [marked, setMarked] = useState(chosen);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => setMarked(chosen), [chosen]);
  const rows = useMemo(() => treeRows({ servers, lists, filter, closed }), [servers, lists, filter, closed]);
  const at = rows.findIndex(({ key }) => key === marked);

  const choose = (index: number, final: boolean): void => {
    const row = rows[index];
    if (row === undefined) return;
    setMarked(row.key);
    if (row.type === 'offer') {
      goTo(row);
      if (final) onEnter();
    } else if (final) setOpen(row.key, !row.open);
  };
  const key = (event: KeyboardEvent, index: number): boolean => {
    const row = rows[index];
    const act = row === undefined ? undefined : arrowAct(event.key, row);
    if (row === undefined || act === undefined) return false;
    event.preventDefault();
    if (act === 'enter') onEnter();
    else if (act === 'next') choose(index + 1, false);
    else if (act === 'open' || act === 'close') setOpen(row.key, act === 'open');
    else if (act.parent !== undefined) setMarked(act.parent);
    return true;
  };
  const fromFilter = (key: 'ArrowDown' | 'Enter'): void => {
    const first = rows.findIndex(({ type }) => type === 'offer');
    if (first >= 0) choose(first, key === 'Enter');
    if (key === 'ArrowDown') place.current?.querySelector<HTMLElement>('[role=tree]')?.focus();
  };
  return (
    <div className={css.tree} ref={place} data-tree>
      <FilterBox value={filter} onChange={setFilter} onKey={fromFilter} />
      <VirtualList
        label="Tools, resources, prompts and tasks"
        role="tree"
        count={rows.length}
        at={at}
        onChoose={choose}
        onKey={key}
        row={(index) => <Row row={rows[index]!} />}
        rowProps={(index) => {
          const row = rows[index]!;
          return { 'aria-level': LEVELS[row.type], 'aria-expanded': row.type === 'offer' ? undefined : row.open };
        }}
        empty={servers.length === 0 ? 'No server yet.' : 'No matches.'}
      />
    </div>
  );
}
