import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** The same limit as in Linux. */
const MAX_LINKS = 40;

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** The real path; undefined if it does not exist. */
function real(path: string): Promise<string | undefined> {
  return realpath(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
}

/** The target of a link; undefined if the path is not a link, or does not exist. */
function linkAt(path: string): Promise<string | undefined> {
  return readlink(path).catch((error: unknown) => {
    if (codeOf(error) === 'EINVAL' || codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
}

/**
 * The path at the end of all links, whether the file exists or not. Throws if a link leads into a missing folder, for example on a disk that
 * is not mounted: data written elsewhere would seem lost later.
 */
export async function targetOf(named: string): Promise<string> {
  let path = resolve(named);
  for (let links = 0; links <= MAX_LINKS; links++) {
    const found = await real(path);
    if (found !== undefined) return found;
    const folder = await real(dirname(path));
    if (folder === undefined && links === 0) return path;
    if (folder === undefined) throw new Error(`${named} is a link to ${path}, whose folder does not exist`);
    const place = join(folder, basename(path));
    const link = await linkAt(place);
    if (link === undefined) return place;
    path = resolve(folder, link);
  }
  throw new Error(`${named} leads through more than ${MAX_LINKS} links`);
}
