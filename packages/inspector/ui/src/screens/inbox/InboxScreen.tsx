import type { ReactNode } from 'react';
import type { InboxItem } from '../../../../src/api/views.ts';
import { Badge, type Tone } from '../../parts/Badge.tsx';
import { classes } from '../../parts/classes.ts';
import { inertText } from '../../parts/inert.ts';
import { duration } from '../../parts/numbers.ts';
import { setQuery, useRoute } from '../../route/use-route.ts';
import { useInbox, useServers } from '../../store/model.ts';
import { Item } from './Item.tsx';
import css from './inbox.module.css';

const TONES: Readonly<Record<InboxItem['status'], Tone>> = { open: 'info', answered: 'ok', withdrawn: 'plain' };
const KINDS: Readonly<Record<InboxItem['kind'], string>> = {
  form: 'a form',
  url: 'a page to visit',
  sampling: 'a model',
  roots: 'folders',
};

/** What servers want of the person: a queue, that never covers anything. */
// oxlint-disable-next-line import/no-default-export -- loaded when it is first shown.
export default function InboxScreen(): ReactNode {
  const items = useInbox().toReversed();
  const servers = useServers();
  const { query } = useRoute();
  const chosen =
    items.find(({ id }) => id === query.get('ask')) ?? items.find(({ status }) => status === 'open') ?? items[0];
  const nameOf = (id: string): string => servers.find((server) => server.id === id)?.name ?? id;
  return (
    <div className={css.screen}>
      <section className={css.list}>
        <h1 className={css.title}>Inbox</h1>
        {items.length === 0 && (
          <p className={css.empty}>
            No server has asked for anything. Forms, pages to visit and requests for a model come here while the call
            that needs them goes on.
          </p>
        )}
        <ul>
          {items.map((item) => (
            <li key={item.id}>
              <button
                type="button"
                className={classes(css.item, item === chosen && css.chosen)}
                aria-current={item === chosen ? 'true' : undefined}
                onClick={() => setQuery({ ask: item.id }, true)}
              >
                <span className={css.head}>
                  <Badge tone={TONES[item.status]}>{item.status}</Badge> {inertText(nameOf(item.server), 40)} asks for{' '}
                  {KINDS[item.kind]}
                  <span className={css.at}>{duration(item.at)}</span>
                </span>
                <span className={css.message}>{inertText(item.message, 120)}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
      {chosen !== undefined && <Item key={chosen.id} item={chosen} server={nameOf(chosen.server)} />}
    </div>
  );
}
