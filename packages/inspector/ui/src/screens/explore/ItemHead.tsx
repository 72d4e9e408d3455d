import { type ReactNode, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Button as AriaButton, Disclosure, DisclosurePanel } from 'react-aria-components';
import type { ServerView } from '../../../../src/api/views.ts';
import { Badge, type Tone } from '../../parts/Badge.tsx';
import { Button } from '../../parts/Button.tsx';
import { ChevronRight } from '../../parts/icons.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { inertText } from '../../parts/inert.ts';
import { bytes, tokens } from '../../parts/numbers.ts';
import { JsonView } from '../../parts/JsonView.tsx';
import type { Offer } from '../../store/lists.ts';
import { taskFacts } from './task-facts.ts';
import { WatchToggle } from './WatchToggle.tsx';
import css from './itemhead.module.css';

interface Hint {
  readonly text: string;
  readonly tone: Tone;
  readonly title: string;
}

const HINTS: readonly (readonly [name: string, value: boolean, hint: Hint])[] = [
  ['readOnlyHint', true, { text: 'read-only', tone: 'ok', title: 'The server says that it changes nothing' }],
  ['readOnlyHint', false, { text: 'writes', tone: 'warn', title: 'The server says that it changes something' }],
  [
    'destructiveHint',
    true,
    { text: 'destructive', tone: 'bad', title: 'The server says that it may destroy something' },
  ],
  [
    'destructiveHint',
    false,
    { text: 'non-destructive', tone: 'plain', title: 'The server says that it destroys nothing' },
  ],
  [
    'idempotentHint',
    true,
    { text: 'idempotent', tone: 'plain', title: 'Calling it twice has the same effect as calling it once' },
  ],
  [
    'openWorldHint',
    true,
    { text: 'open-world', tone: 'plain', title: 'It interacts with the world outside the server' },
  ],
  ['openWorldHint', false, { text: 'closed-world', tone: 'plain', title: 'It interacts only with data of the server' }],
];

function entryOf(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(text) as Record<string, unknown> | null) ?? {};
  } catch {
    return {};
  }
}

/** The item's own facts besides its description. */
function Facts({ entry }: { readonly entry: Record<string, unknown> }): ReactNode {
  const annotations = (entry['annotations'] ?? {}) as Record<string, unknown>;
  const hints = HINTS.filter(([name, value]) => annotations[name] === value);
  const { audience, priority } = annotations;
  return (
    <>
      {hints.map(([name, , { text, tone, title }]) => (
        <Badge key={name} tone={tone} title={title}>
          {text}
        </Badge>
      ))}
      {typeof entry['mimeType'] === 'string' && <Badge>{inertText(entry['mimeType'], 60)}</Badge>}
      {typeof entry['size'] === 'number' && <Badge>{bytes(entry['size'])}</Badge>}
      {Array.isArray(audience) && <Badge>for {inertText(audience.join(', '), 60)}</Badge>}
      {typeof priority === 'number' && <Badge>priority {priority}</Badge>}
    </>
  );
}

/** The latest state of a task. */
function TaskState({ entry }: { readonly entry: Record<string, unknown> }): ReactNode {
  const { status, tone, times } = taskFacts(entry);
  return (
    <>
      {status !== undefined && <Badge tone={tone}>{inertText(status, 40)}</Badge>}
      {times.map(({ text, title }) => (
        <Badge key={text} title={inertText(title, 80)}>
          {inertText(text, 60)}
        </Badge>
      ))}
    </>
  );
}

/** A description may be very long, so only its beginning is shown at first. */
function Description({ text }: { readonly text: string }): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [isCut, setCut] = useState(false);
  useLayoutEffect(() => {
    const { current: element } = box;
    if (element === null || isOpen) return;
    const measure = (): void => setCut(element.scrollHeight > element.clientHeight + 1);
    const watch = new ResizeObserver(measure);
    measure();
    watch.observe(element);
    return () => watch.disconnect();
  }, [isOpen, text]);
  return (
    <>
      <div ref={box} className={css.description} data-open={isOpen || undefined}>
        <Inert text={text} block most={isOpen ? 4_000 : 1_200} />
      </div>
      {isCut && (
        <p className={css.more}>
          <Button look="quiet" small onPress={() => setOpen(!isOpen)}>
            {isOpen ? 'Show less' : 'Show the whole description'}
          </Button>
        </p>
      )}
    </>
  );
}

/** The server's description of an item. */
export function ItemHead({ offer, server }: { readonly offer: Offer; readonly server: ServerView }): ReactNode {
  const entry = useMemo(() => entryOf(offer.text), [offer.text]);
  const cost = Math.ceil(offer.text.length / 4);
  return (
    <header className={css.head}>
      <div className={css.row}>
        <h2 className={css.id}>
          <Inert text={offer.id} mono most={300} />
        </h2>
        {offer.title !== undefined && offer.kind !== 'tasks' && (
          <span className={css.title}>
            <Inert text={offer.title} most={160} />
          </span>
        )}
        {offer.kind === 'tasks' ? (
          <TaskState entry={entry} />
        ) : (
          <>
            <Facts entry={entry} />
            <span className={css.cost} title="The token cost of its definition">
              {tokens(cost)}
            </span>
          </>
        )}
        {offer.kind === 'resources' && <WatchToggle uri={offer.id} server={server} />}
      </div>
      {offer.description !== undefined && <Description text={offer.description} />}
      <Disclosure className={css.definition!}>
        <AriaButton slot="trigger" className={css.trigger!}>
          <ChevronRight size={11} /> Definition
        </AriaButton>
        <DisclosurePanel>
          {/* Loaded when it is opened. */}
          <Definition text={offer.text} />
        </DisclosurePanel>
      </Disclosure>
    </header>
  );
}

function Definition({ text }: { readonly text: string }): ReactNode {
  return (
    <div className={css.json}>
      <JsonView text={text} label="Definition, as sent by the server" />
    </div>
  );
}
