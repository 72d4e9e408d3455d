import { type ReactNode, useEffect, useState } from 'react';
import { Badge, type Tone } from '../../parts/Badge.tsx';
import { Evidence } from '../../parts/Evidence.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { type CallPlace, loadWritten, type Written } from './meanwhile.ts';
import css from './result.module.css';

/** Lines of stderr that were written before the answer may be read a moment after it. */
const AGAIN_MS = 400;

/** What the server wrote during a call. */
function useWritten({ session, request, response }: CallPlace): readonly Written[] {
  const key = `${session}\n${request}\n${response}`;
  const [read, setRead] = useState<{ readonly of: string; readonly written: readonly Written[] }>();
  useEffect(() => {
    const stop = new AbortController();
    const load = (): void =>
      void loadWritten({ session, request, response }, stop.signal)
        .then((written) => setRead({ of: key, written }))
        .catch(() => undefined);
    load();
    const again = setTimeout(load, AGAIN_MS);
    return () => {
      clearTimeout(again);
      stop.abort();
    };
  }, [key, session, request, response]);
  return read?.of === key ? read.written : [];
}

const BAD: ReadonlySet<string> = new Set(['error', 'critical', 'alert', 'emergency']);
function toneOf(what: string): Tone {
  return BAD.has(what) ? 'bad' : what === 'warning' ? 'warn' : 'plain';
}

/** Why a call failed is often said on stderr, or in the log, and not in the answer. */
export function Meanwhile(place: CallPlace): ReactNode {
  const written = useWritten(place);
  if (written.length === 0) return null;
  return (
    <section className={css.meanwhile} aria-label="What the server wrote meanwhile">
      <h3>The server wrote meanwhile</h3>
      {written.map(({ what, text, lines }) => (
        <div key={lines[0]} className={css.written}>
          <span className={css.writtenHead}>
            <Badge tone={toneOf(what)}>{what}</Badge>
            <Evidence lines={lines} />
          </span>
          <Inert text={text} block mono most={4_000} />
        </div>
      ))}
    </section>
  );
}
