import { type ExitName, exitOf } from './exit-codes.ts';

/** The party at fault. `client`: the client in a trace. `transport`: the connection. `unknown` if the evidence does not say. */
type Blame = 'you' | 'server' | 'client' | 'tool' | 'transport' | 'tenon' | 'unknown';

/** The members of a failure besides its code and message. */
export interface FailureDetails {
  readonly blame?: Blame | undefined;
  /** The evidence: a line, a value, a part of a message. */
  readonly evidence?: string | undefined;
  /** What to do about it. */
  readonly fix?: string | undefined;
  /** The exit code of the server's process; null if a signal ended it. */
  readonly exitCode?: number | null | undefined;
  readonly signal?: string | null | undefined;
  /** The last stderr of the server's process. */
  readonly stderr?: string | undefined;
  /** The JSON-RPC error of the server's response. */
  readonly rpc?: { readonly code: number; readonly message: string; readonly data?: unknown } | undefined;
  /** The server's elicitation that has no answer in the file of `--answers`. */
  readonly question?: unknown;
}

/** Why the command ends with an exit code other than 0. */
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

  /** A copy of the failure with more details. */
  with(more: FailureDetails): Failure {
    return new Failure(this.#exitName, this.code, this.message, { ...this.details, ...more });
  }
}

/** The command line, or what it names, cannot be used as given. */
export function usage(message: string, fix?: string, code = 'usage'): Failure {
  return new Failure('usage', code, message, { blame: 'you', fix });
}
