import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** As many links as Linux follows. */
const MOST_LINKS = 40;

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Where a path really is; undefined when there is nothing. */
const real = (path: string): Promise<string | undefined> =>
  realpath(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });

/** What a link says; undefined for what is no link, or not there. */
const linkAt = (path: string): Promise<string | undefined> =>
  readlink(path).catch((error: unknown) => {
    if (codeOf(error) === 'EINVAL' || codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });

/**
 * The file that a write to this path would write: that at the end of the links, whether it is there yet or not. Throws when a link leads into
 * a folder that is not there, such as one of a disk that is not mounted: what was written elsewhere would be missing later.
 */
export const targetOf = async (named: string): Promise<string> => {
  let path = resolve(named);
  for (let links = 0; links <= MOST_LINKS; links++) {
    const found = await real(path);
    if (found !== undefined) return found;
    const folder = await real(dirname(path));
    if (folder === undefined && links === 0) return path;
    if (folder === undefined) throw new Error(`${named} is a link to ${path}, and there is no folder for that`);
    const place = join(folder, basename(path));
    const link = await linkAt(place);
    if (link === undefined) return place;
    path = resolve(folder, link);
  }
  throw new Error(`${named} is a link that leads to more than ${MOST_LINKS} others`);
};
