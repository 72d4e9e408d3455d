import { type ReactNode, useEffect, useRef } from 'react';
import screen from '../../parts/screen.module.css';
import { useReadOnly, useServers } from '../../store/model.ts';
import { useRoute } from '../../route/use-route.ts';
import { AddServers } from './AddServers.tsx';
import { ServerCard } from './ServerCard.tsx';
import css from './connect.module.css';

/** Every server under test, with the steps of the doctor. */
// oxlint-disable-next-line import/no-default-export -- loaded when it is first shown.
export default function ConnectScreen(): ReactNode {
  const servers = useServers();
  const readOnly = useReadOnly();
  const { server: wanted } = useRoute();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (wanted !== undefined)
      list.current?.querySelector(`#${CSS.escape(`server ${wanted}`)}`)?.scrollIntoView({ block: 'nearest' });
  }, [wanted]);
  return (
    <div className={screen.page}>
      <h1 className={screen.title}>Connect</h1>
      {!readOnly && <AddServers hasServers={servers.length > 0} />}
      <div ref={list} className={css.cards}>
        {servers.map((server) => (
          <ServerCard key={server.id} server={server} readOnly={readOnly} />
        ))}
      </div>
    </div>
  );
}
