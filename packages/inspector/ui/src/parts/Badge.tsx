import type { ReactNode } from 'react';
import type { Severity } from '../../../src/rules/finding.ts';
import { classes } from './classes.ts';
import css from './badge.module.css';

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'plain';

export function Badge({
  tone = 'plain',
  title,
  children,
}: {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <span className={classes(css.badge, css[tone])} title={title}>
      {children}
    </span>
  );
}

/** A coloured dot. The text beside it has its meaning. */
export function Dot({ tone, busy = false }: { readonly tone: Tone; readonly busy?: boolean }): ReactNode {
  return <span className={classes(css.dot, css[`dot-${tone}`], busy && css.busy)} aria-hidden="true" />;
}

export function toneOf(severity: Severity): Tone {
  return severity === 'error' ? 'bad' : severity === 'warning' ? 'warn' : 'info';
}
