import { type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import { LIST_KINDS, type ListKind, type ServerView } from '../../../../src/api/views.ts';
import { openPalette } from '../../app/palette-state.ts';
import { Empty, NoServer } from '../../parts/Empty.tsx';
import { ChevronLeft } from '../../parts/icons.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { keyName } from '../../parts/keys.ts';
import { statusWord } from '../../parts/server-status.ts';
import type { Route } from '../../route/route.ts';
import { hrefOf, setQuery, useRoute } from '../../route/use-route.ts';
import { type Lists, offerOf, type Offer, useLists } from '../../store/lists.ts';
import { useReadOnly, useServer, useServers } from '../../store/model.ts';
import { ItemView } from './ItemView.tsx';
import { Tree } from './Tree.tsx';
import { offerKey } from './tree-rows.ts';
import css from './explore.module.css';

const ONE: Readonly<Record<ListKind, string>> = {
  tools: 'tool',
  resources: 'resource',
  templates: 'template',
  prompts: 'prompt',
  tasks: 'task',
};

function isKind(text: string | undefined): text is ListKind {
  return LIST_KINDS.some((kind) => kind === text);
}

/**
 * The item of the route. Undefined: none that is offered. A resource may be read, and a task requested, even if no list has it.
 */
function useOffer(): Offer | undefined {
  const { server, rest } = useRoute();
  const [kind, id] = rest;
  const lists = useLists().get(server ?? '');
  return useMemo(() => {
    if (server === undefined || !isKind(kind) || id === undefined) return undefined;
    const offers = lists?.byKind.get(kind);
    const listed = offers?.find((offer) => offer.id === id) ?? offers?.find((offer) => offer.id.toWellFormed() === id);
    if (listed !== undefined || (kind !== 'resources' && kind !== 'tasks')) return listed;
    return offerOf(server, kind, JSON.stringify(kind === 'tasks' ? { taskId: id } : { uri: id }));
  }, [server, kind, id, lists]);
}

const FIELDS = ':is(textarea, input, [contenteditable=true], button[aria-haspopup=listbox])';
const AGAIN_MS = 40;
/** How long to wait for the form, which is loaded on first use, in milliseconds. */
const MAX_WAIT_MS = 3_000;

/** Focuses the first field of the arguments, or the button if there is no field. Returns a function that cancels it. */
function focusIn(element: HTMLElement | null): () => void {
  const began = performance.now();
  let timer: number | undefined;
  const look = (): void => {
    const loading = element?.querySelector('[aria-busy=true]') !== null && performance.now() - began < MAX_WAIT_MS;
    const field = element?.querySelector<HTMLElement>(`[data-arguments] ${FIELDS}`);
    // A closing dialog restores the focus; that must be over first.
    const over = document.querySelector('[role=dialog]') === null;
    if (over && field != null) field.focus();
    else if (over && !loading) element?.querySelector<HTMLElement>('[data-send]')?.focus();
    else timer = window.setTimeout(look, AGAIN_MS);
  };
  timer = window.setTimeout(look, AGAIN_MS);
  return () => clearTimeout(timer);
}

/** The palette requests the focus through the route, once. */
function useFocusAsked(focus: () => void): void {
  const asked = useRoute().query.get('focus') !== undefined;
  useEffect(() => {
    if (!asked) return;
    setQuery({ focus: undefined }, true);
    focus();
  }, [asked, focus]);
}

/** Why nothing is shown for a URL that names an item. */
function missing(
  { server: id, rest: [kind, name] }: Route,
  server: ServerView | undefined,
  lists: Lists | undefined,
): ReactNode {
  if (id === undefined) return undefined;
  if (server === undefined)
    return (
      <>
        There is no server <Inert text={id} mono most={80} /> here.
      </>
    );
  if (!isKind(kind) || name === undefined) return undefined;
  // Its lists are still loading.
  if (server.lists.length > 0 && lists?.generation !== server.generation) return '…';
  if (server.status !== 'ready' && lists === undefined) return undefined;
  return (
    <>
      <Inert text={server.name} most={80} /> offers no {ONE[kind]} <Inert text={name} mono most={200} />.
    </>
  );
}

function Nothing({ server }: { readonly server: ServerView | undefined }): ReactNode {
  const route = useRoute();
  const lists = useLists().get(server?.id ?? '');
  const readOnly = useReadOnly();
  const hasServers = useServers().length > 0;
  const reason = missing(route, server, lists);
  if (readOnly)
    return (
      <Empty title="This is a recorded trace" act={{ title: 'Look at the trace', href: hrefOf({ screen: 'trace' }) }}>
        Nothing is connected. The recorded messages are in the trace.
      </Empty>
    );
  if (reason !== undefined)
    return (
      <p className={css.none} role="status">
        {reason}
      </p>
    );
  if (!hasServers) return <NoServer />;
  if (server !== undefined && server.status !== 'ready' && lists === undefined)
    return (
      <Empty
        title={
          <>
            What <Inert text={server.name} most={80} /> offers is not known
          </>
        }
        act={{ title: 'See why', href: hrefOf({ screen: 'connect', server: server.id }) }}
      >
        {statusWord(server.status)}
      </Empty>
    );
  return (
    <div className={css.choose}>
      <Empty
        title="Choose a tool, a resource or a prompt"
        act={{ title: `Find one (${keyName('K')})`, run: openPalette }}
      >
        They are in the tree. You can also find everything by typing.
      </Empty>
    </div>
  );
}

/** The tree of all items, and the selected item. */
// oxlint-disable-next-line import/no-default-export -- loaded when it is first shown.
export default function ExploreScreen(): ReactNode {
  const offer = useOffer();
  const server = useServer(offer?.server);
  const wanted = useServer(useRoute().server);
  const item = useRef<HTMLDivElement>(null);
  const waiting = useRef<() => void>(undefined);
  const focus = useCallback(() => {
    waiting.current?.();
    waiting.current = focusIn(item.current);
  }, []);
  useEffect(() => () => waiting.current?.(), []);
  useFocusAsked(focus);
  const isChosen = offer !== undefined && server !== undefined;
  return (
    <div className={css.explore} data-chosen={isChosen || undefined}>
      <h1 className={css.hidden}>Explore</h1>
      <Tree onEnter={focus} />
      <div className={css.item} ref={item}>
        {isChosen && (
          <a className={css.back} href={hrefOf({ screen: 'explore', server: wanted?.id })}>
            <ChevronLeft size={12} /> All tools, resources and prompts
          </a>
        )}
        {offer === undefined || server === undefined ? (
          <Nothing server={wanted} />
        ) : (
          <ItemView key={offerKey(offer)} offer={offer} server={server} />
        )}
      </div>
    </div>
  );
}
