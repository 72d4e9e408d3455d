import type { Trace } from '@tenon/inspector/trace';
import type { CommandLine } from '../command-line/command-line.ts';
import { type Failure, usage } from '../failure/failure.ts';
import { diskFailure, writeFailure } from '../failure/file-failures.ts';

/** The trace file could not be created. */
export function traceCreationFailure(error: unknown): Failure {
  const lost = diskFailure(error);
  if (lost !== undefined) return lost;
  const { code, message, path = '' } = error as NodeJS.ErrnoException;
  const what = code === 'ENOENT' ? `The folder of ${path} does not exist` : `The trace cannot be written: ${message}`;
  return usage(what, 'Name a file with -o, in a writable folder.', 'not_writable');
}

/** Writing the trace failed after it was created. */
export function traceWriteFailure(file: string, error: Error): Failure {
  return writeFailure(`The rest of the trace ${file}`, error);
}

/** Opens the trace that the command line names, and indexes all of it. Throws a usage failure. */
export async function openNamedTrace(line: CommandLine): Promise<Trace> {
  const [verb, file, more] = line.words;
  if (file === undefined || more !== undefined) throw usage('Which trace?', `tenon ${verb} weather.mcptrace`);
  const { openTrace } = await import('@tenon/inspector/trace');
  let trace: Trace;
  try {
    trace = await openTrace(file);
  } catch (error) {
    if ((error as Error).name !== 'TraceError') throw error;
    throw usage((error as Error).message, undefined, `trace_${(error as { code: string }).code.replaceAll('-', '_')}`);
  }
  await trace.indexed;
  return trace;
}

/** Turns the error of a session that the trace does not contain into a usage failure. Returns other errors unchanged. */
export function explained(error: unknown): unknown {
  return error instanceof Error && error.name === 'ConversationError'
    ? usage(error.message, 'Choose with --session <name>.', 'no_session')
    : error;
}
