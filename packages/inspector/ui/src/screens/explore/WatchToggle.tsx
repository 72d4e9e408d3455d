import { type ReactNode, useEffect, useState } from 'react';
import type { ServerView, TraceAnswer } from '../../../../src/api/views.ts';
import { Toggle } from '../../parts/Button.tsx';
import { Evidence } from '../../parts/Evidence.tsx';
import { EyeIcon } from '../../parts/icons.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { api } from '../../store/api.ts';
import { useTraceLength } from '../../store/model.ts';
import { useTask } from '../../store/use-task.ts';
import css from './watch.module.css';

const SHOWN = 5;

/** The newest notifications about changes of a resource. */
function Updates({ uri, server }: { readonly uri: string; readonly server: ServerView }): ReactNode {
  const length = useTraceLength();
  const [found, setFound] = useState<{ readonly count: number; readonly lines: readonly number[] }>({
    count: 0,
    lines: [],
  });
  useEffect(() => {
    const stop = new AbortController();
    const filter = `session:${JSON.stringify(server.session ?? '')} method:notifications/resources/updated subject:${JSON.stringify(uri)}`;
    const timer = setTimeout(() => {
      const ask = (from: number): Promise<TraceAnswer> =>
        api.trace({ query: { filter, from, count: SHOWN }, signal: stop.signal });
      ask(0)
        .then((first) => (first.matches > SHOWN ? ask(first.matches - SHOWN) : first))
        .then(({ matches, rows }) => setFound({ count: matches, lines: rows.map(({ n }) => n) }))
        .catch(() => undefined);
    }, 300);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [length, uri, server.session]);
  return (
    <span className={css.updates} role="status">
      {found.count === 0 ? 'no change yet' : `changed ${found.count} ${found.count === 1 ? 'time' : 'times'}`}
      <Evidence lines={found.lines} />
    </span>
  );
}

/** Subscribes to changes of a resource. */
export function WatchToggle({ uri, server }: { readonly uri: string; readonly server: ServerView }): ReactNode {
  const watched = server.watched.includes(uri);
  const { running, problem, run } = useTask(async (signal, on: boolean) => {
    await api.watch({ parts: { id: server.id }, body: { uri, on }, signal });
  });
  return (
    <>
      <Toggle small isSelected={watched} isDisabled={running || server.status !== 'ready'} onChange={run}>
        <EyeIcon size={13} /> Watch
      </Toggle>
      {watched && <Updates uri={uri} server={server} />}
      {problem !== undefined && <Problem problem={problem} />}
    </>
  );
}
