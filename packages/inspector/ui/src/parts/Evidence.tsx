import type { ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { setQuery } from '../route/use-route.ts';
import css from './evidence.module.css';

/** The most lines shown; the others are counted. */
const MAX_SHOWN = 8;

/** The lines of the trace that prove something. Each opens in the drawer. */
export function Evidence({ lines }: { readonly lines: readonly number[] }): ReactNode {
  return lines.length === 0 ? null : (
    <span className={css.chips}>
      {lines.slice(0, MAX_SHOWN).map((n) => (
        <AriaButton
          key={n}
          className={css.chip!}
          aria-label={`Line ${n} of the trace`}
          onPress={() => setQuery({ line: String(n) }, true)}
        >
          #{n}
        </AriaButton>
      ))}
      {lines.length > MAX_SHOWN && <span className={css.more}>and {lines.length - MAX_SHOWN} more</span>}
    </span>
  );
}
