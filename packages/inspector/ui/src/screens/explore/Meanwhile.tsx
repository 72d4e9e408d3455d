import { type ReactNode, useEffect, useState } from 'react';
import type { ServerView } from '../../../../src/api/views.ts';
import { Badge, type Tone } from '../../parts/Badge.tsx';
import { Evidence } from '../../parts/Evidence.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { hrefOf } from '../../route/use-route.ts';
import { type CallPlace, loadWritten } from './meanwhile.ts';
import { useGrowth } from './use-calls.ts';
import type { Written } from './written.ts';
import css from './result.module.css';

/** Lines of stderr from before the answer may be recorded a moment after it. The delay until they are read, in milliseconds. */
const AGAIN_MS = 400;

/** The events during a call. Loaded again while it runs. */
export function useWritten(place: CallPlace | undefined): readonly Written[] {
  const key =
    place === undefined ? '' : `${place.session}\n${place.request}\n${place.response}\n${place.lines?.join()}`;
  const growth = useGrowth();
  const isOpen = place !== undefined && place.response === undefined;
  const [read, setRead] = useState<{ readonly of: string; readonly written: readonly Written[] }>();
  useEffect(() => {
    if (place === undefined) return;
    const stop = new AbortController();
    const load = (): void =>
      void loadWritten(place, stop.signal)
        .then((written) => setRead({ of: key, written }))
        .catch(() => undefined);
    load();
    const again = setTimeout(load, AGAIN_MS);
    return () => {
      clearTimeout(again);
      stop.abort();
    };
    // The key contains everything about the place that can change.
  }, [key, isOpen ? growth : 0]);
  return read !== undefined && read.of === key ? read.written : NONE;
}
const NONE: readonly Written[] = [];

const BAD: ReadonlySet<string> = new Set(['error', 'critical', 'alert', 'emergency']);
function toneOf(what: string): Tone {
  if (what === 'question') return 'info';
  return BAD.has(what) ? 'bad' : what === 'warning' ? 'warn' : 'plain';
}

function Entries({ written }: { readonly written: readonly Written[] }): ReactNode {
  return written.map(({ what, text, lines }, at) => (
    <div key={`${lines[0]} ${at}`} className={css.written}>
      <span className={css.writtenHead}>
        <Badge tone={toneOf(what)}>{what}</Badge>
        <Evidence lines={lines} />
      </span>
      <Inert text={text} block mono most={4_000} />
    </div>
  ));
}

/** The reason for a failed call is often on stderr, or in the log, and not in the answer. */
export function Meanwhile({ written }: { readonly written: readonly Written[] }): ReactNode {
  if (written.length === 0) return null;
  return (
    <section className={css.meanwhile} aria-label="Server output during the call">
      <h3>Server output during the call</h3>
      <Entries written={written} />
    </section>
  );
}

/** The requested log level, and a link to change it. */
function LogLevelNote({ server }: { readonly server: ServerView }): ReactNode {
  if (server.status !== 'ready') return null;
  if (server.capabilities?.['logging'] === undefined) return 'The server does not declare logging.';
  return (
    <>
      {server.logLevel === undefined
        ? 'No log level is requested. '
        : `Log messages from ${server.logLevel} up are requested. `}
      <a href={hrefOf({ screen: 'connect' })}>Change it on Connect</a>
    </>
  );
}

/** The same as a separate view, for calls that did not fail. */
export function MeanwhileView({
  written,
  server,
}: {
  readonly written: readonly Written[];
  readonly server: ServerView;
}): ReactNode {
  return (
    <div className={css.meanwhileView}>
      {written.length === 0 && (
        <p className={css.dim}>There were no stderr, log messages, progress or questions during this call.</p>
      )}
      <Entries written={written} />
      <p className={css.dim}>
        <LogLevelNote server={server} />
      </p>
    </div>
  );
}
