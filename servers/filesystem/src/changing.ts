import { lstat, mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { tool } from 'tenon';
import { z } from 'zod';
import { type AccessOptions, withFile, withFolder, withSpot } from './access.ts';
import { CONTENT, shown } from './answer.ts';
import { type Doing, path } from './doing.ts';
import { applyEdits, diffOf, MOST_EDITS, MOST_OLD_TEXT } from './edit.ts';
import { AccessError, type Folders } from '../../shared/folders.ts';
import { moveTo } from './move.ts';
import { whole } from './whole.ts';
import { replaceFile } from './write.ts';
import { writing, writingBoth } from './writing.ts';

export interface ChangingOptions {
  readonly access: AccessOptions;
  /** Is the user asked before a file is overwritten, where the client can ask? */
  readonly confirm: boolean;
  /** Gets where something is that was changed. */
  readonly changed: (real: string) => void;
}

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

/** What changes files and folders. */
export const changingTools = (doing: Doing, { access, confirm, changed }: ChangingOptions) => ({
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
                .max(MOST_OLD_TEXT, `more than ${MOST_OLD_TEXT} characters: give only what changes, in several edits`)
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
});
