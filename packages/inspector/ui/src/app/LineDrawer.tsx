import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import type { TraceLine } from '../../../src/trace/line.ts';
import { IconButton } from '../parts/Button.tsx';
import { giveFocusBack } from '../parts/focus.ts';
import { CloseIcon } from '../parts/icons.tsx';
import { JsonView } from '../parts/JsonView.tsx';
import { LineFacts } from '../parts/LineFacts.tsx';
import { setQuery } from '../route/use-route.ts';
import { api } from '../store/api.ts';
import css from './drawer.module.css';

type Loaded = { readonly line: TraceLine } | { readonly problem: string } | undefined;

function useLine(n: number): Loaded {
  const [loaded, setLoaded] = useState<Loaded>();
  useEffect(() => {
    const stop = new AbortController();
    api
      .lines({ query: { n: [n] }, signal: stop.signal })
      .then(({ lines }) =>
        setLoaded(lines[0] === undefined ? { problem: `The trace has no line ${n}.` } : { line: lines[0] }),
      )
      .catch((error: unknown) => {
        if (!stop.signal.aborted) setLoaded({ problem: error instanceof Error ? error.message : String(error) });
      });
    return () => stop.abort();
  }, [n]);
  return loaded;
}

/** A drawer with one line of the trace, beside any screen. Chips such as `#12` open it. */
export function LineDrawer({ n }: { readonly n: number }): ReactNode {
  const loaded = useLine(n);
  const drawer = useRef<HTMLElement>(null);
  const [opener] = useState(() => document.activeElement);
  const close = useCallback((): void => {
    if (drawer.current?.contains(document.activeElement) === true) giveFocusBack(opener);
    setQuery({ line: undefined }, true);
  }, [opener]);
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented) close();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [close]);
  return (
    <aside ref={drawer} className={css.drawer} aria-label={`Line ${n} of the trace`}>
      <header className={css.head}>
        <h2>Line #{n}</h2>
        <IconButton label="Close the line" small onPress={close}>
          <CloseIcon size={14} />
        </IconButton>
      </header>
      {loaded !== undefined && 'problem' in loaded && <p className={css.problem}>{loaded.problem}</p>}
      {loaded !== undefined && 'line' in loaded && (
        <>
          <LineFacts line={loaded.line} />
          <div className={css.text}>
            <JsonView text={loaded.line.text} label={`Text of line ${n}`} />
          </div>
        </>
      )}
    </aside>
  );
}
