// The files and folders of the repository that pages link to, as pages of the site: the repository need not be at hand, or online.

import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { filesUnder, root } from '../scripts/lib/files.ts';

/** Larger files of a folder are not shown: lockfiles. */
const MAX_BYTES = 60_000;

const LANGUAGES = new Map([
  ['ts', 'ts'],
  ['tsx', 'tsx'],
  ['js', 'js'],
  ['mjs', 'js'],
  ['json', 'json'],
  ['css', 'css'],
  ['html', 'html'],
  ['sh', 'sh'],
  ['sql', 'sql'],
  ['yaml', 'yaml'],
  ['yml', 'yaml'],
  ['toml', 'toml'],
  ['conf', 'nginx'],
]);

/** Whether a path of the repository is a folder. */
export function isFolder(path: string): boolean {
  return statSync(join(root, path)).isDirectory();
}

/**
 * The path of the page that shows a file or a folder. The generator leaves out names that begin with a dot, and takes brackets for
 * variables.
 */
export function sourcePagePath(path: string): string {
  return path.replaceAll(/(^|\/)\./g, '$1_').replaceAll(/[[\]]/g, '_');
}

/** The text files in a folder of the repository. */
export function sourcesIn(folder: string): string[] {
  return filesUnder(folder).filter(
    (path) => !path.endsWith('.md') && statSync(join(root, path)).size <= MAX_BYTES && !isBinary(path),
  );
}

function isBinary(path: string): boolean {
  return readFileSync(join(root, path)).includes(0);
}

/** A page that shows a file. */
export function sourcePage(path: string): string {
  const text = readFileSync(join(root, path), 'utf8');
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`{3,}/g)].map(([mark]) => mark.length + 1)));
  const language = LANGUAGES.get(path.split('.').at(-1) ?? '') ?? 'text';
  return `# ${basename(path)}\n\nThe file \`${path}\`:\n\n${fence}${language}\n${text}${fence}\n`;
}

/** A page that lists the files of a folder. */
export function folderPage(folder: string): string {
  const rows = sourcesIn(folder).map((path) => {
    const name = path.slice(folder.length + 1).replaceAll(/[[\]]/g, String.raw`\$&`);
    return `- [${name}](/${sourcePagePath(path)}.md)`;
  });
  return `# ${basename(folder)}\n\nThe files of \`${folder}\`:\n\n${rows.join('\n')}\n`;
}
