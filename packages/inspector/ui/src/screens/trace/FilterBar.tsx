import { type KeyboardEvent, type ReactNode, type Ref, useDeferredValue, useEffect, useRef, useState } from 'react';
import { setQuery, useRoute } from '../../route/use-route.ts';
import css from './trace.module.css';

export interface TypedFilter {
  readonly typed: string;
  /** The filter in use, which follows the typing as fast as the machine can. */
  readonly asked: string;
  type(text: string): void;
}

/** The filter, which is kept in the route. */
export function useFilter(): TypedFilter {
  const filter = useRoute().query.get('filter') ?? '';
  const [typed, type] = useState(filter);
  const asked = useDeferredValue(typed);
  // Only a change from elsewhere replaces the typed text, because the route is always a little behind.
  const written = useRef(filter);
  useEffect(() => {
    if (filter === written.current) return;
    written.current = filter;
    type(filter);
  }, [filter]);
  useEffect(() => {
    if (asked === written.current) return;
    written.current = asked;
    setQuery({ filter: asked === '' ? undefined : asked }, true);
  }, [asked]);
  return { typed, asked, type };
}

const EXAMPLES = [
  'method:tools/call',
  'status:error,tool-error',
  'ms:>500',
  'kind:stderr,junk,exit',
  '-kind:http',
  'text:"not found"',
];

/** `/` focuses the filter, as in other programs. */
export function useFilterKey(focus: () => void): void {
  useEffect(() => {
    const pressed = (event: globalThis.KeyboardEvent): void => {
      const at = event.target as HTMLElement | null;
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (at?.closest('input, textarea, select, [contenteditable=true], [role=dialog]') != null) return;
      event.preventDefault();
      focus();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [focus]);
}

export function FilterField({
  filter,
  field,
  problem,
  onLeave,
}: {
  readonly filter: TypedFilter;
  readonly field: Ref<HTMLInputElement>;
  readonly problem: string | undefined;
  /** Moves the focus to the rows. */
  readonly onLeave: () => void;
}): ReactNode {
  const pressed = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'Enter') {
      event.preventDefault();
      onLeave();
    } else if (event.key === 'Escape' && filter.typed !== '') {
      event.preventDefault();
      filter.type('');
    }
  };
  return (
    <input
      ref={field}
      className={css.filter}
      type="search"
      aria-label="Filter"
      aria-keyshortcuts="/"
      aria-invalid={problem !== undefined}
      aria-describedby={problem === undefined ? undefined : 'filter-problem'}
      placeholder="Filter: method:tools/call ms:>500   ( / )"
      value={filter.typed}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => filter.type(event.target.value)}
      onKeyDown={pressed}
    />
  );
}

export function Examples({ onChoose }: { readonly onChoose: (text: string) => void }): ReactNode {
  return (
    <p className={css.examples}>
      {EXAMPLES.map((example) => (
        <button key={example} type="button" className={css.example} onClick={() => onChoose(example)}>
          {example}
        </button>
      ))}
    </p>
  );
}
