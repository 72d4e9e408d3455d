import { type Server, server } from 'tenon';
import type { AccessOptions } from './access.ts';
import { createAllowed } from '../../shared/allowed.ts';
import { changingTools } from './changing.ts';
import { createDoing } from './doing.ts';
import { findingTools } from './finding.ts';
import type { Folders } from '../../shared/folders.ts';
import { createWatching } from '../../shared/watching.ts';
import { listingTools } from './listing.ts';
import { createParts, uriOf } from './parts.ts';
import { readingTools } from './reading.ts';

export interface FilesystemOptions extends AccessOptions {
  readonly folders: Folders;
  /** Is the user asked before a file is overwritten, where the client can ask? */
  readonly confirm: boolean;
}

/** Makes the server. */
export const createFilesystem = ({ folders, confirm, ...access }: FilesystemOptions): Server => {
  const allowed = createAllowed(folders);
  const doing = createDoing(allowed);
  const changed = (real: string): void => app.changed(uriOf(real));
  // The tools are listed in the order of the original: moving comes after listing.
  const { move_file, ...changing } = changingTools(doing, { access, confirm, changed });

  const app = server({
    name: 'filesystem',
    version: '0.1.0',
    title: 'Files',
    tools: { ...readingTools(doing, access), ...changing, ...listingTools(doing), move_file, ...findingTools(doing) },
    // Who subscribes to a file reads it.
    resources: createParts(allowed, access, createWatching(changed)),
  });
  return app;
};
