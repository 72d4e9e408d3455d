import { lstat, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { audio, type CallContext, embed, image, link, reply, type Server, server, text, tool, ToolError } from 'tenon';
import { z } from 'zod';
import { type AccessOptions, type Opened, withEither, withFile, withFolder, withSpot } from './access.ts';
import { createAllowed } from '../../shared/allowed.ts';
import { applyEdits, diffOf, MOST_EDITS, MOST_OLD_TEXT } from './edit.ts';
import { AccessError, type Folders } from '../../shared/folders.ts';
import { createWatching } from '../../shared/watching.ts';
import { mediaTypeOf } from './media.ts';
import { matcherOf } from './glob.ts';
import { moveTo } from './move.ts';
import { createParts, uriOf } from './parts.ts';
import { firstLines, lastLines, MOST_BYTES, type Part, partOf } from './text.ts';
import { replaceFile } from './write.ts';
import { writing, writingBoth } from './writing.ts';
import { entriesIn, walk } from './walk.ts';

export interface FilesystemOptions extends AccessOptions {
  readonly folders: Folders;
  /** Is the user asked before a file is overwritten, where the client can ask? */
  readonly confirm: boolean;
}

const MOST_MEDIA = 5 * 1024 * 1024;
/** Most characters of an answer as JSON, half of it: it is in it as text and as structured content. Some clients take no more than 10 MiB. */
const MOST_ANSWER = 3 * 1024 * 1024;
const path = z.string().min(1).max(4_096);
const CONTENT = z.object({ content: z.string() });
const READS = { readOnly: true, openWorld: false } as const;
const lines = z.int().min(1).max(1_000_000);

/** As the original gives it: the text, and the same again as structured content. */
const shown = (content: string) => {
  if (JSON.stringify(content).length > MOST_ANSWER)
    throw new AccessError('The answer would be too large: ask for less, or exclude some');
  return reply({ content: [text(content)], structuredContent: { content } });
};

/** The beginning of a file, as much of it as fits into an answer however it has to be written there. */
const beginning = async (file: Opened, asked: string): Promise<Part> => {
  for (let most = MOST_BYTES; ; most = Math.floor(most / 4)) {
    const part = await partOf(file, asked, 0, most);
    if (JSON.stringify(part.text).length <= MOST_ANSWER || most < 1_024) return part;
  }
};

const sized = (bytes: number): string => {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const unit = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(1_024)));
  return unit === 0 ? `${bytes} B` : `${(bytes / 1_024 ** unit).toFixed(2)} ${units[unit]}`;
};

const mark = (isFolder: boolean): string => (isFolder ? '[DIR]' : '[FILE]');

interface Branch {
  readonly name: string;
  readonly type: 'directory' | 'file';
  readonly children?: Branch[];
}

/** Makes the server. */
export const createFilesystem = ({ folders, confirm, ...access }: FilesystemOptions): Server => {
  const allowed = createAllowed(folders);
  /** Runs a tool; what somebody may not do, the model can read. */
  const doing =
    <In, Out>(act: (input: In, found: Folders, ctx: CallContext) => Promise<Out>) =>
    async (input: In, ctx: CallContext): Promise<Out> => {
      try {
        return await act(input, await allowed(ctx), ctx);
      } catch (error) {
        if (error instanceof AccessError) throw new ToolError(error.message);
        throw error;
      }
    };
  const changed = (real: string): void => app.changed(uriOf(real));

  const readText = async (
    { path: asked, head, tail }: { path: string; head?: number | undefined; tail?: number | undefined },
    found: Folders,
  ) => {
    if (head !== undefined && tail !== undefined)
      throw new AccessError('Cannot specify both head and tail parameters simultaneously');
    return withFile(found, asked, access, async (file) => {
      if (head !== undefined) return shown(await firstLines(file, asked, head));
      if (tail !== undefined) return shown(await lastLines(file, asked, tail));
      const { text: content, next } = await beginning(file, asked);
      if (next === undefined) return shown(content);
      const more = link(uriOf(file.real, next), 'The next part', {
        mimeType: 'text/plain',
        size: file.stats.size - next,
        description: `The file has ${file.stats.size} bytes; these were the first ${next}`,
      });
      return reply({ content: [text(content), more], structuredContent: { content } });
    });
  };
  const READ = z.object({
    path,
    tail: lines.optional().describe('If provided, returns only the last N lines of the file'),
    head: lines.optional().describe('If provided, returns only the first N lines of the file'),
  });

  const whole = async (file: Opened, asked: string): Promise<string> => {
    const { text: content, next } = await partOf(file, asked, 0);
    if (next !== undefined) throw new AccessError(`${asked} has more than ${MOST_BYTES} bytes`);
    return content;
  };

  const app = server({
    name: 'filesystem',
    version: '0.1.0',
    title: 'Files',
    tools: {
      read_file: tool(
        {
          title: 'Read File (Deprecated)',
          description: 'Read the contents of a file as text. DEPRECATED: Use read_text_file instead.',
          input: READ,
          output: CONTENT,
          ...READS,
        },
        doing(readText),
      ),
      read_text_file: tool(
        {
          title: 'Read Text File',
          description: `Read the contents of a file as text in UTF-8. Use 'head' for the first N lines, 'tail' for the last N lines. Of a file of more than ${MOST_BYTES} bytes the first part is given, with a link to the next. Only works within allowed directories.`,
          input: READ,
          output: CONTENT,
          ...READS,
        },
        doing(readText),
      ),
      read_media_file: tool(
        {
          title: 'Read Media File',
          description:
            'Read a file and return it as a base64-encoded content block with its MIME type. Image and audio files are returned as image/audio content; any other file as an embedded resource. Only works within allowed directories.',
          input: z.object({ path }),
          ...READS,
        },
        doing(async ({ path: asked }, found) =>
          withFile(found, asked, access, async (file) => {
            if (file.stats.size > MOST_MEDIA)
              throw new AccessError(`${asked} has ${file.stats.size} bytes: more than ${MOST_MEDIA} are not read`);
            const bytes = new Uint8Array(await file.handle.readFile());
            const type = mediaTypeOf(file.real);
            // The bytes as structured content, too, would be the bytes three times.
            return type.startsWith('image/')
              ? image(bytes, type)
              : type.startsWith('audio/')
                ? audio(bytes, type)
                : embed(pathToFileURL(file.real).href, bytes, { mimeType: type });
          }),
        ),
      ),
      read_multiple_files: tool(
        {
          title: 'Read Multiple Files',
          description:
            "Read the contents of several files at once. Each is returned with its path; those that cannot be read don't stop the others. Only works within allowed directories.",
          input: z.object({ paths: z.array(path).min(1).max(100) }),
          output: CONTENT,
          ...READS,
        },
        doing(async ({ paths }, found) => {
          const parts: string[] = [];
          let bytes = 0;
          for (const asked of paths) {
            const part = await withFile(found, asked, access, (file) => whole(file, asked)).then(
              (content) => `${asked}:\n${content}\n`,
              (error: Error) => `${asked}: Error - ${error.message}`,
            );
            bytes += JSON.stringify(part).length;
            parts.push(
              bytes > MOST_ANSWER - 100_000
                ? `${asked}: Error - together the files are too large: ask for fewer`
                : part,
            );
          }
          return shown(parts.join('\n---\n'));
        }),
      ),
      write_file: tool(
        {
          title: 'Write File',
          description:
            'Create a new file or completely overwrite an existing file with new content. Only works within allowed directories.',
          input: z.object({ path, content: z.string().max(16 * 1024 * 1024) }),
          output: CONTENT,
          readOnly: false,
          idempotent: true,
          destructive: true,
          openWorld: false,
        },
        doing(async ({ path: asked, content }, found, ctx) => {
          const isThere = await withSpot(found, asked, async ({ stats }) => stats !== undefined);
          if (isThere && confirm && ctx.client.can('elicitation')) {
            const sure = z.object({ overwrite: z.boolean().default(true).describe('Overwrite it?') });
            const { overwrite } = await ctx.ask('overwrite', `${asked} is there already. Overwrite it?`, sure);
            if (!overwrite) throw new AccessError(`${asked} was left as it is: the user said no`);
          }
          return writing(found, asked, async (spot) => {
            if (spot.stats !== undefined && spot.stats.nlink > 1 && spot.stats.isFile() && !access.hardLinks)
              throw new AccessError(`${asked} has other names: it is changed only with --allow-hard-links`);
            await replaceFile(spot, content);
            changed(spot.real);
            return shown(`Successfully wrote to ${asked}`);
          });
        }),
      ),
      edit_file: tool(
        {
          title: 'Edit File',
          description:
            'Edit a text file: each edit replaces one text, which has to be there exactly once, or lines that differ only by the space around them. Returns a git-style diff. Only works within allowed directories.',
          input: z.object({
            path,
            edits: z
              .array(
                z.object({
                  oldText: z
                    .string()
                    .max(
                      MOST_OLD_TEXT,
                      `more than ${MOST_OLD_TEXT} characters: give only what changes, in several edits`,
                    )
                    .describe('Text to search for - must match exactly, and only once'),
                  newText: z.string().describe('Text to replace with'),
                }),
              )
              .max(MOST_EDITS, `more than ${MOST_EDITS} edits: make the others in another call`),
            dryRun: z.boolean().default(false).describe('Preview changes using git-style diff format'),
          }),
          output: CONTENT,
          readOnly: false,
          idempotent: false,
          destructive: true,
          openWorld: false,
        },
        doing(async ({ path: asked, edits, dryRun }, found) =>
          // Read and written in one turn: what others write meanwhile is not lost.
          writing(found, asked, async (spot) => {
            const before = await withFile(found, asked, access, async (file) => ({
              text: await whole(file, asked),
              real: file.real,
              stats: file.stats,
            }));
            const after = applyEdits(before.text, edits);
            const difference = diffOf(before.real, before.text, after);
            if (dryRun) return shown(difference);
            const now = await lstat(spot.path).catch(() => undefined);
            const { ino, size, mtimeMs } = before.stats;
            if (now?.ino !== ino || now.size !== size || now.mtimeMs !== mtimeMs)
              throw new AccessError(`${asked} was changed meanwhile: read it again`);
            const answer = shown(difference);
            await replaceFile({ ...spot, stats: now }, after);
            changed(spot.real);
            return answer;
          }),
        ),
      ),
      create_directory: tool(
        {
          title: 'Create Directory',
          description:
            'Create a directory, and those above it that are missing. One that is there already is no error. Only works within allowed directories.',
          input: z.object({ path }),
          output: CONTENT,
          readOnly: false,
          idempotent: true,
          destructive: false,
          openWorld: false,
        },
        doing(async ({ path: asked }, found) => {
          await createFolder(found, asked);
          return shown(`Successfully created directory ${asked}`);
        }),
      ),
      list_directory: tool(
        {
          title: 'List Directory',
          description:
            'List what is in a directory, with [FILE] and [DIR] before the names. Only works within allowed directories.',
          input: z.object({ path }),
          output: CONTENT,
          ...READS,
        },
        doing(async ({ path: asked }, found, { signal }) => {
          const entries = await entriesIn(found, asked, signal);
          return shown(entries.map((entry) => `${mark(entry.isDirectory())} ${entry.name}`).join('\n'));
        }),
      ),
      list_directory_with_sizes: tool(
        {
          title: 'List Directory with Sizes',
          description:
            'List what is in a directory, with sizes, and [FILE] and [DIR] before the names. Only works within allowed directories.',
          input: z.object({
            path,
            sortBy: z.enum(['name', 'size']).optional().default('name').describe('Sort entries by name or size'),
          }),
          output: CONTENT,
          ...READS,
        },
        doing(async ({ path: asked, sortBy }, found, { signal }) => shown(await sizes(found, asked, sortBy, signal))),
      ),
      directory_tree: tool(
        {
          title: 'Directory Tree',
          description:
            "Get all that is in a directory as JSON. Each entry has 'name', 'type' (file/directory), and 'children' for directories. Only works within allowed directories.",
          input: z.object({ path, excludePatterns: z.array(z.string().max(1_000)).max(100).optional().default([]) }),
          output: CONTENT,
          ...READS,
        },
        doing(async ({ path: asked, excludePatterns }, found, { signal, progress }) => {
          const top: Branch[] = [];
          const open = new Map<string, Branch[]>([['', top]]);
          const excluded = matcherOf(excludePatterns, { anywhere: true });
          await walk(found, asked, { signal, excluded, onProgress: (seen) => progress(seen) }, (entry, parents) => {
            const children: Branch[] | undefined = entry.isFolder ? [] : undefined;
            if (children !== undefined) open.set(entry.relative, children);
            open.get(parents.join('/'))!.push({
              name: entry.name,
              type: entry.isFolder ? 'directory' : 'file',
              ...(children === undefined ? {} : { children }),
            });
          });
          return shown(JSON.stringify(top, undefined, 2));
        }),
      ),
      move_file: tool(
        {
          title: 'Move File',
          description:
            'Move or rename files and directories. If the destination is there already, it fails. Only works within allowed directories.',
          input: z.object({ source: path, destination: path }),
          output: CONTENT,
          readOnly: false,
          idempotent: false,
          destructive: true,
          openWorld: false,
        },
        doing(async ({ source, destination }, found) =>
          writingBoth(found, source, destination, async (from, to) => {
            if (from.stats === undefined) throw new AccessError(`There is no ${source}`);
            if (to.stats !== undefined) throw new AccessError(`Destination already exists: ${destination}`);
            await moveTo(from, to, destination);
            changed(from.real);
            changed(to.real);
            return shown(`Successfully moved ${source} to ${destination}`);
          }),
        ),
      ),
      search_files: tool(
        {
          title: 'Search Files',
          description:
            "Find files and directories by a glob pattern: '*.ext' in the directory itself, '**/*.ext' below it, too. Returns their full paths. Only searches within allowed directories.",
          input: z.object({
            path,
            pattern: z.string().min(1).max(1_000),
            excludePatterns: z.array(z.string().max(1_000)).max(100).optional().default([]),
          }),
          output: CONTENT,
          ...READS,
        },
        doing(async ({ path: asked, pattern, excludePatterns }, found, { signal, progress }) => {
          const start = await withFolder(found, asked, async ({ real }) => real);
          const counted = new Set<string>();
          const fits = matcherOf([pattern], { counted });
          const excluded = matcherOf(excludePatterns, { counted });
          const results: string[] = [];
          await walk(found, asked, { signal, excluded, onProgress: (seen) => progress(seen) }, ({ relative }) => {
            if (fits(relative)) results.push(join(start, relative));
          });
          return shown(results.length > 0 ? results.join('\n') : 'No matches found');
        }),
      ),
      get_file_info: tool(
        {
          title: 'Get File Info',
          description:
            'Get what is known of a file or directory: size, times, permissions, type. Only works within allowed directories.',
          input: z.object({ path }),
          output: CONTENT,
          ...READS,
        },
        doing(async ({ path: asked }, found) =>
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
          description: 'List the directories that may be used, with all that is in them.',
          output: CONTENT,
          ...READS,
        },
        doing(async (_, found) => shown(`Allowed directories:\n${found.given.join('\n')}`)),
      ),
    },
    // Who subscribes to a file reads it.
    resources: createParts(allowed, access, createWatching(changed)),
  });
  return app;
};

/** How many entries are looked at at once. */
const AT_ONCE = 32;

const sizes = async (found: Folders, asked: string, sortBy: 'name' | 'size', signal: AbortSignal): Promise<string> => {
  const entries = await entriesIn(found, asked, signal);
  const base = found.absolute(asked);
  const detailed: { readonly name: string; readonly isFolder: boolean; readonly size: number | undefined }[] = [];
  for (let from = 0; from < entries.length; from += AT_ONCE)
    detailed.push(
      ...(await Promise.all(
        entries.slice(from, from + AT_ONCE).map(async (entry) => ({
          name: entry.name,
          isFolder: entry.isDirectory(),
          size: await withEither(found, join(base, entry.name), async ({ stats }) => stats.size).catch(() => undefined),
        })),
      )),
    );
  detailed.sort((a, b) => (sortBy === 'size' ? (b.size ?? 0) - (a.size ?? 0) : a.name.localeCompare(b.name)));
  const rows = detailed.map(
    ({ name, isFolder, size }) =>
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
};

/** Makes a folder and those above it, one after the other, each in one that was opened. */
const createFolder = async (found: Folders, asked: string): Promise<void> => {
  const target = found.absolute(asked);
  const missing: string[] = [];
  for (let at = target; ; at = resolve(at, '..')) {
    const isThere = await withFolder(found, at, async () => true).catch((error: Error) => {
      if (!error.message.startsWith('There is no')) throw error;
      return false;
    });
    if (isThere) break;
    missing.unshift(at);
  }
  for (const folder of missing)
    await withSpot(found, folder, async ({ path: at, stats }) => {
      if (stats === undefined) await mkdir(at);
      else if (!stats.isDirectory()) throw new AccessError(`${asked} cannot be made: there is something else`);
    });
};
