import { join } from 'node:path';
import { tool } from 'tenon';
import { z } from 'zod';
import { withEither, withFolder } from './access.ts';
import { CONTENT, shown } from './answer.ts';
import { type WrapHandler, path, READS } from './tool-handler.ts';
import { matcherOf } from './glob.ts';
import { shownName } from './names.ts';
import { walk } from './walk.ts';

/** Tools that find files and folders, and show their metadata. */
export function findingTools(handler: WrapHandler) {
  return {
    search_files: tool(
      {
        title: 'Search Files',
        description:
          "Find files and directories by a glob pattern: '*.ext' in the directory itself, '**/*.ext' also below it. Returns their full paths. Only searches within allowed directories.",
        input: z.object({
          path,
          pattern: z.string().min(1).max(1_000),
          excludePatterns: z.array(z.string().max(1_000)).max(100).optional().default([]),
        }),
        output: CONTENT,
        ...READS,
      },
      handler(async ({ path: asked, pattern, excludePatterns }, found, { signal, progress }) => {
        const start = await withFolder(found, asked, async ({ real }) => real);
        const counted = new Set<string>();
        const fits = matcherOf([pattern], { counted });
        const excluded = matcherOf(excludePatterns, { counted });
        const results: string[] = [];
        await walk(
          found,
          asked,
          { signal, excluded, onProgress: (seen) => progress({ progress: seen }) },
          ({ relative }) => {
            if (fits(relative)) results.push(shownName(join(start, relative)));
          },
        );
        return shown(results.length > 0 ? results.join('\n') : 'No matches found');
      }),
    ),
    get_file_info: tool(
      {
        title: 'Get File Info',
        description:
          'Get the metadata of a file or directory: size, times, permissions, type. Only works within allowed directories.',
        input: z.object({ path }),
        output: CONTENT,
        ...READS,
      },
      handler(async ({ path: asked }, found) =>
        withEither(found, asked, async ({ stats }) => {
          const info = {
            size: stats.size,
            created: stats.birthtime,
            modified: stats.mtime,
            accessed: stats.atime,
            isDirectory: stats.isDirectory(),
            isFile: stats.isFile(),
            permissions: stats.mode.toString(8).slice(-3),
          };
          return shown(
            Object.entries(info)
              .map(([key, value]) => `${key}: ${String(value)}`)
              .join('\n'),
          );
        }),
      ),
    ),
    list_allowed_directories: tool(
      {
        title: 'List Allowed Directories',
        description: 'List the directories that may be used, including everything in them.',
        output: CONTENT,
        ...READS,
      },
      handler(async (_, found) => shown(`Allowed directories:\n${found.given.map(shownName).join('\n')}`)),
    ),
  };
}
