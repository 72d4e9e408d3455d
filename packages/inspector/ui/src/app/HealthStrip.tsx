import type { ReactNode } from 'react';
import type { ServerView } from '../../../src/api/views.ts';
import type { Finding, Severity } from '../../../src/rules/finding.ts';
import { Badge, toneOf } from '../parts/Badge.tsx';
import { count, plural, tokens } from '../parts/numbers.ts';
import { hrefOf } from '../route/use-route.ts';
import { useFindings } from '../store/model.ts';
import css from './health.module.css';

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info'];
const WORDS: Readonly<Record<Severity, readonly [string, string]>> = {
  error: ['error', 'errors'],
  warning: ['warning', 'warnings'],
  info: ['remark', 'remarks'],
};

function ofServer(findings: readonly Finding[], server: ServerView): readonly Finding[] {
  return findings.filter(({ session }) => session === undefined || session === server.session);
}

/** A summary of the server: its offers, their token cost, and its findings. */
export function HealthStrip({ server }: { readonly server: ServerView }): ReactNode {
  const findings = ofServer(useFindings(), server);
  const tools = server.lists.find(({ kind }) => kind === 'tools');
  if (tools === undefined && findings.length === 0 && server.status !== 'ready') return null;
  return (
    <a className={css.strip} href={hrefOf({ screen: 'connect', server: server.id })}>
      {tools !== undefined && (
        <span className={css.figures}>
          {count(tools.count)} {tools.count === 1 ? 'tool' : 'tools'}
          <span className={css.dim}> · {tokens(tools.tokens)}</span>
        </span>
      )}
      <span className={css.badges}>
        {SEVERITIES.map((severity) => {
          const some = findings.filter((finding) => finding.severity === severity).length;
          return some === 0 ? null : (
            <Badge key={severity} tone={toneOf(severity)}>
              {plural(some, ...WORDS[severity])}
            </Badge>
          );
        })}
        {server.status === 'ready' && findings.length === 0 && <Badge tone="ok">no findings</Badge>}
      </span>
    </a>
  );
}
