import type { ReactNode } from 'react';
import { hrefOf } from '../route/use-route.ts';
import { Button } from './Button.tsx';
import css from './empty.module.css';

/** What a person can do where there is nothing: goes somewhere, or does something. */
export type EmptyAct =
  | { readonly title: string; readonly href: string }
  | { readonly title: string; readonly run: () => void };

/** A place where there is nothing yet: why, and the one thing to do about it. */
export function Empty({
  title,
  act,
  isSecond = false,
  children,
}: {
  readonly title: ReactNode;
  readonly act?: EmptyAct | undefined;
  /** The same can be done elsewhere on the screen, where it stands out. */
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

/** Shown by screens that are about servers while there is none. */
export function NoServer(): ReactNode {
  return (
    <Empty title="There is no server yet" act={{ title: 'Add a server', href: hrefOf({ screen: 'connect' }) }}>
      It is started, or reached, as soon as it is added on Connect.
    </Empty>
  );
}
