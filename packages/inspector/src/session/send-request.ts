import type { Client } from 'tenon/client';
import type { RequestBody } from '../api/bodies.ts';
import type { RequestAnswer } from '../api/views.ts';
import type { Redactor } from '../record/redact.ts';
import type { Recorder } from '../record/recorder.ts';
import type { Finding } from '../rules/finding.ts';
import type { Facts } from '../trace/facts.ts';
import { linesOfLegs, spentOn } from '../trace/legs.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';
import { GIVEN_UP, NO_ANSWER } from '../trace/trace-index.ts';
import { isRewritten, readJson } from '../values/exact-json.ts';
import { memberText } from '../values/json-text.ts';
import type { Claims } from './claims.ts';
import { WorkbenchError } from './contract.ts';
import { tokensOf } from './lists.ts';
import { cleaned, evidenceOf, problemOf } from './problem.ts';

export interface Sending {
  readonly client: Client;
  readonly claims: Claims;
  readonly store: TraceStore;
  readonly recorder: Recorder;
  readonly redactor: Redactor;
  readonly body: RequestBody;
  readonly signal: AbortSignal;
  findings(): readonly Finding[];
  onProgress(progress: { progress: number; total?: number; message?: string }): void;
}

function paramsOf(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = readJson(text, isRewritten);
  } catch (error) {
    throw new WorkbenchError('bad-request', `The parameters are not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new WorkbenchError('bad-request', 'The parameters must be a JSON object');
  return value as Record<string, unknown>;
}

/** Sends a request. Its outcome is read from the trace, so that the page shows only actual traffic. */
export async function sendRequest(sending: Sending): Promise<RequestAnswer> {
  const { client, claims, store, recorder, body, signal } = sending;
  const { _meta: meta, ...params } = paramsOf(body.params) ?? {};
  const claim = claims.expect(body.method);
  const started = performance.now();
  let failure: unknown;
  try {
    await client.request(body.method, body.params === undefined ? undefined : (params as never), {
      signal,
      onProgress: ({ progress, total, message }) =>
        sending.onProgress({
          progress,
          total,
          message,
        }),
      _meta: meta as Readonly<Record<string, unknown>> | undefined,
      timeout: body.timeoutMs,
    });
  } catch (error) {
    failure = error;
  } finally {
    claim.end();
  }
  const ms = Math.round((performance.now() - started) * 1000) / 1000;
  const legs = claim.lines.map((n) => store.index.at(n)).filter((facts) => facts !== undefined);
  const asked = legs.at(-1);
  const response = asked?.pair;
  const text = response === undefined ? '' : (store.read(response, response)[0]?.text ?? '');
  const result = memberText(text, 'result');
  const error = memberText(text, 'error');
  const outcome = outcomeOf(asked?.outcome, response, failure, signal);
  if (asked !== undefined) noteEnd(sending, asked, outcome, ms);
  const lines = linesOfLegs(legs);
  const cited = evidenceOf(failure, store.index, recorder.session, lines);
  return {
    outcome,
    request: legs[0]?.n,
    response,
    lines: lines.length === 0 ? undefined : lines,
    ms: spentOn(legs) ?? ms,
    bytes: Buffer.byteLength(result ?? error ?? ''),
    tokens: tokensOf((result ?? error ?? '').length),
    result,
    error,
    problem:
      failure === undefined || error !== undefined ? undefined : cleaned(problemOf(failure, cited), sending.redactor),
    findings: sending
      .findings()
      .filter(({ evidence }) => evidence.some((n) => n === response || claim.lines.includes(n))),
  };
}

/** Records how a request ended if no message says it, so that the trace and the caller agree. */
function noteEnd(
  { store, recorder, body }: Sending,
  asked: Facts,
  outcome: RequestAnswer['outcome'],
  ms: number,
): void {
  const note = (text: string): void => void recorder.write({ kind: 'note', from: 'client', text, cause: asked.n });
  if (outcome === 'timeout')
    recorder.write({ kind: 'timer', text: `No answer to ${body.method} in ${ms} ms`, cause: asked.n });
  else if (outcome === 'cancelled' && asked.outcome !== 'cancelled') note(GIVEN_UP);
  // If the connection ends too, its end is recorded already.
  else if (outcome === 'lost' && (asked.outcome === 'cancelled' || traveledAlone(store, asked))) note(NO_ANSWER);
}

/** Over HTTP an answer can be lost while the connection continues. */
function traveledAlone({ index }: TraceStore, { n }: Facts): boolean {
  return index.all.slice(n).some(({ kind, cause }) => kind === 'http' && cause === n);
}

function outcomeOf(
  seen: string | undefined,
  response: number | undefined,
  failure: unknown,
  signal: AbortSignal,
): RequestAnswer['outcome'] {
  if (signal.aborted) return 'cancelled';
  // Its questions were not answered, so the call ended here, whatever the server sent last.
  if (seen === 'input' && failure !== undefined) return 'cancelled';
  // An unusable answer is in the trace, but was not delivered.
  if ((failure as Error | undefined)?.name === 'TimeoutError') return 'timeout';
  if (response !== undefined) return seen === 'error' || seen === 'tool-error' ? seen : 'ok';
  return 'lost';
}
