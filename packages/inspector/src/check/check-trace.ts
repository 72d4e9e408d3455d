import { counted } from '@tenon/values/counted';
import { ConversationError } from '../replay/conversation.ts';
import type { CheckRow, Finding } from '../rules/finding.ts';
import { judgeTrace } from '../session/judge-trace.ts';
import type { Side } from '../trace/line.ts';
import type { Trace } from '../trace/node/open-trace.ts';
import { wireRows } from './wire-rows.ts';

/** Which part of a trace is checked. */
export interface CheckTraceOptions {
  /** Only this session. Default: all sessions. */
  readonly session?: string | undefined;
  /** Only findings about this side. Default: all findings. */
  readonly side?: Side | undefined;
}

/** The verdict on one side of a trace. */
export interface SideVerdict {
  /** The side that the verdict is about. */
  readonly side: Side;
  /**
   * `fail`: it broke a rule. `warn`: it should do something differently. `skip`: the trace has no messages of it, or it was not
   * selected.
   */
  readonly status: CheckRow['status'];
  /** The number of messages of this side in the trace. */
  readonly messages: number;
  /** The number of findings that say it broke a rule. */
  readonly errors: number;
  /** The number of findings that say it should do something differently. */
  readonly warnings: number;
}

/** The result of checking a trace. */
export interface TraceCheck {
  /** One row for each rule with findings, then one for each side. Findings cite lines of the trace. */
  readonly rows: readonly CheckRow[];
  /** For the server, then for the client. */
  readonly verdicts: readonly SideVerdict[];
}

const SIDES: readonly Side[] = ['server', 'client'];

function verdictOf(
  side: Side,
  messages: number,
  findings: readonly Finding[],
  wanted: Side | undefined,
): { readonly verdict: SideVerdict; readonly row: CheckRow } {
  const own = findings.filter(({ blame }) => blame === side);
  const count = (severity: Finding['severity']): number => own.filter((one) => one.severity === severity).length;
  const [errors, warnings] = [count('error'), count('warning')];
  const isAsked = wanted === undefined || wanted === side;
  const found = errors > 0 ? 'fail' : warnings > 0 ? 'warn' : messages === 0 ? 'skip' : 'pass';
  const status = isAsked ? found : 'skip';
  const detail = !isAsked
    ? 'not asked for'
    : messages === 0 && own.length === 0
      ? `no message of the ${side} is in the trace, so there is no verdict on it`
      : `${counted(errors, 'error')} and ${counted(warnings, 'warning')} in ${counted(messages, 'message')}`;
  const title = side === 'server' ? 'The server keeps the rules' : 'The client keeps the rules';
  return {
    verdict: { side, status, messages, errors, warnings },
    row: { group: 'wire', id: side, title, status, detail, findings: [] },
  };
}

/** The row that reports unreadable parts of the trace. Undefined: all of it can be read. */
function damageRow({ problems, moreProblems }: Pick<Trace, 'problems' | 'moreProblems'>): CheckRow | undefined {
  const [first] = problems;
  if (first === undefined) return undefined;
  const more = problems.length - 1 + moreProblems;
  return {
    group: 'wire',
    id: 'whole',
    title: 'The trace is whole',
    status: 'warn',
    detail: `${first.message}${more === 0 ? '' : ` (and ${counted(more, 'more problem')})`}`,
    findings: [],
  };
}

/**
 * Checks a recorded trace: who broke which rule, and a verdict on each side. Nothing is started or contacted. Waits until the
 * trace is indexed. Rejects with a `ConversationError` (`unknown-session`) if the trace has no session of that name.
 *
 * @example
 * ```ts
 * import { checkTrace } from '@tenon/inspector';
 * import { openTrace } from '@tenon/inspector/trace';
 *
 * const trace = await openTrace('weather.mcptrace');
 * const { verdicts } = await checkTrace(trace, { side: 'client' });
 * const failed = verdicts.some(({ status }) => status === 'fail');
 * await trace.close();
 * ```
 */
export async function checkTrace(
  trace: Pick<Trace, 'index' | 'indexed' | 'read' | 'problems' | 'moreProblems'>,
  { session, side }: CheckTraceOptions = {},
): Promise<TraceCheck> {
  await trace.indexed;
  const all = trace.index.all.filter((facts) => session === undefined || facts.session === session);
  if (session !== undefined && all.length === 0) {
    const names = [...new Set(trace.index.all.map((facts) => facts.session))].slice(0, 20).join(', ');
    throw new ConversationError('unknown-session', `The trace has no session '${session}', but ${names}`);
  }
  const { findings, measured } = await judgeTrace(trace, { session });
  const counts = findings.filter(({ blame }) => side === undefined || blame === side);
  const verdicts = SIDES.map((one) => {
    const messages = all.filter(({ kind, from }) => kind === 'message' && from === one).length;
    return verdictOf(one, messages, counts, side);
  });
  const damage = damageRow(trace);
  return {
    rows: [
      ...(damage === undefined ? [] : [damage]),
      ...wireRows({ all }, measured, counts),
      ...verdicts.map(({ row }) => row),
    ],
    verdicts: verdicts.map(({ verdict }) => verdict),
  };
}
