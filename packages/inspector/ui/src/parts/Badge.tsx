import type { ReactNode } from 'react';
import type { Severity } from '../../../src/rules/finding.ts';
import { classes } from './classes.ts';
import css from './badge.module.css';

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'plain';

export const Badge = ({
  tone = 'plain',
  title,
  children,
}: {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children: ReactNode;
}): ReactNode => (
  <span className={classes(css.badge, css[tone])} title={title}>
    {children}
  </span>
);

/** A point of colour. What it means is written beside it. */
export const Dot = ({ tone, busy = false }: { readonly tone: Tone; readonly busy?: boolean }): ReactNode => (
  <span className={classes(css.dot, css[`dot-${tone}`], busy && css.busy)} aria-hidden="true" />
);

export const toneOf = (severity: Severity): Tone =>
  severity === 'error' ? 'bad' : severity === 'warning' ? 'warn' : 'info';
