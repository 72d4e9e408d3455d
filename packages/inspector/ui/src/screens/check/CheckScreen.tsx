import { type ReactNode, useState } from 'react';
import { ROUTES } from '../../../../src/api/routes.ts';
import type { CheckAnswer } from '../../../../src/api/views.ts';
import type { CheckRow } from '../../../../src/rules/finding.ts';
import { useCurrentServer } from '../../app/current-server.ts';
import { Badge, type Tone } from '../../parts/Badge.tsx';
import { Button, Toggle } from '../../parts/Button.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { duration, plural } from '../../parts/numbers.ts';
import { Findings, Problem } from '../../parts/Problem.tsx';
import { post } from '../../store/api.ts';
import { useFindings, useReadOnly } from '../../store/model.ts';
import { useTask } from '../../store/use-task.ts';
import css from './check.module.css';

const GROUPS = [
  { id: 'lint', label: 'Names and schemas' },
  { id: 'wire', label: 'Every message' },
  { id: 'era', label: 'Every revision' },
  { id: 'load', label: 'A second of load' },
] as const;

const TONES: Readonly<Record<CheckRow['status'], Tone>> = { pass: 'ok', warn: 'warn', fail: 'bad', skip: 'plain' };

const Row = ({ row }: { readonly row: CheckRow }): ReactNode => (
  <li className={css.row}>
    <p className={css.head}>
      <Badge tone={TONES[row.status]}>{row.status}</Badge>
      <span className={css.group}>{row.group}</span>
      <strong>
        <Inert text={row.title} most={200} />
      </strong>
      {row.detail !== undefined && (
        <span className={css.dim}>
          <Inert text={row.detail} most={400} />
        </span>
      )}
      {row.ms !== undefined && <span className={css.dim}>{duration(row.ms)}</span>}
    </p>
    {row.findings.length > 0 && (
      <details open={row.status === 'fail'}>
        <summary className={css.dim}>{plural(row.findings.length, 'finding')}</summary>
        <Findings findings={row.findings.map((finding) => ({ ...finding, evidence: [] }))} />
      </details>
    )}
  </li>
);

/** Checks of a server, the same as those of the command. They run on connections of their own. */
// oxlint-disable-next-line import/no-default-export -- loaded when it is first shown.
export default function CheckScreen(): ReactNode {
  const server = useCurrentServer();
  const seen = useFindings();
  const readOnly = useReadOnly();
  const [groups, setGroups] = useState<ReadonlySet<string>>(new Set(['lint', 'wire', 'era']));
  const [baseline, setBaseline] = useState<{ name: string; text: string }>();
  const [rows, setRows] = useState<readonly CheckRow[]>();
  const checking = useTask(async (signal) => {
    setRows(undefined);
    const body = {
      server: server!.id,
      groups: [...groups, ...(baseline === undefined ? [] : ['baseline'])],
      ...(baseline === undefined ? {} : { baseline: baseline.text }),
    };
    setRows((await post<CheckAnswer>(ROUTES.checks, body, { signal })).rows);
  });
  return (
    <div className={css.screen}>
      <h1 className={css.title}>Check</h1>
      {!readOnly && (
        <div className={css.acts}>
          {GROUPS.map(({ id, label }) => (
            <Toggle
              key={id}
              small
              isSelected={groups.has(id)}
              onChange={(on) => setGroups(new Set(on ? [...groups, id] : [...groups].filter((one) => one !== id)))}
            >
              {label}
            </Toggle>
          ))}
          <label className={css.file}>
            Compare with a baseline
            <input
              type="file"
              accept="application/json,.json"
              onChange={(event) => {
                const file = event.target.files?.[0];
                if (file === undefined) setBaseline(undefined);
                else void file.text().then((text) => setBaseline({ name: file.name, text }));
              }}
            />
          </label>
          <Button
            look="primary"
            isDisabled={server === undefined || checking.running || groups.size === 0}
            onPress={() => checking.run()}
          >
            {checking.running ? 'Checking…' : 'Check'}
          </Button>
        </div>
      )}
      {checking.problem !== undefined && <Problem problem={checking.problem} />}
      {rows !== undefined && (
        <section aria-label="Rows of the check">
          <ul className={css.rows}>
            {rows.map((row) => (
              <Row key={`${row.group} ${row.id}`} row={row} />
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="seen">
        <h2 id="seen" className={css.seen}>
          Seen so far on the wire
        </h2>
        {seen.length === 0 ? <p className={css.dim}>Nobody broke a rule.</p> : <Findings findings={seen} />}
      </section>
    </div>
  );
}
