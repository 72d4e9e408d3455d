import { type ExitName, exitOf } from './exit-codes.ts';

/** Who broke a rule. `unknown` where the evidence does not say. */
type Blame = 'you' | 'server' | 'tool' | 'tenon' | 'unknown';

/** What a failure tells beside its message. */
export interface FailureDetails {
  readonly blame?: Blame;
  /** What shows it: a line, a value, a part of a message. */
  readonly evidence?: string;
  /** What to do about it. */
  readonly fix?: string;
  /** The exit code of the server's process; null if a signal ended it. */
  readonly exitCode?: number | null;
  readonly signal?: string | null;
  /** The last stderr of the server's process. */
  readonly stderr?: string;
  /** The error object with which the server answered. */
  readonly rpc?: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** The question of the server that has no answer. */
  readonly question?: unknown;
}

/** Why the command ends with something else than 0. */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** A stable name, finer than the exit code. */
  readonly code: string;
  readonly exit: number;
  readonly details: FailureDetails;
  readonly #exitName: ExitName;

  constructor(exit: ExitName, code: string, message: string, details: FailureDetails = {}) {
    super(message);
    this.code = code;
    this.exit = exitOf(exit);
    this.#exitName = exit;
    this.details = details;
  }

  /** The same failure, which tells more. */
  with(more: FailureDetails): Failure {
    return new Failure(this.#exitName, this.code, this.message, { ...this.details, ...more });
  }
}

/** The command line, or what it names, cannot be used as given. */
export const usage = (message: string, fix?: string, code = 'usage'): Failure =>
  new Failure('usage', code, message, { blame: 'you', ...(fix === undefined ? {} : { fix }) });
