import { type ReactNode } from 'react';
import type { CheckRow } from '../../../../src/rules/finding.ts';
import { Badge, type Tone } from '../../parts/Badge.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { duration, plural } from '../../parts/numbers.ts';
import { Findings } from '../../parts/Problem.tsx';
import { sectionsOf, tallyOf } from './groups.ts';
import css from './check.module.css';

const TONES: Readonly<Record<CheckRow['status'], Tone>> = { pass: 'ok', warn: 'warn', fail: 'bad', skip: 'plain' };

function Row({ row }: { readonly row: CheckRow }): ReactNode {
  const many = row.findings.length;
  return (
    <li className={css.row}>
      <div className={css.line}>
        <span className={css.mark}>
          <Badge tone={TONES[row.status]}>{row.status}</Badge>
        </span>
        <span className={css.what}>
          <Inert text={row.title} most={200} />
        </span>
        <span className={css.detail}>
          {row.detail !== undefined && many === 0 && <Inert text={row.detail} most={400} />}
        </span>
        <span className={css.ms}>{row.ms === undefined ? '' : duration(row.ms)}</span>
      </div>
      {many > 0 && (
        <details className={css.findings} open={row.status === 'fail'}>
          <summary className={css.summary}>{plural(many, 'finding')}</summary>
          {/* The findings are from a separate connection, whose lines are not in this trace. */}
          <Findings findings={row.findings.map((finding) => ({ ...finding, evidence: [] }))} />
        </details>
      )}
    </li>
  );
}

/** The number of rows for each outcome. */
function Tally({ rows }: { readonly rows: readonly CheckRow[] }): ReactNode {
  return (
    <p className={css.tally} role="status">
      {tallyOf(rows).map(([status, many]) => (
        <Badge key={status} tone={TONES[status]}>
          {many} {status}
        </Badge>
      ))}
    </p>
  );
}

/** The rows of a check, as on the command line. */
export function Rows({ rows }: { readonly rows: readonly CheckRow[] }): ReactNode {
  return (
    <section aria-label="Rows of the check" className={css.results}>
      <Tally rows={rows} />
      {sectionsOf(rows).map(({ group, title, rows: own }) => (
        <section key={group} aria-label={title}>
          <h2 className={css.heading}>{title}</h2>
          <ul className={css.rows}>
            {own.map((row) => (
              <Row key={row.id} row={row} />
            ))}
          </ul>
        </section>
      ))}
    </section>
  );
}
