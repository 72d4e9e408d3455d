import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { ToolError } from 'tenon';

const LINUX = [
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/snap/bin/chromium',
  '/usr/bin/microsoft-edge',
  // It has no windows.
  '/usr/bin/chromium-headless-shell',
];
const MAC = ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
);
const WINDOWS = ['Google\\Chrome\\Application\\chrome.exe', 'Microsoft\\Edge\\Application\\msedge.exe'];

function usualPaths(): readonly string[] {
  if (process.platform === 'darwin') return MAC;
  if (process.platform !== 'win32') return LINUX;
  const folders = ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].map((name) => process.env[name] ?? '');
  return WINDOWS.flatMap((path) => folders.filter((folder) => folder !== '').map((folder) => join(folder, path)));
}

/** The path of an installed Chrome, Chromium or Edge. Throws a `ToolError` that says what to install. */
export function findBrowser(paths: readonly string[] = usualPaths()): string {
  const found = paths.find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new ToolError(
    'No browser was found. The user has to install Google Chrome or Chromium, or to name another place of one with --browser or PUPPETEER_EXECUTABLE_PATH.',
  );
}
