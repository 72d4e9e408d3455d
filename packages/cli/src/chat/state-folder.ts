import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';

/** The folder for conversations, decisions and the audit log: of --state, or by the custom of the system. */
export const stateFolder = (given: string | undefined, env: NodeJS.ProcessEnv = process.env): string => {
  if (given !== undefined) return resolve(given);
  const { XDG_STATE_HOME: xdg, LOCALAPPDATA: local } = env;
  // A relative one is to be ignored, says the specification of these folders.
  if (xdg?.startsWith('/') === true) return join(xdg, 'tenon');
  if (process.platform === 'win32') return join(local ?? join(homedir(), 'AppData', 'Local'), 'tenon');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'tenon');
  return join(homedir(), '.local', 'state', 'tenon');
};
