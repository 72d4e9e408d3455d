import type { RequestBody } from '../api/bodies.ts';
import type { RequestAnswer, RunningView } from '../api/views.ts';
import { memberText } from '../values/json-text.ts';
import { WorkbenchError } from './contract.ts';

/** The running requests of a server, and the last answers, which a reloaded page fetches. */
export interface Requests {
  readonly running: readonly RunningView[];
  run(body: RequestBody, act: (signal: AbortSignal) => Promise<RequestAnswer>): Promise<RequestAnswer>;
  /** How a request ended, or that it is running. Throws a `WorkbenchError` if it is no longer known. */
  answer(key: string): RequestAnswer;
  cancel(key: string): void;
  cancelAll(): void;
}

/** Answers that were never fetched are kept within these limits. */
const MAX_KEPT = 20;
const MAX_CHARACTERS = 32 * 1024 * 1024;

interface RunningRequest {
  readonly view: RunningView;
  readonly began: number;
  readonly stop: AbortController;
}

function subjectOf(params: string): string | undefined {
  for (const name of ['name', 'uri', 'taskId']) {
    const text = memberText(params, name);
    if (text?.startsWith('"') === true) return JSON.parse(text) as string;
  }
  return undefined;
}

function viewOf({ key, method, params = '' }: RequestBody): RunningView {
  const subject = subjectOf(params);
  return { key, method, subject };
}

const NOTHING = { bytes: 0, tokens: 0, findings: [] } as const;

function failed(error: unknown, ms: number): RequestAnswer {
  return {
    ...NOTHING,
    outcome: 'lost',
    ms,
    problem: { message: (error as Error).message, blame: 'unknown', evidence: [] },
  };
}

function sizeOf({ result = '', error = '' }: RequestAnswer): number {
  return result.length + error.length;
}

export function createRequests(changed: () => void): Requests {
  const under = new Map<string, RunningRequest>();
  const answers = new Map<string, RequestAnswer>();

  const keep = (key: string, answer: RequestAnswer): void => {
    answers.set(key, answer);
    let size = [...answers.values()].reduce((sum, one) => sum + sizeOf(one), 0);
    for (const [oldest, one] of answers) {
      if (oldest === key || (answers.size <= MAX_KEPT && size <= MAX_CHARACTERS)) break;
      answers.delete(oldest);
      size -= sizeOf(one);
    }
  };

  return {
    get running() {
      return [...under.values()].map(({ view }) => view);
    },
    async run(body, act) {
      const { key } = body;
      if (under.has(key)) throw new WorkbenchError('bad-request', 'A request with this key is under way');
      const request: RunningRequest = { view: viewOf(body), began: performance.now(), stop: new AbortController() };
      under.set(key, request);
      changed();
      try {
        const answer = await act(request.stop.signal);
        keep(key, answer);
        return answer;
      } catch (error) {
        keep(key, failed(error, performance.now() - request.began));
        throw error;
      } finally {
        under.delete(key);
        changed();
      }
    },
    answer(key) {
      const request = under.get(key);
      if (request !== undefined) return { ...NOTHING, outcome: 'running', ms: performance.now() - request.began };
      const answer = answers.get(key);
      if (answer === undefined) throw new WorkbenchError('gone', 'This request no longer exists');
      return answer;
    },
    cancel: (key) => under.get(key)?.stop.abort(),
    cancelAll() {
      for (const { stop } of under.values()) stop.abort();
    },
  };
}
