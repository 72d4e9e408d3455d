import { type KeyboardEvent, type ReactNode, useLayoutEffect, useMemo, useRef } from 'react';
import type { InboxItem } from '../../../../src/api/views.ts';
import { useActions } from '../../app/palette-state.ts';
import { Badge, type Tone } from '../../parts/Badge.tsx';
import { Toggle } from '../../parts/Button.tsx';
import { classes } from '../../parts/classes.ts';
import { Empty } from '../../parts/Empty.tsx';
import { useFocusKept } from '../../parts/focus.ts';
import { Inert } from '../../parts/Inert.tsx';
import { inertText } from '../../parts/inert.ts';
import { duration } from '../../parts/numbers.ts';
import { hrefOf, setQuery, useRoute } from '../../route/use-route.ts';
import { useInbox, useReadOnly, useScript, useServers } from '../../store/model.ts';
import { Item } from './Item.tsx';
import { WANTS } from './wants.ts';
import { answersIn } from './script-text.ts';
import { ScriptEditor } from './ScriptEditor.tsx';
import css from './inbox.module.css';

/** The id with which the route shows the scripted answers. */
const SCRIPT = 'script';

const TONES: Readonly<Record<InboxItem['status'], Tone>> = { open: 'info', answered: 'ok', withdrawn: 'plain' };

function Entry({
  item,
  server,
  chosen,
}: {
  readonly item: InboxItem;
  readonly server: string;
  readonly chosen: boolean;
}): ReactNode {
  return (
    <li>
      <button
        type="button"
        className={classes(css.item, chosen && css.chosen)}
        aria-current={chosen ? 'true' : undefined}
        onClick={() => setQuery({ ask: item.id }, true)}
      >
        <span className={css.head}>
          <strong className={css.server}>{inertText(server, 40)}</strong> {WANTS[item.kind]}
        </span>
        <span className={css.message}>{inertText(item.message, 120)}</span>
        <span className={css.foot}>
          <Badge tone={TONES[item.status]}>{item.by === undefined ? item.status : 'answered automatically'}</Badge>
          <span className={css.at}>at {duration(item.at)}</span>
        </span>
      </button>
    </li>
  );
}

function Nothing({ readOnly }: { readonly readOnly: boolean }): ReactNode {
  return readOnly ? (
    <Empty
      title="A recorded trace has no open questions"
      act={{
        title: 'See the recorded questions',
        href: hrefOf({
          screen: 'trace',
          query: new Map([['filter', 'method:elicitation/create,sampling/createMessage']]),
        }),
      }}
    >
      The recorded questions are in the trace.
    </Empty>
  ) : (
    <Empty title="No questions yet" act={{ title: 'Call a tool', href: hrefOf({ screen: 'explore' }) }}>
      Forms, pages to open and sampling requests arrive here while a call is running.
    </Empty>
  );
}

/** Moves through the questions with the arrow keys. */
function move(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  const all = [...event.currentTarget.querySelectorAll('button')];
  const next = all[all.indexOf(document.activeElement as HTMLButtonElement) + step];
  event.preventDefault();
  next?.focus();
  next?.click();
}

/** Keeps the question shown selected when it is withdrawn, or answered elsewhere. */
function usePinned(shown: InboxItem | undefined, asked: string | undefined): void {
  const open = shown?.status === 'open' && shown.id !== asked ? shown.id : undefined;
  useLayoutEffect(() => {
    if (open !== undefined) setQuery({ ask: open }, true);
  }, [open]);
}

/** Open questions first, in order of arrival, so that a new one does not displace the one being answered. */
function queueOf(all: readonly InboxItem[]): readonly InboxItem[] {
  return [
    ...all.filter(({ status }) => status === 'open'),
    ...all.filter(({ status }) => status !== 'open').toReversed(),
  ];
}

function useNextAction(next: string | undefined): void {
  useActions(
    useMemo(
      () =>
        next === undefined
          ? []
          : [{ id: 'next-question', title: 'Next question', run: () => setQuery({ ask: next }, true) }],
      [next],
    ),
  );
}

function ScriptToggle({ isSelected }: { readonly isSelected: boolean }): ReactNode {
  const count = answersIn(useScript());
  return (
    <Toggle
      small
      look="quiet"
      isSelected={isSelected}
      onChange={(on) => setQuery({ ask: on ? SCRIPT : undefined }, true)}
    >
      {count === 0 ? 'Scripted answers' : `Scripted answers: ${count}`}
    </Toggle>
  );
}

function Next({ item, server }: { readonly item: InboxItem; readonly server: string }): ReactNode {
  return (
    <p className={css.next}>
      <button type="button" className={css.link} onClick={() => setQuery({ ask: item.id }, true)}>
        Next: <Inert text={server} most={40} /> {WANTS[item.kind]}
      </button>
    </p>
  );
}

/** The questions of servers to the user: a queue beside the screen, never a dialog over it. */
// oxlint-disable-next-line import/no-default-export -- loaded when it is first shown.
export default function InboxScreen(): ReactNode {
  const all = useInbox();
  const items = useMemo(() => queueOf(all), [all]);
  const servers = useServers();
  const readOnly = useReadOnly();
  const { query } = useRoute();
  const isScript = query.get('ask') === SCRIPT && !readOnly;
  const chosen = isScript ? undefined : (items.find(({ id }) => id === query.get('ask')) ?? items[0]);
  usePinned(chosen, query.get('ask'));
  const detail = useRef<HTMLDivElement>(null);
  useFocusKept(detail, 'h2');
  const waiting = items.find((item) => item.status === 'open' && item !== chosen);
  const nameOf = (id: string): string => servers.find((server) => server.id === id)?.name ?? id;
  useNextAction(waiting?.id);
  return (
    <div className={css.screen} data-empty={items.length === 0 || undefined}>
      <section className={css.list} aria-label="Questions">
        <header className={css.top}>
          <h1 className={css.title}>Inbox</h1>
          {!readOnly && <ScriptToggle isSelected={isScript} />}
        </header>
        <ul onKeyDown={move}>
          {items.map((item) => (
            <Entry key={item.id} item={item} server={nameOf(item.server)} chosen={item === chosen} />
          ))}
        </ul>
      </section>
      <div ref={detail} className={css.detail}>
        {isScript && <ScriptEditor />}
        {!isScript && items.length === 0 && <Nothing readOnly={readOnly} />}
        {chosen !== undefined && <Item key={chosen.id} item={chosen} server={nameOf(chosen.server)} />}
        {chosen !== undefined && chosen.status !== 'open' && waiting !== undefined && (
          <Next item={waiting} server={nameOf(waiting.server)} />
        )}
      </div>
    </div>
  );
}
