import type { RootsOption } from 'tenon/client';
import { isFolderUri } from '../values/folder-uri.ts';
import { quoted } from '../values/words.ts';
import { WorkbenchError } from './contract.ts';
import type { Asker, Inbox } from './inbox.ts';

/** The roots of a server. */
export interface Roots {
  /** As URIs. */
  readonly folders: readonly string[];
  /** Ask in the inbox each time the server requests them. */
  readonly ask: boolean;
  /** Returns whether the server should be notified. Throws a `WorkbenchError` for an invalid root. */
  set(folders: readonly string[], ask: boolean): boolean;
  /** The option with which a client answers this server. */
  answering(asker: Asker): RootsOption;
}

export function createRoots(inbox: Inbox, first: readonly string[] = []): Roots {
  let folders = first;
  let ask = false;
  return {
    get folders() {
      return folders;
    },
    get ask() {
      return ask;
    },
    set(next, isAsked) {
      const wrong = next.find((uri) => !isFolderUri(uri));
      if (wrong !== undefined)
        throw new WorkbenchError(
          'bad-request',
          `A root must be a file:// URI without '..', got ${quoted(wrong)}`,
          'A root is a folder: file:///home/ann/work',
        );
      const isNew = JSON.stringify(next) !== JSON.stringify(folders);
      folders = next;
      ask = isAsked;
      return isNew;
    },
    answering: (asker) => (context) => inbox.roots(asker, folders, ask, context),
  };
}
