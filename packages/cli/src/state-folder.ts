import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** The folder where programs of this user keep what they need again, by the custom of the system: the part of it that is tenon's. */
export const stateFolder = (env: NodeJS.ProcessEnv = process.env): string => {
  const { XDG_STATE_HOME: xdg, LOCALAPPDATA: local } = env;
  // A relative one is to be ignored, says the specification of these folders.
  if (xdg?.startsWith('/') === true) return join(xdg, 'tenon');
  if (process.platform === 'win32') return join(local ?? join(homedir(), 'AppData', 'Local'), 'tenon');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'tenon');
  return join(homedir(), '.local', 'state', 'tenon');
};
