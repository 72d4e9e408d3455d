import type { Document } from './document.ts';
import { changeFile, type Plan, readText } from './file.ts';
import type { Host } from './hosts.ts';
import { jsonDocument } from './json-document.ts';
import { yamlDocument } from './yaml-document.ts';

type Kind = Pick<Host, 'syntax' | 'member'>;

function parsed(text: string, { syntax, member }: Kind): Promise<Document> {
  return (syntax === 'json' ? jsonDocument : yamlDocument)(text, member);
}

/** Reads a host's configuration file; a missing file counts as empty. Throws an `Error` with the reason if it cannot be used. */
export async function readDocument(path: string, kind: Kind): Promise<Document> {
  return parsed(await readText(path), kind);
}

/**
 * Changes a host's configuration file. A file that cannot be parsed or changed is left untouched.
 *
 * @param plan called again whenever another program has changed the file meanwhile
 */
export function editDocument<T extends Plan>(path: string, kind: Kind, plan: (document: Document) => T): Promise<T> {
  return changeFile(path, async (text) => plan(await parsed(text, kind)));
}
