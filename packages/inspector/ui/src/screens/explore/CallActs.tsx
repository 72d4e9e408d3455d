import { type ReactNode, useMemo } from 'react';
import type { ServerView } from '../../../../src/api/views.ts';
import type { TraceLine } from '../../../../src/trace/line.ts';
import { useActions } from '../../app/palette-state.ts';
import { Button } from '../../parts/Button.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { useCopies, useRequestLine } from '../../requests/use-copies.ts';
import css from './result.module.css';

function Acts({ line, server }: { readonly line: TraceLine; readonly server: ServerView }): ReactNode {
  const { note, keeping, acts } = useCopies(line, server);
  useActions(useMemo(() => acts.map((act) => ({ ...act, title: `${act.title}: #${line.n}` })), [acts, line]));
  return (
    <>
      <div className={css.callActs}>
        {acts.map(({ id, title, run }) => (
          <Button key={id} small look="quiet" isDisabled={id === 'keep' && keeping.running} onPress={run}>
            {title}
          </Button>
        ))}
        <span role="status" className={css.said}>
          {note}
        </span>
      </div>
      {keeping.problem !== undefined && <Problem problem={keeping.problem} />}
    </>
  );
}

/** Actions to copy and save the request of a call, which is read from the trace. */
export function CallActs({
  request,
  server,
}: {
  readonly request: number | undefined;
  readonly server: ServerView;
}): ReactNode {
  const line = useRequestLine(request);
  return line === undefined ? null : <Acts key={line.n} line={line} server={server} />;
}
