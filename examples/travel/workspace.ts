// The user's folders of the documentation's example. The host offers them to the servers as roots.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const FILES = {
  'travel-templates/itinerary.md': '# {city}: {from} to {to}\n\nBooking {reference}. Passports, tickets, sun cream.\n',
  'client-documents/passport.md': '# Passport\n\nAnn Example, no. X0000000 (made up), valid until 2030-01-31.\n',
} as const;

/** The folders of a workspace, and a document in it. */
export interface Workspace {
  /** The paths of the folders that servers may know about. */
  readonly roots: readonly string[];
  /** The URI of the passport. */
  readonly passport: string;
}

/** Makes the user's folders in a folder. */
export async function makeWorkspace(folder: string): Promise<Workspace> {
  const roots = ['travel-planning', 'travel-templates', 'client-documents'].map((name) => join(folder, name));
  for (const root of roots) await mkdir(root, { recursive: true });
  for (const [path, text] of Object.entries(FILES)) await writeFile(join(folder, path), text);
  return { roots, passport: pathToFileURL(join(folder, 'client-documents', 'passport.md')).href };
}
