import type { ReactNode } from 'react';
import type { TraceRow } from '../../../../src/api/views.ts';
import { classes } from '../../parts/classes.ts';
import { inertText } from '../../parts/inert.ts';
import { bytes, duration } from '../../parts/numbers.ts';
import css from './trace.module.css';

const SIGNS = { client: '→', server: '←' } as const;
const SAID = { client: 'from the client', server: 'from the server' } as const;

/** The kind of a message, in a word or two. */
function whatOf({ message, method }: TraceRow): string {
  if (message === 'batch') return 'batch';
  if (message === 'invalid') return 'not JSON-RPC';
  return method ?? (message === 'response' ? 'answer without a request' : '');
}

const TONES: Readonly<Record<string, string | undefined>> = {
  error: 'bad',
  'tool-error': 'bad',
  cancelled: 'warn',
  timeout: 'warn',
  lost: 'bad',
  pending: 'warn',
  input: 'info',
  task: 'info',
};

/** Outcomes that no answer shows. */
const UNANSWERED: ReadonlySet<string> = new Set(['pending', 'cancelled', 'timeout', 'lost']);

function outcomeOf({ outcome, message, code }: TraceRow): string | undefined {
  if (outcome === undefined || (message === 'request' && !UNANSWERED.has(outcome))) return undefined;
  return outcome === 'error' && code !== undefined ? `error ${code}` : outcome;
}

/** A subscription is answered only when it ends. */
function isOpen({ outcome, method }: TraceRow): boolean {
  return outcome === 'pending' && method === 'subscriptions/listen';
}

/** Kinds of lines that are always a problem. */
const LOUD: ReadonlySet<string> = new Set(['junk', 'lost', 'timer']);

function toneOf({ kind, message, text, status }: TraceRow): string | undefined {
  if (LOUD.has(kind) || message === 'invalid') return css.loud;
  if (kind === 'exit' && !/^exited with code 0$/.test(text)) return css.loud;
  if (status !== undefined && status >= 400) return css.refused;
  return kind === 'stderr' ? css.stderr : undefined;
}

function Message({ row }: { readonly row: TraceRow }): ReactNode {
  return (
    <>
      <span className={css.what}>
        {inertText(whatOf(row), 160)}
        {row.subject !== undefined && <span className={css.subject}> {inertText(row.subject, 80)}</span>}
      </span>
      {isOpen(row) ? (
        <span className={classes(css.outcome, css.info)}>open</span>
      ) : (
        <span className={classes(css.outcome, css[TONES[row.outcome ?? ''] ?? 'plain'])}>{outcomeOf(row)}</span>
      )}
      <span className={css.ms}>{row.ms === undefined || row.message === 'request' ? '' : duration(row.ms)}</span>
      <span className={css.size}>{bytes(row.size)}</span>
      <span className={css.text}>{inertText(row.text, 200)}</span>
    </>
  );
}

/** For lines that are not messages, the text itself. */
function Other({ row }: { readonly row: TraceRow }): ReactNode {
  return (
    <span className={css.said}>
      {row.kind === 'auth' && row.subject !== undefined && (
        <span className={css.subject}>{inertText(row.subject, 40)} </span>
      )}
      {inertText(row.text, 300)}
    </span>
  );
}

/** One line of the trace in the list. `line`: the selected one. */
export function Row({
  row,
  line,
}: {
  readonly row: TraceRow | undefined;
  readonly line: number | undefined;
}): ReactNode {
  if (row === undefined) return <span className={css.waiting}>…</span>;
  const { n, at, session, kind, from, message, pair } = row;
  return (
    <span className={classes(css.line, toneOf(row), line !== undefined && pair === line && css.paired)}>
      <span className={css.n}>{n}</span>
      <span className={css.at}>{(at / 1000).toFixed(3)}</span>
      <span className={css.session}>{inertText(session, 40)}</span>
      <span className={css.sign} role="img" aria-label={from === undefined ? 'noted' : SAID[from]}>
        {from === undefined ? '·' : SIGNS[from]}
      </span>
      <span className={css.kind}>{message ?? kind}</span>
      {kind === 'message' ? <Message row={row} /> : <Other row={row} />}
    </span>
  );
}
