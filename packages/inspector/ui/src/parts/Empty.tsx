import type { ReactNode } from 'react';
import { hrefOf } from '../route/use-route.ts';
import { Button } from './Button.tsx';
import css from './empty.module.css';

/** An action in an empty place: a link or a command. */
export type EmptyAct =
  | { readonly title: string; readonly href: string }
  | { readonly title: string; readonly run: () => void };

/** Shown in place of missing content: why it is missing, and one action. */
export function Empty({
  title,
  act,
  isSecond = false,
  children,
}: {
  readonly title: ReactNode;
  readonly act?: EmptyAct | undefined;
  /** The same action is more prominent elsewhere on the screen. */
  readonly isSecond?: boolean;
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <div className={css.empty}>
      <p className={css.title}>{title}</p>
      {children !== undefined && <p className={css.text}>{children}</p>}
      {act !== undefined && (
        <p className={css.act}>
          {'href' in act ? (
            <a className={css.link} href={act.href}>
              {act.title}
            </a>
          ) : (
            <Button look={isSecond ? 'plain' : 'primary'} onPress={act.run}>
              {act.title}
            </Button>
          )}
        </p>
      )}
    </div>
  );
}

/** Shown by screens about servers if there is none. */
export function NoServer(): ReactNode {
  return (
    <Empty title="There is no server yet" act={{ title: 'Add a server', href: hrefOf({ screen: 'connect' }) }}>
      Add one on Connect: the inspector then starts it, or connects to its URL.
    </Empty>
  );
}
