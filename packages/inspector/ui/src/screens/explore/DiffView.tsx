import type { ReactNode } from 'react';
import { Badge } from '../../parts/Badge.tsx';
import { Evidence } from '../../parts/Evidence.tsx';
import { JsonDiff } from '../../parts/JsonView.tsx';
import type { PastCall } from './calls.ts';
import { useReadCall } from './use-calls.ts';
import css from './result.module.css';

interface DiffProps {
  /** The current result, unchanged. */
  readonly now: string;
  /** The call to compare with. */
  readonly before: PastCall;
}

function useBefore(before: PastCall): string | undefined {
  const answer = useReadCall(before)?.answer;
  return answer?.result ?? answer?.error;
}

/** Says whether there is a difference. */
function Title({ now, before }: DiffProps): ReactNode {
  const text = useBefore(before);
  return (
    <>
      Diff{' '}
      {text !== undefined && <Badge tone={text === now ? 'plain' : 'info'}>{text === now ? 'same' : 'changed'}</Badge>}
    </>
  );
}

/** The answer beside the previous one. */
export function DiffView({ now, before }: DiffProps): ReactNode {
  const text = useBefore(before);
  if (text === undefined) return <p className={css.note}>Reading the call before …</p>;
  return (
    <div className={css.diff}>
      <p className={css.diffHead}>
        {text === now ? 'Exactly the same as' : 'Changed since'} <Evidence lines={[before.response!]} />
      </p>
      <div className={css.diffBody}>{text !== now && <JsonDiff before={text} after={now} label="The answer" />}</div>
    </div>
  );
}

DiffView.Title = Title;
