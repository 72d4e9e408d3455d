import type { Document } from './document.ts';
import { changeFile, type Plan, readText } from './file.ts';
import type { Host } from './hosts.ts';
import { jsonDocument } from './json-document.ts';
import { yamlDocument } from './yaml-document.ts';

type Kind = Pick<Host, 'syntax' | 'member'>;

const parsed = (text: string, { syntax, member }: Kind): Promise<Document> =>
  (syntax === 'json' ? jsonDocument : yamlDocument)(text, member);

/** Reads a file of a host; one that is not there is empty. Throws an `Error` that says why it cannot be used. */
export const readDocument = async (path: string, kind: Kind): Promise<Document> => parsed(await readText(path), kind);

/**
 * Changes a file of a host; what could not be used, or not be changed, stays as it is.
 *
 * @param plan is asked again for each state of the file that is found
 */
export const editDocument = <T extends Plan>(path: string, kind: Kind, plan: (document: Document) => T): Promise<T> =>
  changeFile(path, async (text) => plan(await parsed(text, kind)));
