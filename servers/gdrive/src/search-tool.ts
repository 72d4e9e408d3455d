import { link, tool } from 'tenon';
import { z } from 'zod';
import type { Access } from '../../shared/api/access.ts';
import { createHandlers } from '../../shared/api/access.ts';
import { dataReply } from '../../shared/api/data-reply.ts';
import { READS } from '../../shared/api/hints.ts';
import { type Drive, FILE } from './drive-client.ts';
import { containing, FOLDER } from './drive-query.ts';
import { contentTypeOf } from './export-formats.ts';
import { fileUri } from './file-resource.ts';
import { SERVICE } from './google.ts';

const FOUND = z.object({
  files: z.array(FILE.extend({ uri: z.string().describe('The resource with the contents of the file') })),
  next_page_token: z.string().nullable(),
  is_incomplete: z.boolean().describe('Whether Google did not search all drives'),
});

/** A link to each file that can be read. */
function linksTo(files: z.infer<typeof FOUND>['files']) {
  const readable = files.filter(({ mimeType }) => mimeType !== FOLDER);
  return readable.map(({ uri, name, mimeType, size }) =>
    link(uri, name, { mimeType: contentTypeOf(mimeType), size: size === undefined ? undefined : Number(size) }),
  );
}

/** The tool `search`. */
export function searchTool(access: Access<Drive>) {
  const withDrive = createHandlers(access);
  return tool(
    {
      title: 'Search for files',
      description: 'Search for files in Google Drive',
      input: z.object({
        query: z.string().trim().min(1).max(1_000).describe('Search query'),
        page_size: z.int().min(1).max(100).default(10).describe('Maximum number of files (default 10, max 100)'),
        page_token: z.string().min(1).max(4_000).optional().describe('The next_page_token of the page before'),
      }),
      output: FOUND,
      ...READS,
    },
    withDrive(async (drive, { query, page_size: pageSize, page_token: pageToken }) => {
      const page = await drive.list({ q: containing(query), pageSize, pageToken });
      const files = page.files.map((file) => ({ uri: fileUri(file.id), ...file }));
      const next = page.nextPageToken ?? null;
      const notes = [
        ...linksTo(files),
        ...(next === null ? [] : [`There are more: ask again with the page_token ${JSON.stringify(next)}.`]),
        ...(page.incompleteSearch === true
          ? ['Google did not search all drives: a narrower query may find more.']
          : []),
      ];
      const found = { files, next_page_token: next, is_incomplete: page.incompleteSearch ?? false };
      return dataReply(SERVICE, found, { notes });
    }),
  );
}
