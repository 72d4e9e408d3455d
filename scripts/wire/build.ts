// A build of the SDK, loaded from any checkout through the exports of its own package.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The entry points that are recorded. Different names in two builds are unified here. */
export interface Build {
  readonly folder: string;
  readonly tenon: typeof import('tenon');
  readonly http: typeof import('tenon/http');
  readonly node: typeof import('tenon/node');
  readonly testing: typeof import('tenon/testing');
  readonly auth: typeof import('tenon/auth');
}

/** The parts needed for serving on stdin and stdout. */
export type StdioBuild = Pick<Build, 'folder' | 'tenon' | 'node'>;

/** Imports entry points by name, from inside the package, so that no other checkout is resolved. */
function importer(folder: string): <T>(entry: string) => Promise<T> {
  const { resolve } = createRequire(join(folder, 'packages', 'sdk', 'package.json'));
  return async <T>(entry: string) => (await import(pathToFileURL(resolve(entry)).href)) as T;
}

/** Loads the build in `<folder>/packages/sdk`. */
export async function loadBuild(folder: string): Promise<Build> {
  const load = importer(folder);
  const [stdio, http, testing, auth] = await Promise.all([
    loadStdioBuild(folder),
    load<Build['http']>('tenon/http'),
    load<Build['testing']>('tenon/testing'),
    load<Build['auth']>('tenon/auth'),
  ]);
  return { ...stdio, http, testing, auth };
}

/** The same for child processes, of which there are many: loads only what they need. */
export async function loadStdioBuild(folder: string): Promise<StdioBuild> {
  const load = importer(folder);
  const [tenon, node] = await Promise.all([load<Build['tenon']>('tenon'), load<Build['node']>('tenon/node')]);
  return { folder, tenon, node };
}
