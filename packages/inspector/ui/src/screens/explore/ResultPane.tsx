import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { appOf } from 'tenon/apps';
import type { ListKind, RequestAnswer, ServerView } from '../../../../src/api/views.ts';
import type { Finding } from '../../../../src/rules/finding.ts';
import { Badge, type Tone, toneOf } from '../../parts/Badge.tsx';
import { Evidence } from '../../parts/Evidence.tsx';
import { Empty } from '../../parts/Empty.tsx';
import { JsonView } from '../../parts/JsonView.tsx';
import { bytes, duration, plural, tokens } from '../../parts/numbers.ts';
import { Findings, Problem } from '../../parts/Problem.tsx';
import { failureOf } from '../../parts/said.ts';
import { type SideTab, SideTabs } from '../../parts/SideTabs.tsx';
import { hrefOf, setQuery, useRoute } from '../../route/use-route.ts';
import type { Offer } from '../../store/lists.ts';
import { useFindings, useInbox, useReadOnly } from '../../store/model.ts';
import { parsed } from './apps/tool-entry.ts';
import { CallActs } from './CallActs.tsx';
import { type CallState, isFinal, stateOf, TONES, WORDS } from './call-state.ts';
import { Asked } from './Asked.tsx';
import type { CallsOf, PastCall } from './calls.ts';
import { ContentView } from './ContentView.tsx';
import { DiffView } from './DiffView.tsx';
import { History } from './History.tsx';
import { Meanwhile, MeanwhileView, useWritten } from './Meanwhile.tsx';
import { questionsOf } from './questions.ts';
import { Running } from './Running.tsx';
import { viewsOf } from './result-views.ts';
import { createdTask } from './task-facts.ts';
import { TaskNote } from './TaskNote.tsx';
import { useCreatedTask } from './use-created-task.ts';
import { usePastCalls } from './use-calls.ts';
import type { Sending } from './use-send.ts';
import type { Written } from './written.ts';
import css from './result.module.css';

export interface ResultPaneProps {
  readonly offer: Offer;
  readonly server: ServerView;
  readonly sending: Sending;
  /** Identifies the calls of the item. */
  readonly callsOf: CallsOf;
  /** Newest first. */
  readonly calls: readonly PastCall[];
  /** Whether they have been loaded from the trace. */
  readonly isRead: boolean;
  /** The answer shown. Undefined: there was no call yet. */
  readonly shown: RequestAnswer | undefined;
  /** The parameters of the call shown, if it is not the newest of this page. */
  readonly params: string | undefined;
  readonly onLook: (request: number) => void;
  readonly onReuse: (params: string) => void;
  /** Sends the draft. Undefined: it cannot be sent. */
  readonly onSend: (() => void) | undefined;
}

/** Loaded when the first app is shown. */
const AppView = lazy(async () => ({ default: (await import('./apps/AppView.tsx')).AppView }));

/** A tab with the app of a tool, which shows the result of a call. */
function appTab({ offer, server, shown }: ResultPaneProps): SideTab | undefined {
  if (offer.kind !== 'tools' || shown?.result === undefined) return undefined;
  const { resourceUri } = appOf(parsed(offer.text));
  if (resourceUri === undefined) return undefined;
  const { request, result } = shown;
  return {
    id: 'app',
    title: 'App',
    body: (
      <Suspense fallback={<p aria-busy="true">Loading …</p>}>
        <AppView key={request} offer={offer} server={server} uri={resourceUri} request={request} result={result} />
      </Suspense>
    ),
  };
}

/** All lines of a call, including those of its retries. */
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

/** The findings about this call: those of its answer, and later ones. */
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

/** The states of the calls, and of the call shown. This page knows more than the trace about calls it has sent. */
function useStates({ server, sending, calls, shown, offer }: ResultPaneProps) {
  const inbox = useInbox();
  const of = (call: PastCall): CallState => stateOf(call, server, inbox);
  const call = calls.find(({ request }) => request === shown?.request);
  const isOwn = shown !== undefined && shown === sending.answer;
  const seen = isOwn || call === undefined ? shown?.outcome : of(call);
  const state: CallState | undefined =
    seen === 'ok' && offer.kind === 'tools' && createdTask(shown?.result) !== undefined ? 'task' : seen;
  const goesOn = state === 'running' || state === 'asking';
  const took = isOwn ? shown.ms : call?.ms;
  // A call that this page has just sent may not have been loaded from the trace yet.
  const session = call?.session ?? (isOwn ? server.session : undefined);
  return { of, state, took: goesOn ? undefined : took, session };
}

/** States that need an explanation. */
const FAILED: ReadonlySet<CallState> = new Set(['error', 'tool-error', 'timeout', 'lost']);
function isFailed(state: CallState | undefined): boolean {
  return state !== undefined && FAILED.has(state);
}

function tabsOf(
  props: ResultPaneProps,
  of: (call: PastCall) => CallState,
  state: CallState | undefined,
  written: readonly Written[],
): readonly SideTab[] {
  const { calls, shown, params, onLook, onReuse, server } = props;
  const tabs: SideTab[] = [];
  const app = appTab(props);
  if (app !== undefined) tabs.push(app);
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
    tabs.push({ id: 'raw', title: 'Raw', body: <JsonView text={raw} label="Raw answer" /> });
    const at = calls.findIndex(({ request }) => request === shown.request);
    const before = calls.slice(at + 1).find(({ outcome, method }) => isFinal(outcome) && method === calls[at]?.method);
    if (at >= 0 && before !== undefined && isFinal(state ?? ''))
      tabs.push({
        id: 'diff',
        title: <DiffView.Title now={raw} before={before} />,
        body: <DiffView now={raw} before={before} />,
      });
  }
  if (shown?.request !== undefined && !isFailed(state))
    tabs.push({
      id: 'meanwhile',
      title: written.length === 0 ? 'Meanwhile' : `Meanwhile ${written.length}`,
      body: <MeanwhileView written={written} server={server} />,
    });
  if (params !== undefined)
    tabs.push({ id: 'sent', title: 'Sent', body: <JsonView text={params} label="Request sent" /> });
  tabs.push({
    id: 'history',
    title: calls.length === 0 ? 'History' : `History ${calls.length}`,
    body: <History calls={calls} stateOf={of} shown={shown?.request} onLook={onLook} onReuse={onReuse} />,
  });
  return tabs;
}

/** A running request of this page: its duration, its events, and the question that blocks it. */
function Waiting({
  server,
  name,
  callsOf,
}: {
  readonly server: ServerView;
  readonly name: string;
  readonly callsOf: CallsOf;
}): ReactNode {
  const [newest] = usePastCalls(callsOf, false) ?? [];
  const isOpen = newest !== undefined && newest.session === server.session && isUnderWay(newest);
  const call = isOpen ? newest : undefined;
  const written = useWritten(
    call === undefined
      ? undefined
      : { session: call.session, request: call.request, response: undefined, lines: call.lines },
  );
  return (
    <>
      <Running server={server.id} name={name} />
      <Asked server={server} questions={questionsOf(call, server, useInbox())} />
      <Meanwhile written={written} />
    </>
  );
}

function isUnderWay({ outcome }: PastCall): boolean {
  return outcome === 'pending' || outcome === 'input';
}

/** The action for an item without calls, by kind. */
const ACTS: Readonly<Record<ListKind, string>> = {
  tools: 'Call it with these arguments',
  resources: 'Read it',
  templates: 'Read it',
  prompts: 'Get it with these arguments',
  tasks: 'Get its status',
};

/** The outcome of a call: its figures, its actions, its running task, and its problems. */
function Outcome({
  offer,
  server,
  calls,
  answer,
  state,
  took,
  written,
}: ResultPaneProps & {
  readonly answer: RequestAnswer;
  readonly state: CallState;
  readonly took: number | undefined;
  readonly written: readonly Written[];
}): ReactNode {
  const all = useCallFindings(answer);
  const inbox = useInbox();
  const call = calls.find(({ request }) => request === answer.request);
  const task = useCreatedTask(offer, call, answer);
  const problem = answer.outcome === 'cancelled' ? undefined : answer.problem;
  const failure = problem === undefined ? undefined : failureOf(problem, all);
  const findings = failure?.findings ?? all;
  return (
    <>
      <div className={css.head}>
        <Figures answer={answer} state={state} took={took} />
        {findings.length > 0 && <Badge tone={worstOf(findings)}>{plural(findings.length, 'finding')}</Badge>}
      </div>
      <CallActs request={answer.request} server={server} />
      {task !== undefined && <TaskNote id={task} server={server} isOver={state !== 'task'} />}
      {(state === 'asking' || state === 'task') && (
        <Asked server={server} questions={questionsOf(call, server, inbox, task)} />
      )}
      {failure !== undefined && <Problem problem={failure.problem} same={failure.same} />}
      {isFailed(state) && <Meanwhile written={written} />}
      {findings.length > 0 && (
        <div className={css.findings}>
          <Findings findings={findings} />
        </div>
      )}
    </>
  );
}

/** Shown if nothing was sent yet. */
function Unsent({ offer, server, onSend }: Pick<ResultPaneProps, 'offer' | 'server' | 'onSend'>): ReactNode {
  const readOnly = useReadOnly();
  const connect = { title: 'See the connection', href: hrefOf({ screen: 'connect', server: server.id }) };
  const send = onSend === undefined ? undefined : { title: ACTS[offer.kind], run: onSend };
  return (
    <Empty
      title="Nothing has been sent yet"
      act={readOnly ? undefined : server.status === 'ready' ? send : connect}
      isSecond
    >
      The answer appears here, with the output of the server during the call.
    </Empty>
  );
}

/** The result pane, beside the request pane. */
export function ResultPane(props: ResultPaneProps): ReactNode {
  const { sending, shown, server } = props;
  const chosen = useRoute().query.get('view') ?? '';
  const { of, state, took, session } = useStates(props);
  const written = useWritten(
    shown?.request === undefined || session === undefined
      ? undefined
      : {
          session,
          request: shown.request,
          // A task continues after the answer that creates it.
          response: state === 'task' ? undefined : shown.response,
          lines: linesOf(shown),
        },
  );
  const isRunning = sending.key !== undefined;
  const isEmpty = !isRunning && shown === undefined && props.isRead && props.calls.length === 0;
  return (
    <section className={css.pane} aria-label="Result" aria-busy={isRunning}>
      {sending.key !== undefined && <Waiting server={server} name={sending.key} callsOf={props.callsOf} />}
      {sending.problem !== undefined && <Problem problem={sending.problem} />}
      {!isRunning && shown !== undefined && state !== undefined && (
        <Outcome {...props} answer={shown} state={state} took={took} written={written} />
      )}
      {isEmpty && <Unsent offer={props.offer} server={server} onSend={props.onSend} />}
      {!isRunning && !isEmpty && (
        <SideTabs
          label="Views of the answer"
          tabs={tabsOf(props, of, state, written)}
          chosen={chosen}
          onChoose={(id) => setQuery({ view: id }, true)}
        />
      )}
    </section>
  );
}
