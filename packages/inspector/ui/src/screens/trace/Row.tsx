import type { ReactNode } from 'react';
import type { TraceRow } from '../../../../src/api/views.ts';
import { classes } from '../../parts/classes.ts';
import { inertText } from '../../parts/inert.ts';
import { bytes, duration } from '../../parts/numbers.ts';
import css from './trace.module.css';

const SIGNS = { client: '→', server: '←' } as const;
const SAID = { client: 'client to server', server: 'server to client' } as const;

/** What a line is, in a word or two. */
const whatOf = ({ kind, message, method, subject, status }: TraceRow): string => {
  if (kind === 'http' || kind === 'auth')
    return [method, status, subject].filter((part) => part !== undefined).join(' ');
  if (message === 'batch') return 'batch';
  if (message === 'invalid') return 'no JSON-RPC';
  return method ?? 'answer to nothing';
};

const TONES: Readonly<Record<string, string | undefined>> = {
  error: 'bad',
  'tool-error': 'bad',
  cancelled: 'warn',
  pending: 'warn',
  input: 'info',
};

const outcomeOf = ({ outcome, message, code }: TraceRow): string | undefined => {
  if (outcome === undefined || (message === 'request' && outcome !== 'pending' && outcome !== 'cancelled'))
    return undefined;
  return outcome === 'error' && code !== undefined ? `error ${code}` : outcome;
};

/** One line of the trace in the list. */
export const Row = ({ row }: { readonly row: TraceRow | undefined }): ReactNode => {
  if (row === undefined) return <span className={css.waiting}>…</span>;
  const { n, at, session, kind, from, size, ms, text } = row;
  const outcome = outcomeOf(row);
  const loud = kind === 'junk' || kind === 'lost' || kind === 'timer' || row.message === 'invalid';
  return (
    <span className={classes(css.line, loud && css.loud, css[`kind-${kind}`])}>
      <span className={css.n}>{n}</span>
      <span className={css.at}>{(at / 1000).toFixed(3)}</span>
      <span className={css.session}>{inertText(session, 40)}</span>
      <span className={css.sign} title={from === undefined ? undefined : SAID[from]}>
        {from === undefined ? '·' : SIGNS[from]}
      </span>
      <span className={css.kind}>{row.message ?? kind}</span>
      <span className={css.what}>
        {inertText(whatOf(row), 160)}
        {row.subject !== undefined && kind === 'message' && (
          <span className={css.subject}> {inertText(row.subject, 80)}</span>
        )}
      </span>
      <span className={classes(css.outcome, css[TONES[row.outcome ?? ''] ?? 'plain'])}>{outcome}</span>
      <span className={css.ms}>{ms === undefined || row.message === 'request' ? '' : duration(ms)}</span>
      <span className={css.size}>{bytes(size)}</span>
      <span className={css.text}>{kind === 'message' && inertText(text, 200)}</span>
    </span>
  );
};
