import { lstat, mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { tool } from 'tenon';
import { z } from 'zod';
import { type AccessOptions, withFile, withFolder, withWriteTarget } from './access.ts';
import { CONTENT, shown } from './answer.ts';
import { type WrapHandler, path } from './tool-handler.ts';
import { applyEdits, diffOf, MAX_EDITS, MAX_OLD_TEXT_LENGTH } from './edit.ts';
import { AccessError, type Folders } from '../../shared/folders.ts';
import { moveTo } from './move.ts';
import { shownName } from './names.ts';
import { readWhole } from './read-whole.ts';
import { replaceFile } from './write.ts';
import { withWriteLock, withWriteLocks } from './write-lock.ts';

export interface ChangingOptions {
  readonly access: AccessOptions;
  /** Whether to ask the user before a file is overwritten, if the client supports elicitation. */
  readonly confirm: boolean;
  /** Called with the real path of each changed file. */
  readonly changed: (real: string) => void;
}

/** Makes a folder and its missing parents, each one inside of an open folder. */
async function createFolder(found: Folders, asked: string): Promise<void> {
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
    await withWriteTarget(found, folder, async ({ path: at, stats }) => {
      if (stats === undefined) await mkdir(at);
      else if (!stats.isDirectory()) throw new AccessError(`${asked} cannot be created: something else has this name`);
    });
}

/** Tools that change files and folders. */
export function changingTools(handler: WrapHandler, { access, confirm, changed }: ChangingOptions) {
  return {
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
      handler(async ({ path: asked, content }, found, ctx) => {
        const isThere = await withWriteTarget(found, asked, async ({ stats }) => stats !== undefined);
        if (isThere && confirm && ctx.client.can('elicitation')) {
          const sure = z.object({ overwrite: z.boolean().default(false).describe('Overwrite it?') });
          const { overwrite } = await ctx.ask('overwrite', `${asked} already exists. Overwrite it?`, sure);
          if (!overwrite) throw new AccessError(`${asked} was not changed: the user declined`);
        }
        return withWriteLock(found, asked, async (writeTarget) => {
          if (
            writeTarget.stats !== undefined &&
            writeTarget.stats.nlink > 1 &&
            writeTarget.stats.isFile() &&
            !access.hardLinks
          )
            throw new AccessError(`${asked} has other hard links: it can be changed only with --allow-hard-links`);
          await replaceFile(writeTarget, content, writeTarget.checkLock);
          changed(writeTarget.real);
          return shown(`Successfully wrote to ${asked}`);
        });
      }),
    ),
    edit_file: tool(
      {
        title: 'Edit File',
        description:
          'Edit a text file: each edit replaces one text, which must occur exactly once, or lines that differ only in surrounding white space. Returns a git-style diff. Only works within allowed directories.',
        input: z.object({
          path,
          edits: z
            .array(
              z.object({
                oldText: z
                  .string()
                  .max(
                    MAX_OLD_TEXT_LENGTH,
                    `more than ${MAX_OLD_TEXT_LENGTH} characters: give only what changes, in several edits`,
                  )
                  .describe('Text to search for - must match exactly, and only once'),
                newText: z.string().describe('Text to replace with'),
              }),
            )
            .max(MAX_EDITS, `more than ${MAX_EDITS} edits: make the others in another call`),
          dryRun: z.boolean().default(false).describe('Preview changes using git-style diff format'),
        }),
        output: CONTENT,
        readOnly: false,
        idempotent: false,
        destructive: true,
        openWorld: false,
      },
      handler(async ({ path: asked, edits, dryRun }, found) => {
        const edit = () =>
          withFile(found, asked, access, async (file) => {
            const before = await readWhole(file, asked);
            const after = applyEdits(before, edits);
            return { stats: file.stats, after, answer: shown(diffOf(shownName(file.real), before, after)) };
          });
        if (dryRun) return (await edit()).answer;
        // Read and write under one lock, so that changes of other calls are not lost.
        return withWriteLock(found, asked, async (writeTarget) => {
          const { stats, after, answer } = await edit();
          const now = await lstat(writeTarget.path).catch(() => undefined);
          if (now?.ino !== stats.ino || now.size !== stats.size || now.mtimeMs !== stats.mtimeMs)
            throw new AccessError(`${asked} was changed by another program meanwhile: read it again`);
          await replaceFile({ ...writeTarget, stats: now }, after, writeTarget.checkLock);
          changed(writeTarget.real);
          return answer;
        });
      }),
    ),
    create_directory: tool(
      {
        title: 'Create Directory',
        description:
          'Create a directory and its missing parents. An existing directory is not an error. Only works within allowed directories.',
        input: z.object({ path }),
        output: CONTENT,
        readOnly: false,
        idempotent: true,
        destructive: false,
        openWorld: false,
      },
      handler(async ({ path: asked }, found) => {
        await createFolder(found, asked);
        return shown(`Successfully created directory ${asked}`);
      }),
    ),
    move_file: tool(
      {
        title: 'Move File',
        description:
          'Move or rename files and directories. Fails if the destination exists. Only works within allowed directories.',
        input: z.object({ source: path, destination: path }),
        output: CONTENT,
        readOnly: false,
        idempotent: false,
        destructive: true,
        openWorld: false,
      },
      handler(async ({ source, destination }, found) =>
        withWriteLocks(found, source, destination, async (from, to) => {
          if (from.stats === undefined) throw new AccessError(`There is no ${source}`);
          if (to.stats !== undefined) throw new AccessError(`Destination already exists: ${destination}`);
          await moveTo(from, to, destination);
          changed(from.real);
          changed(to.real);
          return shown(`Successfully moved ${source} to ${destination}`);
        }),
      ),
    ),
  };
}
