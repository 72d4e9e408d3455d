import { basename } from 'node:path';

const MAX_LENGTH = 100;
/** Valid as the name of a package, of a server in a configuration, and of a container image. */
const NAME = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/;
/** npm does not install a package in a project of the same name. */
const TAKEN: ReadonlySet<string> = new Set(['tenon', 'zod', 'typescript', 'tsc-watch', 'node-modules']);

/** Why this cannot be the name of a project; undefined if it can. */
export function nameProblem(name: string): string | undefined {
  if (TAKEN.has(name)) return `${name} is the name of another package`;
  if (name.length > MAX_LENGTH) return `A name has at most ${MAX_LENGTH} characters`;
  return NAME.test(name) ? undefined : 'A name has lower-case letters and digits, and single - _ or . between them';
}

/** A name for the project in this folder. */
export function nameFor(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, MAX_LENGTH)
    .replace(/-$/, '');
  if (name === '') return 'my-server';
  return TAKEN.has(name) ? `${name}-server` : name;
}
