import type { AuthHop, AuthView } from '../api/views.ts';
import type { Redactor } from '../record/redact.ts';
import type { AuthStep } from '../trace/line.ts';
import { ABOUT } from './auth-steps.ts';
import { authErrorOf } from './problem.ts';

const MAX_HOPS = 100;

/** The steps whose hops an error is about. */
const FAILED: ReadonlyMap<unknown, readonly AuthStep[]> = new Map<unknown, readonly AuthStep[]>([
  ['discovery', ['resource-metadata', 'server-metadata']],
  ['registration', ['registration']],
  ['authorization', ['authorization']],
  ['token', ['token', 'refresh']],
]);

export const GIVEN_UP = 'The login was given up';

/** The hops of a login. Each can be paused before it happens. */
export class LoginHops {
  status: AuthView['status'] = 'none';
  /** The login was forgotten, and no hop has begun since. */
  isForgotten = false;
  readonly #redactor: Redactor;
  readonly #changed: () => void;
  /** Continue the paused hops. */
  readonly #paused = new Map<string, () => void>();
  #attempt = new AbortController();
  #all: readonly AuthHop[] = [];
  #isPausing = false;
  #count = 0;

  constructor(redactor: Redactor, changed: () => void) {
    this.#redactor = redactor;
    this.#changed = changed;
  }

  get all(): readonly AuthHop[] {
    return this.#all;
  }

  get isPausing(): boolean {
    return this.#isPausing;
  }

  /** Aborts when the login is aborted. */
  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  /** Starts a hop. Returns its id. */
  begin(step: AuthStep, method: string, url: string): string {
    const id = `hop-${++this.#count}`;
    const hop: AuthHop = { id, step, ...ABOUT[step], method, url, status: 'running', evidence: [] };
    this.#all = [...this.#all, hop].slice(-MAX_HOPS);
    this.status = 'running';
    this.isForgotten = false;
    this.#changed();
    return id;
  }

  set(id: string, change: Partial<AuthHop>): void {
    this.#all = this.#all.map((hop) => (hop.id === id ? { ...hop, ...change } : hop));
    this.#changed();
  }

  /** The verdict of a hop, without secrets. */
  verdict(text: string | undefined): Pick<AuthHop, 'verdict'> {
    return text === undefined || text === '' ? {} : { verdict: this.#redactor.clean(text).text };
  }

  /** Waits if hops are to be paused. Rejects if the login is aborted meanwhile. */
  async pause(id: string): Promise<void> {
    if (!this.#isPausing) return;
    this.status = 'paused';
    this.set(id, { status: 'paused' });
    try {
      await this.unlessAborted(new Promise<void>((resolve) => this.#paused.set(id, resolve)));
    } catch (error) {
      this.set(id, { status: 'fail', verdict: GIVEN_UP });
      throw error;
    } finally {
      this.#paused.delete(id);
    }
    this.status = 'running';
    this.set(id, { status: 'running' });
  }

  setPausing(on: boolean): void {
    this.#isPausing = on;
    if (!on) for (const go of this.#paused.values()) go();
    if (!on) this.#paused.clear();
    this.#changed();
  }

  release(id: string): void {
    this.#paused.get(id)?.();
    this.#paused.delete(id);
  }

  /** The result of a promise. Rejects if the login is aborted first. */
  unlessAborted<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise<T>((resolve, reject) => {
      const end = (): void => reject(new Error(GIVEN_UP));
      if (signal.aborted) return end();
      signal.addEventListener('abort', end, { once: true });
      return promise.then(resolve, reject);
    });
  }

  /** Makes a login that is in progress fail. */
  abort(): void {
    if (this.status === 'waiting-for-browser' || this.status === 'paused' || this.status === 'running')
      this.status = 'failed';
    this.#attempt.abort();
  }

  /** Allows another login after an aborted one. */
  renew(): void {
    this.#attempt = new AbortController();
  }

  /** Removes the hops of a login that was forgotten. */
  clear(): void {
    this.isForgotten ||= this.#all.length > 0;
    this.#all = [];
    this.status = 'none';
  }

  /** Marks the hop that an error is about as failed: a faulty answer is recognized only after it has arrived. */
  blame(error: unknown): void {
    const failure = authErrorOf(error);
    const steps = FAILED.get(failure?.step);
    if (failure === undefined || steps === undefined) return;
    const there = this.#all.findLast(({ step }) => steps.includes(step));
    if (there?.status === 'fail' && there.verdict !== undefined) return;
    this.set(there?.id ?? this.begin(steps[0]!, '', ''), { status: 'fail', ...this.verdict(failure.message) });
  }
}
