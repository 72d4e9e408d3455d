import { fixForVariable } from '@tenon/values/missing-variable';
import { counted } from '@tenon/values/counted';
import type { DoctorStep, ProblemView } from '../api/views.ts';
import type { Facts } from '../trace/facts.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';
import { doctorFacts, isAnsweredOpening, stderrLines } from './doctor-facts.ts';
import { noiseOf } from '../rules/pipe/noise.ts';
import { endingOf, wasEnded } from '../rules/pipe/process.ts';
import { tellingLine } from '../rules/pipe/stderr-lines.ts';
import { memberText } from '../values/json-text.ts';

/** The steps of the doctor, each with its evidence. Computed from the trace on every read. */
export interface DoctorInput {
  readonly store: Pick<TraceStore, 'index' | 'read'>;
  readonly session: string;
  /** The session in which the other era was tried. Undefined: not yet, or not at all. */
  readonly other?: string;
  readonly transport: 'stdio' | 'http';
  /** The only revision that is used. */
  readonly pinned?: string;
  readonly status: 'connecting' | 'login' | 'ready' | 'failed' | 'closed' | 'idle';
  /** Why the connection failed. */
  readonly problem?: Pick<ProblemView, 'message' | 'kind' | 'blame' | 'fix'>;
  readonly lists: readonly {
    readonly kind: string;
    readonly count: number;
    readonly ms: number;
    readonly problem?: ProblemView;
    readonly evidence: readonly number[];
  }[];
  readonly listsDone: boolean;
}

type Step = Omit<DoctorStep, 'evidence'> & { readonly evidence?: readonly number[] };

const MAX_EVIDENCE = 5;

export function doctorSteps(input: DoctorInput): DoctorStep[] {
  const { facts, junk } = doctorFacts(input.store.index, input.session);
  const both = [...facts, ...doctorFacts(input.store.index, input.other).facts];
  const steps: (Step | undefined)[] = [
    input.transport === 'stdio' ? spawnStep(input, facts, junk) : reachStep(facts),
    stdoutStep(input, facts, junk),
    eraStep(input, 'modern', both),
    eraStep(input, 'legacy', both),
    loginStep(input, facts),
    listsStep(input),
    input.transport === 'stdio' ? lastingStep(input, facts) : undefined,
  ];
  return steps
    .filter((step) => step !== undefined)
    .map((step) => (step.status === 'running' && input.status === 'failed' ? { ...step, ...NOT_TESTED } : step))
    .map(({ evidence = [], ...step }) => ({ ...step, evidence: evidence.slice(0, MAX_EVIDENCE) }));
}

/** A step that is still running when the connection has failed will not finish. */
const NOT_TESTED = { status: 'skip', detail: 'not tested' } as const;

function textOf(input: DoctorInput, n: number | undefined): string {
  return n === undefined ? '' : (input.store.read(n, n)[0]?.text ?? '');
}

function oneLine(text: string, most = 160): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length > most ? `${flat.slice(0, most)}…` : flat;
}

function hasServerMessage(facts: readonly Facts[]): boolean {
  return facts.some(({ kind, from }) => kind === 'message' && from === 'server');
}

/** A process that exits after the client closed the connection has not failed. */
function wasAskedToExit(input: DoctorInput, facts: readonly Facts[], exit: Facts): boolean {
  return facts.some(
    ({ kind, from, n }) =>
      kind === 'note' && from === 'client' && n < exit.n && /^the client closed\b/i.test(textOf(input, n)),
  );
}

/** The exit of a process that was expected to keep running. */
function unexpectedExit(input: DoctorInput, facts: readonly Facts[]): Facts | undefined {
  const exit = facts.findLast(({ kind }) => kind === 'exit');
  if (exit === undefined || input.status === 'closed' || wasAskedToExit(input, facts, exit)) return undefined;
  // A process that exchanged messages and then exited with code 0 was asked to exit.
  return hasServerMessage(facts) && /\bcode 0\b/.test(textOf(input, exit.n)) ? undefined : exit;
}

/** The most telling line of stderr, as a suffix for other text, and its number. */
function stderrSummary({ store, session }: DoctorInput): { readonly words: string; readonly lines: number[] } {
  const line = tellingLine(stderrLines(store, session));
  return line === undefined
    ? { words: '', lines: [] }
    : { words: `; on stderr: ${oneLine(line.text)}`, lines: [line.n] };
}

/** How a process ended, and its last message on stderr. */
function exitSummary(
  input: DoctorInput,
  exit: Facts,
): { readonly detail: string; readonly evidence: readonly number[] } {
  const { words, lines } = stderrSummary(input);
  return { detail: `${textOf(input, exit.n)}${words}`, evidence: [exit.n, ...lines] };
}

function spawnStep(input: DoctorInput, facts: readonly Facts[], junk: number): Step {
  const title = 'The process starts';
  const open = facts.find(({ kind }) => kind === 'open');
  const exit = facts.findLast(({ kind }) => kind === 'exit');
  if (open === undefined)
    return input.status === 'failed'
      ? { id: 'spawn', title, status: 'fail', detail: input.problem?.message }
      : { id: 'spawn', title, status: 'running' };
  const hasSentMessage = hasServerMessage(facts);
  const ended = unexpectedExit(input, facts);
  if (ended !== undefined && !hasSentMessage) {
    const stderr = stderrLines(input.store, input.session).map(({ text }) => text);
    const fix = fixForVariable(stderr.join('\n')) ?? 'Start the same command in a shell: its output says why it ends.';
    const { detail, evidence } = exitSummary(input, ended);
    return { id: 'spawn', title, status: 'fail', detail, evidence: [open.n, ...evidence], fix };
  }
  const evidence = [open, hasSentMessage ? undefined : exit].flatMap((one) => (one === undefined ? [] : [one.n]));
  if (input.status === 'failed' && facts.every(({ from }) => from !== 'server'))
    return { id: 'spawn', title, status: 'fail', detail: 'it was not started, or never sent anything', evidence };
  const isSilent = exit !== undefined && !hasSentMessage && wasAskedToExit(input, facts, exit);
  if (!isSilent) return { id: 'spawn', title, status: 'pass', evidence };
  const { words, lines } = stderrSummary(input);
  return {
    id: 'spawn',
    title,
    status: 'pass',
    detail: junk > 0 ? `and answers with text that is not a message${words}` : `and answers nothing${words}`,
    evidence: [...evidence, ...lines],
  };
}

/** A later exit does not undo the steps that passed before. */
function lastingStep(input: DoctorInput, facts: readonly Facts[]): Step | undefined {
  const ended = unexpectedExit(input, facts);
  if (ended === undefined || !hasServerMessage(facts)) return undefined;
  const blamed = !wasEnded(endingOf(textOf(input, ended.n)));
  return {
    id: 'lasting',
    title: 'The process keeps running',
    status: blamed ? 'fail' : 'warn',
    ...exitSummary(input, ended),
  };
}

function reachStep(facts: readonly Facts[]): Step {
  const title = 'The address answers';
  const answers = facts.filter(({ kind, status }) => kind === 'http' && status !== undefined);
  // Servers of other revisions, and of other transports, reject the first requests.
  const first = answers.find(({ status }) => status! < 400) ?? answers[0];
  const message = facts.find(({ kind, from }) => kind === 'message' && from === 'server');
  const asked = facts.find(({ kind }) => kind === 'http');
  if (first !== undefined || message !== undefined)
    return {
      id: 'reach',
      title,
      status: 'pass',
      detail: first?.status === undefined ? undefined : `HTTP ${first.status}`,
      evidence: [(first ?? message)!.n],
    };
  const end = facts.findLast(({ kind }) => kind === 'http' || kind === 'lost');
  if (asked !== undefined && end !== asked && end !== undefined)
    return { id: 'reach', title, status: 'fail', evidence: [asked.n, end.n] };
  return { id: 'reach', title, status: 'running', evidence: asked === undefined ? [] : [asked.n] };
}

/** `2 lines on stdout are not JSON-RPC; the first is ` */
function notRpc(count: number, transport: DoctorInput['transport']): string {
  const what = transport === 'stdio' ? `${counted(count, 'line')} on stdout` : counted(count, 'text');
  return `${what} ${count === 1 ? 'is not JSON-RPC: ' : 'are not JSON-RPC; the first is '}`;
}

function stdoutStep(input: DoctorInput, facts: readonly Facts[], count: number): Step {
  const title = input.transport === 'stdio' ? 'stdout is for messages only' : 'Answers are messages only';
  const junk = facts.filter(({ kind }) => kind === 'junk' || kind === 'lost');
  const [first] = junk;
  if (first === undefined)
    return {
      id: 'stdout',
      title,
      status: facts.some(({ kind, from }) => kind === 'message' && from === 'server') ? 'pass' : 'running',
    };
  const text = textOf(input, first.n);
  return {
    id: 'stdout',
    title,
    status: 'fail',
    detail: `${notRpc(count, input.transport)}${oneLine(text)}`,
    evidence: junk.map(({ n }) => n),
    fix: input.transport === 'stdio' ? noiseOf(text).fix : undefined,
  };
}

const OPENING = { modern: 'server/discover', legacy: 'initialize' } as const;
const TITLES = { modern: 'It supports 2026-07-28', legacy: 'It supports a revision with initialize' } as const;

/** The error of an answer, in words; otherwise the answer itself. */
function errorOf(text: string): string {
  const error = JSON.parse(memberText(text, 'error') ?? 'null') as { message?: unknown; code?: unknown } | null;
  // A server may put anything there.
  const { message, code } = error ?? {};
  return typeof message === 'string' ? `${message} (${String(code)})` : text;
}

/** What happened instead of an answer: the status, and the error in its body. */
function withoutAnswer(input: DoctorInput, asked: Facts, facts: readonly Facts[]): string {
  const refused = facts.find(
    ({ n, session, status }) => session === asked.session && n > asked.n && status !== undefined,
  );
  if (refused === undefined || refused.status! < 400) return 'no answer';
  const body = facts.find(({ kind, from, cause }) => kind === 'message' && from === 'server' && cause === refused.n);
  const reason = body === undefined ? '' : `: ${errorOf(textOf(input, body.n))}`;
  return oneLine(`no: HTTP ${refused.status}${reason}`);
}

/** The outcome of the first request of an era. */
function eraStep(input: DoctorInput, which: 'modern' | 'legacy', facts: readonly Facts[]): Step {
  const title = TITLES[which];
  const asked = facts.filter(
    ({ message, method, from }) => message === 'request' && method === OPENING[which] && from === 'client',
  );
  const answered = asked.find(({ outcome }) => outcome === 'ok');
  const [first] = asked;
  if (answered?.pair !== undefined) {
    const version = /"protocolVersion"\s*:\s*"([^"]{1,40})"/.exec(textOf(input, answered.pair))?.[1];
    return {
      id: which,
      title,
      status: 'pass',
      detail: which === 'legacy' ? version : undefined,
      ms: answered.ms === undefined ? undefined : Math.round(answered.ms * 10) / 10,
      evidence: [answered.n, answered.pair],
    };
  }
  if (first === undefined && input.pinned !== undefined)
    return { id: which, title, status: 'skip', detail: `not asked: only ${input.pinned} was wanted` };
  if (first === undefined)
    return input.status === 'connecting' || (input.status === 'ready' && input.other === undefined)
      ? { id: which, title, status: 'running' }
      : { id: which, title, status: 'skip', detail: 'not asked' };
  // The request may precede the start of the process, which then fails.
  if (input.transport === 'stdio' && input.status === 'failed' && facts.every(({ kind }) => kind !== 'open'))
    return { id: which, title, status: 'skip', detail: 'not asked' };
  const denied = facts.find(({ session, n, status }) => session === first.session && n > first.n && status === 401);
  if (denied !== undefined && input.status === 'failed')
    return {
      id: which,
      title,
      status: 'skip',
      detail: 'not tested: it requires a login (HTTP 401)',
      evidence: [first.n, denied.n],
    };
  const refusal = asked.find(({ pair }) => pair !== undefined);
  if (refusal === undefined && input.status === 'connecting')
    return { id: which, title, status: 'running', evidence: [first.n] };
  // Supporting one era only is fine; supporting none is a failure.
  const speaks = facts.some(isAnsweredOpening);
  return {
    id: which,
    title,
    status: speaks ? 'skip' : 'fail',
    detail:
      refusal === undefined
        ? withoutAnswer(input, first, facts)
        : oneLine(`no: ${errorOf(textOf(input, refusal.pair))}`),
    evidence: [first.n, ...(refusal?.pair === undefined ? [] : [refusal.pair])],
  };
}

function loginStep({ status, problem }: DoctorInput, facts: readonly Facts[]): Step | undefined {
  const hops = facts.filter(({ kind }) => kind === 'auth');
  const refused = facts.find(({ kind, status: its }) => kind === 'http' && its === 401);
  if (hops.length === 0 && refused === undefined) return undefined;
  const step = {
    id: 'login',
    title: 'Its login works',
    evidence: [...(refused === undefined ? [] : [refused.n]), ...hops.map(({ n }) => n)],
  } as const;
  const after = facts.some(
    ({ kind, from, at }) => kind === 'message' && from === 'server' && at > (hops.at(-1)?.at ?? Infinity),
  );
  if (after) return { ...step, status: 'pass' };
  if (status !== 'failed' || problem?.kind !== 'auth') return { ...step, status: 'running' };
  const why = oneLine(problem.message.replace(/^The server requires authorization: /, ''));
  // For example, the authorization server has no metadata.
  if (problem.blame === 'server') return { ...step, status: 'fail', detail: why, fix: problem.fix };
  return { ...step, status: 'skip', detail: `not tested: ${why}` };
}

function listsStep(input: DoctorInput): Step {
  const title = 'Its lists can be read';
  const { lists: all, listsDone } = input;
  const broken = all.filter(({ problem }) => problem !== undefined);
  const evidence = all.flatMap((list) => list.evidence);
  const detail = all.map(({ kind, count }) => counted(count, kind.slice(0, -1))).join(', ');
  const ms = Math.round(all.reduce((sum, list) => sum + list.ms, 0) * 10) / 10;
  if (broken.length > 0)
    return {
      id: 'lists',
      title,
      status: 'fail',
      detail: broken.map(({ kind, problem }) => `${kind}: ${oneLine(problem!.message)}`).join('; '),
      evidence: broken.flatMap(({ problem }) => problem!.evidence),
    };
  // Lists that were read stay read, even if the connection has ended since.
  if (!listsDone)
    return {
      id: 'lists',
      title,
      ...(input.status === 'ready' || input.status === 'connecting' ? { status: 'running' } : NOT_TESTED),
    };
  return { id: 'lists', title, status: 'pass', detail: detail || 'it offers none', ms, evidence };
}
