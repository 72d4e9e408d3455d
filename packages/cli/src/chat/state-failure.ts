import { Failure, usage } from '../failure.ts';
import { oneLine } from '../printable.ts';

/** Works with the folder where chats are kept. What goes wrong there is a usage failure that names it. */
export const inState = async <T>(state: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    // A wrong call of ours is no fault of the folder.
    if (error instanceof Failure || error instanceof TypeError) throw error;
    throw usage(
      `The folder ${oneLine(state, 500)} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      'Conversations, decisions and the audit log are kept there: it must be a folder that you may write to. Name another one with --state.',
      'bad_state',
    );
  }
};
