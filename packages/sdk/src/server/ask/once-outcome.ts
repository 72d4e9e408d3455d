import { ProtocolError, ToolError } from '../../protocol/errors.ts';
import type { CallToolResult } from '../../protocol/results.ts';
import { withoutUndefined } from '../../protocol/without-undefined.ts';
import { checkJson } from './ask-ledger.ts';

/** How an action of `once` ended, as JSON. Without a member `result` it returned nothing. */
export type OnceOutcome = { readonly result?: unknown } | { readonly failure: OnceFailure };

/** An error that an action threw. */
export interface OnceFailure {
  readonly name: string;
  readonly message: string;
  readonly code?: string | number;
  /** Of a `ProtocolError`. */
  readonly data?: unknown;
  /** Of a `ToolError`. */
  readonly result?: CallToolResult;
}

/** An action of `once`, in the run of the handler in which it may have to be done. */
export class OnceAction {
  readonly #name: string;
  readonly #action: () => unknown;
  #failed: { readonly outcome: OnceOutcome; readonly error: unknown } | undefined;

  constructor(name: string, action: () => unknown) {
    this.#name = name;
    this.#action = action;
  }

  /** Does it. Never rejects: after an error the effect may have happened, so that error is the outcome. */
  async run(): Promise<OnceOutcome> {
    try {
      const result = checkJson(this.#name, await this.#action());
      return result === undefined ? {} : { result };
    } catch (error) {
      const outcome = { failure: failureOf(error) };
      this.#failed = { outcome, error };
      return outcome;
    }
  }

  /** The result of the action; throws the error with which it failed. */
  resultOf(outcome: OnceOutcome): unknown {
    if (!('failure' in outcome)) return outcome.result;
    throw outcome === this.#failed?.outcome ? this.#failed.error : errorOf(outcome.failure);
  }
}

/** The longest text of an error that is kept, in characters. */
const MAX_TEXT = 1_000;

function failureOf(error: unknown): OnceFailure {
  if (!(error instanceof Error)) return { name: 'Error', message: textOf(error) };
  const { code } = error as { code?: unknown };
  return withoutUndefined({
    name: textOf(error.name),
    message: textOf(error.message),
    code: typeof code === 'string' || typeof code === 'number' ? code : undefined,
    data: error instanceof ProtocolError ? jsonOf(error.data) : undefined,
    result: error instanceof ToolError ? (jsonOf(error.result) as CallToolResult | undefined) : undefined,
  });
}

function textOf(value: unknown): string {
  try {
    return String(value).slice(0, MAX_TEXT);
  } catch {
    return 'an error without text';
  }
}

/** The value as JSON carries it; undefined if it cannot. */
function jsonOf(value: unknown): unknown {
  try {
    return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
  } catch {
    return undefined;
  }
}

/** The error of another run. Of another class than those of this package, it has only the name. */
function errorOf({ name, message, code, data, result }: OnceFailure): Error {
  if (name === 'ProtocolError' && typeof code === 'number') return new ProtocolError(code, message, data);
  if (name === 'ToolError') return new ToolError(message, result === undefined ? {} : { result });
  return Object.assign(new Error(message), withoutUndefined({ name, code }));
}
