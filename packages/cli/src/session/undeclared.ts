import type { CommandLine } from '../command-line/command-line.ts';
import type { Failure } from '../failure/failure.ts';
import type { Observer } from './observer.ts';
import type { Terminal } from './ask.ts';

/** A feature of clients that a server may need, and how the user of the command offers it. */
interface Need {
  readonly method: string;
  /** How a server names the feature in an error. */
  readonly named: RegExp;
  readonly fix: string;
  isOffered(line: CommandLine, person: Terminal | undefined): boolean;
}

const NEEDS: readonly Need[] = [
  {
    method: 'elicitation/create',
    named: /\belicitation\b(?! schema)/i,
    fix: 'It asks the user, and tenon did not declare elicitation here: use a terminal, or give the answers with --answers.',
    isOffered: (line, person) => person !== undefined || line.given.has('answers'),
  },
  {
    method: 'sampling/createMessage',
    named: /\bsampling\b/i,
    fix: 'It asks a model, and tenon did not declare sampling here: give the answer with --sample.',
    isOffered: (line) => line.given.has('sample'),
  },
  {
    method: 'roots/list',
    named: /\broots\b/i,
    fix: 'It asks for folders, and tenon did not declare roots here: give them with --roots.',
    isOffered: (line) => line.given.has('roots'),
  },
];

/** How the Python SDK and FastMCP say that they cannot send a request to the client. */
const CANNOT_ASK = /no back-channel|server-initiated requests (?:is|are) unavailable|via server-initiated requests/i;

const NEEDS_LEGACY_SESSION =
  'The server asks by sending a request to the client, which only sessions up to 2025-11-25 allow: try --revision 2025-11-25. If that fails too, the server runs without sessions and cannot ask.';

/** Adds the missing option to the failure of a call that needs a client feature that the command line does not offer. */
export function withUndeclared(
  failure: Failure,
  line: CommandLine,
  person: Terminal | undefined,
  { refusedQuestions }: Observer,
): Failure {
  if (failure.code !== 'tool_error' && failure.code !== 'rpc_error') return failure;
  if (CANNOT_ASK.test(failure.message)) return failure.with({ blame: 'server', fix: NEEDS_LEGACY_SESSION });
  const need = NEEDS.find(
    ({ method, named, isOffered }) =>
      !isOffered(line, person) && (refusedQuestions.has(method) || named.test(failure.message)),
  );
  return need === undefined ? failure : failure.with({ blame: 'you', fix: need.fix });
}
