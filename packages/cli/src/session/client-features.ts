import type { AskContext, ConnectOptions, Question, SampleHandler } from 'tenon/client';
import { parseObjectArgument } from '../command-line/arguments.ts';
import { askUser, type Terminal } from './ask.ts';
import type { CommandLine } from '../command-line/command-line.ts';
import { Failure } from '../failure/failure.ts';
import { oneLine } from '../terminal/printable.ts';
import { parseRoots } from '../command-line/roots.ts';

function noAnswerFailure({ name, message, ...rest }: Question, file: string): Failure {
  const asked = oneLine(name ?? message, 200);
  return new Failure('usage', 'no_answer', `The server asks '${asked}', and ${file} has no answer to that`, {
    blame: 'you',
    question: { name, message, ...rest },
    fix: 'Add an entry under its name, its exact message, or * for all others: the content of the form, or "accept", "decline", "cancel".',
  });
}

type ClientFeatures = Pick<ConnectOptions, 'elicit' | 'answers' | 'sample' | 'roots'>;

/**
 * The client features offered to the server. Questions are answered from the file of `--answers`, else by the user. A feature that neither
 * can answer is not offered. A question without an answer aborts `stop`.
 */
export function clientFeatures(line: CommandLine, person: Terminal | undefined, stop: AbortController): ClientFeatures {
  const file = line.value('answers');
  const text = line.value('sample');
  const roots = parseRoots(line);
  const handler = (question: Question, { signal, server }: AskContext) => {
    if (person !== undefined) return askUser(question, server?.name, person, signal);
    const failure = noAnswerFailure(question, file!);
    stop.abort(failure);
    throw failure;
  };
  const sample: SampleHandler = () => ({
    role: 'assistant',
    content: { type: 'text', text: text! },
    model: 'scripted',
    stopReason: 'endTurn',
  });
  return {
    // The client validates the content of the file when it uses it.
    answers:
      file === undefined
        ? undefined
        : (parseObjectArgument(`@${file}`, `The file ${file} of --answers`) as ClientFeatures['answers']),
    elicit: person === undefined && file === undefined ? undefined : { handler, form: true, url: true },
    sample: text === undefined ? undefined : sample,
    roots,
  };
}
