import { Failure, usage } from '../failure/failure.ts';
import { oneLine } from '../terminal/printable.ts';

/** Runs work in the state folder. Its errors become usage failures that name the folder. */
export async function inState<T>(state: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // A TypeError is a bug of ours, not a problem of the folder.
    if (error instanceof Failure || error instanceof TypeError) throw error;
    throw usage(
      `The folder ${oneLine(state, 500)} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      'Conversations, decisions and the audit log are stored there: it must be a writable folder. Name another one with --state.',
      'bad_state',
    );
  }
}
