import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AskContext, ConnectOptions, Question, SampleHandler } from 'tenon/client';
import { objectGiven } from './arguments.ts';
import { askPerson, type Terminal } from './ask.ts';
import type { CommandLine } from './command-line.ts';
import { Failure } from './failure.ts';
import { oneLine } from './printable.ts';

/** The folders of `--roots`, as URIs. */
export const rootsGiven = (line: CommandLine): string[] | undefined => {
  const given = line.values('roots');
  if (given.length === 0) return undefined;
  const folders = given.flatMap((list) => list.split(',')).filter((folder) => folder !== '');
  return folders.map((folder) => (folder.startsWith('file://') ? folder : pathToFileURL(resolve(folder)).href));
};

const unanswered = ({ name, message, ...rest }: Question, file: string): Failure => {
  const asked = oneLine(name ?? message, 200);
  return new Failure('usage', 'no_answer', `The server asks '${asked}', and ${file} has no answer to that`, {
    blame: 'you',
    question: { name, message, ...rest },
    fix: 'Add it by its name, its exact message, or * for all others: the content of the form, or "accept", "decline", "cancel".',
  });
};

type Offered = Pick<ConnectOptions, 'elicit' | 'answers' | 'sample' | 'roots'>;

/**
 * What the server may ask for, and who answers: the file of `--answers` first, then the person. Nothing is offered that nobody can
 * answer. A question without an answer aborts `stop`.
 */
export const asking = (line: CommandLine, person: Terminal | undefined, stop: AbortController): Offered => {
  const file = line.value('answers');
  const text = line.value('sample');
  const roots = rootsGiven(line);
  const handler = (question: Question, { signal, server }: AskContext) => {
    if (person !== undefined) return askPerson(question, server?.name, person, signal);
    const failure = unanswered(question, file!);
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
    // The client checks what the file holds when it is used.
    ...(file === undefined
      ? {}
      : { answers: objectGiven(`@${file}`, `The file ${file} of --answers`) as NonNullable<Offered['answers']> }),
    ...(person === undefined && file === undefined ? {} : { elicit: { handler, form: true, url: true } }),
    ...(text === undefined ? {} : { sample }),
    ...(roots === undefined ? {} : { roots }),
  };
};
