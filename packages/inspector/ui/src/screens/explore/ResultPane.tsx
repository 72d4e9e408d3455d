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
import { useFindings, useInbox } from '../../store/model.ts';
import { CallActs } from './CallActs.tsx';
import { type CallState, isFinal, stateOf, TONES, WORDS } from './call-state.ts';
import type { PastCall } from './calls.ts';
import { ContentView } from './ContentView.tsx';
import { DiffView } from './DiffView.tsx';
import { History } from './History.tsx';
import { Meanwhile } from './Meanwhile.tsx';
import { Running } from './Running.tsx';
import { viewsOf } from './result-views.ts';
import { createdTask } from './task-facts.ts';
import type { Sending } from './use-send.ts';
import css from './result.module.css';

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

/** All lines of a call, however many requests it took. */
function linesOf({ lines, request, response }: RequestAnswer): readonly number[] {
  return lines ?? [request, response].filter((n) => n !== undefined);
}

function Figures({
  answer,
  state,
  took,
}: {
  readonly answer: RequestAnswer;
  readonly state: CallState;
  readonly took: number | undefined;
}): ReactNode {
  return (
    <div className={css.figures} role="status">
      <Badge tone={TONES[state]}>{WORDS[state]}</Badge>
      {took !== undefined && <span>{duration(took)}</span>}
      {answer.response !== undefined && (
        <>
          <span>{bytes(answer.bytes)}</span>
          <span>{tokens(answer.tokens)}</span>
        </>
      )}
      <Evidence lines={linesOf(answer)} />
    </div>
  );
}

function worstOf(findings: readonly Finding[]): Tone {
  return toneOf(
    (['error', 'warning'] as const).find((one) => findings.some(({ severity }) => severity === one)) ?? 'info',
  );
}

/** What the diagnosis says about this call: told with the answer, and what it found out later. */
function useCallFindings(answer: RequestAnswer | undefined): readonly Finding[] {
  const all = useFindings();
  return useMemo(() => {
    if (answer === undefined) return [];
    const lines = new Set(linesOf(answer));
    const later = all.filter(({ evidence }) => evidence.some((n) => lines.has(n)));
    const known = new Set(later.map(keyOf));
    return [...answer.findings.filter((finding) => !known.has(keyOf(finding))), ...later];
  }, [answer, all]);
}

function keyOf({ rule, subject, evidence }: Finding): string {
  return `${rule}\n${subject ?? ''}\n${evidence.join()}`;
}

/** How the calls of the trace stand, and the one that is shown: what this page has sent itself it knows best. */
function useStates({ server, sending, calls, shown }: ResultPaneProps) {
  const inbox = useInbox();
  const of = (call: PastCall): CallState => stateOf(call, server, inbox);
  const call = calls.find(({ request }) => request === shown?.request);
  const isOwn = shown !== undefined && shown === sending.answer;
  const state = isOwn || call === undefined ? shown?.outcome : of(call);
  const goesOn = state === 'running' || state === 'asking';
  const took = isOwn ? shown.ms : call?.ms;
  // What this page has just sent may not be among the calls that were read.
  const session = call?.session ?? (isOwn ? server.session : undefined);
  return { of, state, took: goesOn ? undefined : took, session };
}

/** States that need an explanation. */
const FAILED: ReadonlySet<CallState> = new Set(['error', 'tool-error', 'timeout', 'lost']);

function tabsOf(
  { calls, shown, params, onLook, onReuse, server }: ResultPaneProps,
  of: (call: PastCall) => CallState,
  state: CallState | undefined,
): readonly SideTab[] {
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
    const before = calls.slice(at + 1).find(({ outcome, method }) => isFinal(outcome) && method === calls[at]?.method);
    if (at >= 0 && before !== undefined && isFinal(state ?? ''))
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
    body: <History calls={calls} stateOf={of} shown={shown?.request} onLook={onLook} onReuse={onReuse} />,
  });
  return tabs;
}

function Asked(): ReactNode {
  return (
    <p className={css.note}>
      The server asks something: <a href={hrefOf({ screen: 'inbox' })}>answer it in the Inbox</a>
    </p>
  );
}

/** A request of this page that runs; a question that waits may be what holds it up. */
function Waiting({ server, name }: { readonly server: ServerView; readonly name: string }): ReactNode {
  const isAsked = useInbox().some(({ status, session }) => status === 'open' && session === server.session);
  return (
    <>
      <Running server={server.id} name={name} />
      {isAsked && <Asked />}
    </>
  );
}

/** What came back, beside what was sent. */
export function ResultPane(props: ResultPaneProps): ReactNode {
  const { offer, sending, shown, server } = props;
  const chosen = useRoute().query.get('view') ?? '';
  const findings = useCallFindings(shown);
  const { of, state, took, session } = useStates(props);
  const tabs = tabsOf(props, of, state);
  const task = offer.kind === 'tools' ? createdTask(shown?.result) : undefined;
  return (
    <section className={css.pane} aria-label="What came back" aria-busy={sending.key !== undefined}>
      {sending.key !== undefined && <Waiting server={server} name={sending.key} />}
      {sending.problem !== undefined && <Problem problem={sending.problem} />}
      {sending.key === undefined && shown !== undefined && state !== undefined && (
        <>
          <div className={css.head}>
            <Figures answer={shown} state={state} took={took} />
            {findings.length > 0 && <Badge tone={worstOf(findings)}>{plural(findings.length, 'finding')}</Badge>}
          </div>
          <CallActs request={shown.request} server={server} />
          {state === 'asking' && <Asked />}
          {task !== undefined && (
            <p className={css.note}>
              It is done as a task:{' '}
              <a href={hrefOf({ screen: 'explore', server: server.id, rest: ['tasks', task] })}>
                <Inert text={task} mono most={120} />
              </a>
            </p>
          )}
          {shown.problem !== undefined && shown.outcome !== 'cancelled' && <Problem problem={shown.problem} />}
          {shown.request !== undefined && FAILED.has(state) && session !== undefined && (
            <Meanwhile session={session} request={shown.request} response={shown.response} />
          )}
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
}
