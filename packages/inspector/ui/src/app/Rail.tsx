import type { ReactNode } from 'react';
import { hrefOf, useRoute } from '../route/use-route.ts';
import { SCREENS, type ScreenEntry } from '../screens.ts';
import { useServers } from '../store/model.ts';
import { currentServer } from './current-server.ts';
import css from './rail.module.css';

function none(): number {
  return 0;
}

function Item({ entry, isCurrent }: { readonly entry: ScreenEntry; readonly isCurrent: boolean }): ReactNode {
  const { icon: Icon, useCount = none } = entry;
  const waiting = useCount();
  const route = useRoute();
  const server = currentServer(route, useServers());
  return (
    <li>
      <a
        className={css.item}
        href={hrefOf({ screen: entry.id, server: entry.ofOneServer ? server?.id : undefined })}
        aria-current={isCurrent ? 'page' : undefined}
      >
        <Icon />
        <span className={css.title}>{entry.title}</span>
        {waiting > 0 && (
          <span className={css.count} aria-label={`${waiting} waiting`}>
            {waiting > 99 ? '99+' : waiting}
          </span>
        )}
      </a>
    </li>
  );
}

export function Rail({ current }: { readonly current: ScreenEntry }): ReactNode {
  return (
    <nav className={css.rail} aria-label="Screens">
      <p className={css.mark}>
        <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="7" fill="var(--accent-fill)" />
          <path d="M7 8h18v6h-6v10h-6V14H7z" fill="#fff" />
        </svg>
        <span className={css.title}>Tenon</span>
      </p>
      <ul className={css.items}>
        {SCREENS.map((entry) => (
          <Item key={entry.id} entry={entry} isCurrent={entry.id === current.id} />
        ))}
      </ul>
    </nav>
  );
}
