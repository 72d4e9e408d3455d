import { type Server, server } from 'tenon';
import type { AccessOptions } from './access.ts';
import { createAllowed } from '../../shared/allowed.ts';
import { changingTools } from './changing.ts';
import { createHandlerWrapper } from './tool-handler.ts';
import { findingTools } from './finding.ts';
import type { Folders } from '../../shared/folders.ts';
import { createFileWatcher } from '../../shared/file-watcher.ts';
import { icon } from '../../shared/icon.ts';
import { listingTools } from './listing.ts';
import { createTextResource, uriOf } from './text-resource.ts';
import { readingTools } from './reading.ts';

const ICON = icon(
  '#e67700',
  '<path d="M4 17V7a1 1 0 0 1 1-1h4l2 2h8a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1z"/>',
);

export interface FilesystemOptions extends AccessOptions {
  readonly folders: Folders;
  /** Whether to ask the user before a file is overwritten, if the client supports elicitation. */
  readonly confirm: boolean;
}

/** Makes the server. */
export function createFilesystem({ folders, confirm, ...access }: FilesystemOptions): Server {
  const allowed = createAllowed(folders);
  const handler = createHandlerWrapper(allowed);
  const changed = (real: string): void => app.changed(uriOf(real));
  // List the tools in the order of the original server: move_file comes after the listing tools.
  const { move_file, ...changing } = changingTools(handler, { access, confirm, changed });

  const app = server({
    name: 'filesystem',
    version: '0.1.0',
    icons: [ICON],
    title: 'Files',
    tools: {
      ...readingTools(handler, access),
      ...changing,
      ...listingTools(handler),
      move_file,
      ...findingTools(handler),
    },
    // Files are watched once they are read, because a client that subscribes to a file also reads it.
    resources: createTextResource(allowed, access, createFileWatcher(changed)),
  });
  return app;
}
