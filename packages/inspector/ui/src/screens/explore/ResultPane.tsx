import { type ReactNode, useMemo } from 'react';
import type { RequestAnswer, ServerView } from '../../../../src/api/views.ts';
import type { Finding } from '../../../../src/rules/finding.ts';
import { Badge, type Tone, toneOf } from '../../parts/Badge.tsx';
import { Evidence } from '../../parts/Evidence.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { JsonView } from '../../parts/JsonView.tsx';
import { bytes, duration, plural, tokens } from '../../parts/numbers.ts';
import { Findings, Problem } from '../../parts/Problem.tsx';
import { type SideTab, SideTabs } from '../../parts/SideTabs.tsx';
import { hrefOf, setQuery, useRoute } from '../../route/use-route.ts';
import type { Offer } from '../../store/lists.ts';
import { useFindings } from '../../store/model.ts';
import { CallActs } from './CallActs.tsx';
import type { PastCall } from './calls.ts';
import { ContentView } from './ContentView.tsx';
import { DiffView } from './DiffView.tsx';
import { History } from './History.tsx';
import { Running } from './Running.tsx';
import { viewsOf } from './result-views.ts';
import { createdTask } from './task-facts.ts';
import type { Sending } from './use-send.ts';
import css from './result.module.css';

const TONES: Readonly<Record<RequestAnswer['outcome'], Tone>> = {
  ok: 'ok',
  error: 'bad',
  'tool-error': 'bad',
  timeout: 'warn',
  cancelled: 'plain',
  lost: 'bad',
};
const WORDS: Readonly<Record<RequestAnswer['outcome'], string>> = {
  ok: 'ok',
  error: 'error',
  'tool-error': 'tool error',
  timeout: 'timed out',
  cancelled: 'cancelled',
  lost: 'no answer',
};

export interface ResultPaneProps {
  readonly offer: Offer;
  readonly server: ServerView;
  readonly sending: Sending;
  /** Newest first. */
  readonly calls: readonly PastCall[];
  /** What is shown; undefined: nothing was called yet. */
  readonly shown: RequestAnswer | undefined;
  /** What the shown call was made with, where it is not the newest of this page. */
  readonly params: string | undefined;
  readonly onLook: (request: number) => void;
  readonly onReuse: (params: string) => void;
}

const Figures = ({ answer }: { readonly answer: RequestAnswer }): ReactNode => (
  <div className={css.figures} role="status">
    <Badge tone={TONES[answer.outcome]}>{WORDS[answer.outcome]}</Badge>
    <span>{duration(answer.ms)}</span>
    <span>{bytes(answer.bytes)}</span>
    <span>{tokens(answer.tokens)}</span>
    <Evidence lines={[answer.request, answer.response].filter((n) => n !== undefined)} />
  </div>
);

const worstOf = (findings: readonly Finding[]): Tone =>
  toneOf((['error', 'warning'] as const).find((one) => findings.some(({ severity }) => severity === one)) ?? 'info');

/** What the diagnosis says about this call: told with the answer, and what it found out later. */
const useCallFindings = (answer: RequestAnswer | undefined): readonly Finding[] => {
  const all = useFindings();
  return useMemo(() => {
    if (answer === undefined) return [];
    const lines = new Set([answer.request, answer.response].filter((n) => n !== undefined));
    const later = all.filter(({ evidence }) => evidence.some((n) => lines.has(n)));
    const known = new Set(later.map(keyOf));
    return [...answer.findings.filter((finding) => !known.has(keyOf(finding))), ...later];
  }, [answer, all]);
};

const keyOf = ({ rule, subject, evidence }: Finding): string => `${rule}\n${subject ?? ''}\n${evidence.join()}`;

const tabsOf = ({ calls, shown, params, onLook, onReuse, server }: ResultPaneProps): readonly SideTab[] => {
  const tabs: SideTab[] = [];
  const raw = shown?.result ?? shown?.error;
  if (shown !== undefined && raw !== undefined) {
    const views = viewsOf(shown.result);
    if (views.content !== undefined)
      tabs.push({ id: 'content', title: 'Content', body: <ContentView content={views.content} server={server.id} /> });
    if (views.structured !== undefined)
      tabs.push({
        id: 'structured',
        title: 'Structured',
        body: <JsonView text={views.structured} label="Structured content" />,
      });
    tabs.push({ id: 'raw', title: 'Raw', body: <JsonView text={raw} label="The answer, as it came" /> });
    const at = calls.findIndex(({ request }) => request === shown.request);
    const before = calls
      .slice(at + 1)
      .find(({ response, method }) => response !== undefined && method === calls[at]?.method);
    if (at >= 0 && before !== undefined)
      tabs.push({
        id: 'diff',
        title: <DiffView.Title now={raw} before={before} />,
        body: <DiffView now={raw} before={before} />,
      });
  }
  if (params !== undefined)
    tabs.push({ id: 'sent', title: 'Sent', body: <JsonView text={params} label="What was sent" /> });
  tabs.push({
    id: 'history',
    title: calls.length === 0 ? 'History' : `History ${calls.length}`,
    body: <History calls={calls} shown={shown?.request} onLook={onLook} onReuse={onReuse} />,
  });
  return tabs;
};

/** What came back, beside what was sent. */
export const ResultPane = (props: ResultPaneProps): ReactNode => {
  const { offer, sending, shown, server } = props;
  const chosen = useRoute().query.get('view') ?? '';
  const findings = useCallFindings(shown);
  const tabs = tabsOf(props);
  const task = offer.kind === 'tools' ? createdTask(shown?.result) : undefined;
  return (
    <section className={css.pane} aria-label="What came back" aria-busy={sending.key !== undefined}>
      {sending.key !== undefined && <Running server={server.id} name={sending.key} />}
      {sending.problem !== undefined && <Problem problem={sending.problem} />}
      {sending.key === undefined && shown !== undefined && (
        <>
          <div className={css.head}>
            <Figures answer={shown} />
            {findings.length > 0 && <Badge tone={worstOf(findings)}>{plural(findings.length, 'finding')}</Badge>}
          </div>
          <CallActs request={shown.request} server={server} />
          {task !== undefined && (
            <p className={css.note}>
              It is done as a task:{' '}
              <a href={hrefOf({ screen: 'explore', server: server.id, rest: ['tasks', task] })}>
                <Inert text={task} mono most={120} />
              </a>
            </p>
          )}
          {shown.problem !== undefined && shown.outcome !== 'cancelled' && <Problem problem={shown.problem} />}
          {findings.length > 0 && (
            <div className={css.findings}>
              <Findings findings={findings} />
            </div>
          )}
        </>
      )}
      {sending.key === undefined && (
        <SideTabs
          label="Views of the answer"
          tabs={tabs}
          chosen={chosen}
          onChoose={(id) => setQuery({ view: id }, true)}
        />
      )}
    </section>
  );
};
