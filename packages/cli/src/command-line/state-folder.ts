import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** tenon's folder within the operating system's folder for application state of this user. */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { XDG_STATE_HOME: xdg, LOCALAPPDATA: local } = env;
  // The XDG Base Directory Specification says that relative paths must be ignored.
  if (xdg?.startsWith('/') === true) return join(xdg, 'tenon');
  if (process.platform === 'win32') return join(local ?? join(homedir(), 'AppData', 'Local'), 'tenon');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'tenon');
  return join(homedir(), '.local', 'state', 'tenon');
}
