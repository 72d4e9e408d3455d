import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { ProgressBar } from 'react-aria-components';
import { classes } from '../../parts/classes.ts';
import { Inert } from '../../parts/Inert.tsx';
import { duration } from '../../parts/numbers.ts';
import { model, type Model, progressKey, type Progress } from '../../store/model.ts';
import { useStore } from '../../store/store.ts';
import css from './result.module.css';

const TICK_MS = 100;

function useElapsed(): number {
  const [began] = useState(() => performance.now());
  const [elapsed, setElapsed] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setElapsed(performance.now() - began), TICK_MS);
    return () => clearInterval(timer);
  }, [began]);
  return elapsed;
}

function shareOf({ progress, total }: Progress): number | undefined {
  return total === undefined || total <= 0 ? undefined : Math.min(100, Math.max(0, (progress / total) * 100));
}

/** A request without an answer yet, with its progress. */
export function Running({ server, name }: { readonly server: string; readonly name: string }): ReactNode {
  const elapsed = useElapsed();
  const progress = useStore(
    model,
    useCallback((value: Model) => value.progress.get(progressKey(server, name)), [server, name]),
  );
  const share = progress === undefined ? undefined : shareOf(progress);
  return (
    <div className={css.running}>
      <ProgressBar aria-label="Waiting for the answer" isIndeterminate={share === undefined} value={share ?? 0}>
        <div className={css.bar}>
          <div
            className={classes(css.fill, share === undefined && css.wait)}
            style={share === undefined ? undefined : { width: `${share}%` }}
          />
        </div>
      </ProgressBar>
      <p>
        Waiting for {duration(elapsed)}
        {progress !== undefined &&
          ` · ${progress.progress}${progress.total === undefined ? '' : ` of ${progress.total}`}`}
        {progress?.message !== undefined && (
          <>
            {' · '}
            <Inert text={progress.message} most={300} />
          </>
        )}
      </p>
    </div>
  );
}
