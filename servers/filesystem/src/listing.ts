import { join } from 'node:path';
import { tool } from 'tenon';
import { z } from 'zod';
import { withEither } from './access.ts';
import { CONTENT, shown } from './answer.ts';
import { type WrapHandler, path, READS } from './tool-handler.ts';
import type { Folders } from '../../shared/folders.ts';
import { matcherOf } from './glob.ts';
import { entriesIn, type FolderEntry, walk } from './walk.ts';

/** How many entries are opened concurrently. */
const AT_ONCE = 32;

function sized(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const unit = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(1_024)));
  return unit === 0 ? `${bytes} B` : `${(bytes / 1_024 ** unit).toFixed(2)} ${units[unit]}`;
}

function mark(isFolder: boolean): string {
  return isFolder ? '[DIR]' : '[FILE]';
}

interface Branch {
  readonly name: string;
  readonly type: 'directory' | 'file';
  readonly children?: Branch[];
}

async function sizes(found: Folders, asked: string, sortBy: 'name' | 'size', signal: AbortSignal): Promise<string> {
  const entries = await entriesIn(found, asked, signal);
  const base = found.absolute(asked);
  const sizeOf = async (name: string | undefined): Promise<number | undefined> =>
    name === undefined
      ? undefined
      : withEither(found, join(base, name), async ({ stats }) => stats.size).catch(() => undefined);
  const detailed: (FolderEntry & { readonly size: number | undefined })[] = [];
  for (let from = 0; from < entries.length; from += AT_ONCE)
    detailed.push(
      ...(await Promise.all(
        entries.slice(from, from + AT_ONCE).map(async (entry) => ({ ...entry, size: await sizeOf(entry.name) })),
      )),
    );
  detailed.sort((a, b) => (sortBy === 'size' ? (b.size ?? 0) - (a.size ?? 0) : a.shown.localeCompare(b.shown)));
  const rows = detailed.map(
    ({ shown: name, isFolder, size }) =>
      `${mark(isFolder)} ${name.padEnd(30)} ${isFolder ? '' : (size === undefined ? '?' : sized(size)).padStart(10)}`,
  );
  const files = detailed.filter(({ isFolder }) => !isFolder);
  const total = files.reduce((sum, { size = 0 }) => sum + size, 0);
  return [
    ...rows,
    '',
    `Total: ${files.length} files, ${detailed.length - files.length} directories`,
    `Combined size: ${sized(total)}`,
  ].join('\n');
}

/** Tools that list folders. */
export function listingTools(handler: WrapHandler) {
  return {
    list_directory: tool(
      {
        title: 'List Directory',
        description:
          'List the entries of a directory, with [FILE] or [DIR] before each name. Only works within allowed directories.',
        input: z.object({ path }),
        output: CONTENT,
        ...READS,
      },
      handler(async ({ path: asked }, found, { signal }) => {
        const entries = await entriesIn(found, asked, signal);
        return shown(entries.map((entry) => `${mark(entry.isFolder)} ${entry.shown}`).join('\n'));
      }),
    ),
    list_directory_with_sizes: tool(
      {
        title: 'List Directory with Sizes',
        description:
          'List the entries of a directory with sizes, and [FILE] or [DIR] before each name. Only works within allowed directories.',
        input: z.object({
          path,
          sortBy: z.enum(['name', 'size']).optional().default('name').describe('Sort entries by name or size'),
        }),
        output: CONTENT,
        ...READS,
      },
      handler(async ({ path: asked, sortBy }, found, { signal }) => shown(await sizes(found, asked, sortBy, signal))),
    ),
    directory_tree: tool(
      {
        title: 'Directory Tree',
        description:
          "Get everything in a directory as a JSON tree. Each entry has 'name', 'type' (file/directory), and 'children' for directories. Only works within allowed directories.",
        input: z.object({ path, excludePatterns: z.array(z.string().max(1_000)).max(100).optional().default([]) }),
        output: CONTENT,
        ...READS,
      },
      handler(async ({ path: asked, excludePatterns }, found, { signal, progress }) => {
        const top: Branch[] = [];
        const open = new Map<string, Branch[]>([['', top]]);
        const excluded = matcherOf(excludePatterns, { anywhere: true });
        await walk(
          found,
          asked,
          { signal, excluded, onProgress: (seen) => progress({ progress: seen }) },
          (entry, parents) => {
            const children: Branch[] | undefined = entry.isFolder ? [] : undefined;
            if (children !== undefined) open.set(entry.relative, children);
            open.get(parents.join('/'))!.push({
              name: entry.name,
              type: entry.isFolder ? 'directory' : 'file',
              children,
            });
          },
        );
        return shown(JSON.stringify(top, undefined, 2));
      }),
    ),
  };
}
