import { type ReactNode, useMemo, useRef } from 'react';
import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import type { ProblemView, ServerView } from '../../../../src/api/views.ts';
import { Button } from '../../parts/Button.tsx';
import { useFocusKept } from '../../parts/focus.ts';
import { ChevronDown } from '../../parts/icons.tsx';
import menu from '../../parts/menu.module.css';
import button from '../../parts/button.module.css';
import { hrefOf } from '../../route/use-route.ts';
import { api } from '../../store/api.ts';
import { useTask } from '../../store/use-task.ts';
import css from './card.module.css';

export interface Connecting {
  readonly busy: boolean;
  readonly problem: ProblemView | undefined;
  connect(revision?: string): void;
  disconnect(): void;
}

/** Connects and disconnects a server. */
export function useConnect({ id }: ServerView): Connecting {
  const { running, problem, run } = useTask(async (signal, send: (signal: AbortSignal) => Promise<unknown>) => {
    await send(signal);
  });
  return useMemo(
    () => ({
      busy: running,
      problem,
      connect: (revision) => run((signal) => api.connect({ parts: { id }, body: { revision }, signal })),
      disconnect: () => run((signal) => api.disconnect({ parts: { id }, signal })),
    }),
    [id, running, problem, run],
  );
}

function Pin({ server, acts }: { readonly server: ServerView; readonly acts: Connecting }): ReactNode {
  return (
    <MenuTrigger>
      <AriaButton className={button.button!}>
        {server.pinned === undefined ? 'Any revision' : server.pinned} <ChevronDown size={12} />
      </AriaButton>
      <Popover className={menu.popover!} placement="bottom end" offset={4}>
        <Menu
          className={menu.menu!}
          aria-label="Use only this revision"
          selectionMode="single"
          selectedKeys={[server.pinned ?? 'any']}
          onAction={(key) => acts.connect(key === 'any' ? undefined : String(key))}
        >
          <MenuItem id="any" className={menu.item!}>
            Any revision
          </MenuItem>
          {import.meta.env.REVISIONS.map((revision) => (
            <MenuItem key={revision} id={revision} className={menu.item!}>
              {revision}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

export function ConnectActs({ server, acts }: { readonly server: ServerView; readonly acts: Connecting }): ReactNode {
  const there = server.status === 'ready' || server.status === 'connecting' || server.status === 'login';
  const place = useRef<HTMLDivElement>(null);
  useFocusKept(place, ':scope > [data-connect]');
  return (
    <div ref={place} className={css.acts}>
      {server.status === 'ready' && (
        <a className={button.button} href={hrefOf({ screen: 'explore', server: server.id })}>
          Explore
        </a>
      )}
      {server.status === 'login' && (
        <a className={button.button} href={hrefOf({ screen: 'auth', server: server.id })}>
          Log in
        </a>
      )}
      <Pin server={server} acts={acts} />
      <Button
        data-connect
        onPress={() => acts.connect(server.pinned)}
        isBusy={acts.busy}
        look={there ? 'plain' : 'primary'}
      >
        {there ? 'Reconnect' : 'Connect'}
      </Button>
      {there && <Button onPress={() => acts.disconnect()}>Disconnect</Button>}
    </div>
  );
}
