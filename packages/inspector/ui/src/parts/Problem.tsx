import { type ReactNode, useMemo, useState } from 'react';
import type { ProblemView } from '../../../src/api/views.ts';
import type { Blame, Finding, Severity } from '../../../src/rules/finding.ts';
import { Badge, toneOf } from './Badge.tsx';
import { Button } from './Button.tsx';
import { Evidence } from './Evidence.tsx';
import { blameTone, type FindingGroup, groupFindings } from './finding-groups.ts';
import { Inert, OutLink } from './Inert.tsx';
import css from './problem.module.css';

const SIDE: Readonly<Record<Blame, string>> = {
  server: 'the server’s side',
  client: 'the client’s side',
  transport: 'between them',
  unknown: 'an unknown side',
};

/** The side that a problem is about, in red only if it broke a rule. */
function BlameBadge({ blame, severity }: { readonly blame: Blame; readonly severity: Severity }): ReactNode {
  return (
    <Badge tone={blameTone(blame, severity)} title={`Found on ${SIDE[blame]}`}>
      {blame === 'unknown' ? 'side unknown' : blame}
    </Badge>
  );
}

const WRITTEN = 'Specification';

/** The part of a URL that distinguishes pages on the same site. */
function pageOf(address: string): string {
  const { pathname, hash } = new URL(address);
  return hash.length > 1 ? hash.slice(1) : (pathname.split('/').at(-1) ?? pathname);
}

/** A problem: what failed, who is to blame, what to do, and its evidence. */
export function Problem({
  problem,
  same = [],
}: {
  readonly problem: ProblemView;
  /** Findings about the same problem, whose rules are named with it. */
  readonly same?: readonly Finding[];
}): ReactNode {
  const clauses = [...new Set(same.flatMap(({ clause }) => clause ?? []))];
  return (
    <div className={css.problem} role="group" aria-label="Problem">
      <p className={css.head}>
        <BlameBadge blame={problem.blame} severity="error" />
        {[...new Set(same.map(({ rule }) => rule))].map((rule) => (
          <code key={rule} className={css.rule}>
            {rule}
          </code>
        ))}
        <Evidence lines={problem.evidence} />
      </p>
      <p>
        <Inert text={problem.message} block />
      </p>
      {problem.fix !== undefined && (
        <p className={css.fix}>
          <Inert text={problem.fix} block />
        </p>
      )}
      {clauses.map((clause) => (
        <p key={clause}>
          <OutLink href={clause} name={clauses.length === 1 ? WRITTEN : `${WRITTEN}: ${pageOf(clause)}`} />
        </p>
      ))}
    </div>
  );
}

/** The most findings shown at first. */
const SHOWN = 12;

function Row({ group: { finding, count, evidence } }: { readonly group: FindingGroup }): ReactNode {
  return (
    <li className={css.finding}>
      <span className={css.head}>
        <Badge tone={toneOf(finding.severity)}>{finding.severity}</Badge>
        <BlameBadge blame={finding.blame} severity={finding.severity} />
        <code className={css.rule}>{finding.rule}</code>
        {finding.subject !== undefined && <Inert text={finding.subject} mono most={200} />}
        {count > 1 && <span className={css.times}>{count} times</span>}
        <Evidence lines={evidence} />
      </span>
      <Inert text={finding.message} block most={1_000} />
      {finding.fix !== undefined && (
        <span className={css.fix}>
          <Inert text={finding.fix} block most={1_000} />
        </span>
      )}
      {finding.clause !== undefined && <OutLink href={finding.clause} name={WRITTEN} />}
    </li>
  );
}

/** The findings of the diagnosis, most severe first. Equal ones are shown once. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }): ReactNode {
  const [all, setAll] = useState(false);
  const groups = useMemo(() => groupFindings(findings), [findings]);
  if (groups.length === 0) return null;
  return (
    <>
      <ul className={css.findings} aria-label="Findings">
        {(all ? groups : groups.slice(0, SHOWN)).map((group) => (
          <Row key={group.key} group={group} />
        ))}
      </ul>
      {!all && groups.length > SHOWN && (
        <Button look="quiet" small onPress={() => setAll(true)}>
          Show {groups.length - SHOWN} more
        </Button>
      )}
    </>
  );
}
