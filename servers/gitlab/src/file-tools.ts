import { tool } from 'tenon';
import { z } from 'zod';
import { createHandlers } from '../../shared/api/access.ts';
import { apiErrorIn } from '../../shared/api/api-error.ts';
import { dataReply } from '../../shared/api/data-reply.ts';
import { ADDS, CHANGES, READS } from '../../shared/api/hints.ts';
import { collectPages } from '../../shared/api/pages.ts';
import { pick } from '../../shared/api/pick.ts';
import { notesOnFile, textOfFile } from '../../shared/repositories/file-contents.ts';
import { content, message, path, ref } from '../../shared/repositories/inputs.ts';
import type { Access } from './access.ts';
import { fileUri } from './file-resource.ts';
import { type Gitlab, inProject, SERVICE } from './gitlab-client.ts';
import { PROJECT } from './inputs.ts';
import { CHANGED_FILE_SHAPE, COMMIT_SHAPE, ENTRY_SHAPE, FILE_SHAPE } from './shapes.ts';

/** How many entries of a directory are given. */
const MAX_ENTRIES = 1_000;
/** GitLab lists no directory with a longer path, in characters. */
const MAX_DIRECTORY_LENGTH = 1_024;

const CONTENTS_SHAPE = z.object({
  file: FILE_SHAPE.optional(),
  entries: z.array(ENTRY_SHAPE).optional(),
  is_complete: z
    .boolean()
    .optional()
    .describe(`False if there are more entries, as in directories with more than ${MAX_ENTRIES}`),
});
const WRITTEN_SHAPE = CHANGED_FILE_SHAPE.extend({ commit: COMMIT_SHAPE.optional() });

interface Place {
  readonly project_id: string;
  readonly file_path: string;
  readonly ref: string;
}

/** The result of a read, or undefined if it does not exist. */
async function orMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (apiErrorIn(error)?.status === 404) return undefined;
    throw error;
  }
}

function fileIn({ project_id, file_path }: Pick<Place, 'project_id' | 'file_path'>): string {
  return inProject(project_id, 'repository', 'files', file_path);
}

/** The id of the last commit that changed a file; undefined if the file does not exist. */
async function lastCommitOf(gitlab: Gitlab, place: Place): Promise<string | undefined> {
  const headers = await orMissing(gitlab.headers(fileIn(place), { ref: place.ref }));
  return headers === undefined ? undefined : (headers.get('x-gitlab-last-commit-id') ?? '');
}

async function entriesOf(gitlab: Gitlab, { project_id, file_path, ref }: Place) {
  return collectPages({
    read: async (page) => {
      const query = { path: file_path === '' ? undefined : file_path, ref, page, per_page: 100 };
      const { items, hasNext } = await gitlab.page(inProject(project_id, 'repository', 'tree'), query);
      return { items: items.map((item) => pick(SERVICE, ENTRY_SHAPE, item)), hasNext };
    },
    keyOf: ({ path }) => path,
    maxItems: MAX_ENTRIES,
    onPage: (count) => gitlab.report(`${count} entries so far`),
  });
}

function directoryReply({ items, isCut }: Awaited<ReturnType<typeof entriesOf>>) {
  const notes = isCut ? [`Only the first ${items.length} are here.`] : [];
  return dataReply(SERVICE, { entries: items, is_complete: !isCut }, { shown: items, notes });
}

function fileReply({ project_id: project, file_path: path, ref }: Place, value: unknown, token: string | undefined) {
  const file = pick(SERVICE, FILE_SHAPE, value);
  const text = textOfFile(file, token);
  const known = { ...file, content: text };
  const link = { path: file.file_path, name: file.file_name, size: file.size };
  const notes = text === undefined ? notesOnFile(fileUri({ project, ref, path }), link) : [];
  return dataReply(SERVICE, { file: known }, { shown: known, notes });
}

interface NewFile {
  readonly file_path: string;
  readonly content: string;
}

/** The actions of a commit that writes files, whether they exist or not. Undefined if none of them exists. */
async function actionsOn(gitlab: Gitlab, files: readonly NewFile[], place: Omit<Place, 'file_path'>) {
  const actions = [];
  for (const file of files) {
    await gitlab.report(`Looking for ${file.file_path}`);
    const last_commit_id = await lastCommitOf(gitlab, { ...place, file_path: file.file_path });
    actions.push(
      last_commit_id === undefined ? { action: 'create', ...file } : { action: 'update', ...file, last_commit_id },
    );
  }
  return actions.some(({ action }) => action === 'update') ? actions : undefined;
}

/** What GitLab says about a commit that creates a file that exists. It is not translated. */
const FILE_EXISTS = /A file with this name already exists/;

/** Commits files. GitLab refuses a whole commit if it creates a file that exists, and then it is told which ones do. */
async function commitFiles(gitlab: Gitlab, { project_id, branch, files, commit_message }: PushInput) {
  const commits = inProject(project_id, 'repository', 'commits');
  const commit = (actions: unknown) =>
    gitlab.ask(commits, { method: 'POST', body: { branch, commit_message, actions } });
  try {
    return await commit(files.map((file) => ({ action: 'create', ...file })));
  } catch (error) {
    const refusal = apiErrorIn(error);
    if (refusal?.status !== 400 || !FILE_EXISTS.test(refusal.message)) throw error;
    const actions = await actionsOn(gitlab, files, { project_id, ref: branch });
    if (actions === undefined) throw error;
    return commit(actions);
  }
}

const PUSH = z.object({
  ...PROJECT,
  branch: ref.describe('Branch to push to'),
  files: z
    .array(
      z.object({
        file_path: path.min(1).describe('Path of the file'),
        content: content.describe('Content of the file'),
      }),
    )
    .min(1)
    .max(1_000)
    .describe('Array of files to push'),
  commit_message: message,
});
type PushInput = z.infer<typeof PUSH>;

export function fileTools(access: Access) {
  const withGitlab = createHandlers(access);
  return {
    get_file_contents: tool(
      {
        title: 'Get file contents',
        description:
          'Get the contents of a file or directory from a GitLab project. Large and binary files are given as links.',
        input: z.object({
          ...PROJECT,
          file_path: path.describe('Path to the file or directory'),
          ref: ref.default('HEAD').describe('Branch/tag/commit to get contents from (default: the default branch)'),
        }),
        output: CONTENTS_SHAPE,
        ...READS,
      },
      withGitlab(async (gitlab, place) => {
        if (place.file_path === '') return directoryReply(await entriesOf(gitlab, place));
        try {
          return fileReply(place, await gitlab.ask(fileIn(place), { query: { ref: place.ref } }), gitlab.token);
        } catch (error) {
          if (apiErrorIn(error)?.status !== 404 || place.file_path.length > MAX_DIRECTORY_LENGTH) throw error;
          const entries = await orMissing(entriesOf(gitlab, place));
          if (entries === undefined || entries.items.length === 0) throw error;
          return directoryReply(entries);
        }
      }),
    ),
    create_or_update_file: tool(
      {
        title: 'Create or update a file',
        description: 'Create or update a single file in a GitLab project',
        input: z.object({
          ...PROJECT,
          file_path: path.min(1).describe('Path where to create/update the file'),
          content: content.describe('Content of the file'),
          commit_message: message,
          branch: ref.describe('Branch to create/update the file in'),
          previous_path: path.min(1).optional().describe('Path of the file to move/rename'),
        }),
        output: WRITTEN_SHAPE,
        ...CHANGES,
      },
      withGitlab(async (gitlab, { previous_path, ...input }) => {
        const { project_id, file_path, content, commit_message, branch } = input;
        if (previous_path !== undefined) {
          const actions = [{ action: 'move', file_path, previous_path, content }];
          const body = { branch, commit_message, actions };
          const commits = inProject(project_id, 'repository', 'commits');
          const commit = pick(SERVICE, COMMIT_SHAPE, await gitlab.ask(commits, { method: 'POST', body }));
          return dataReply(SERVICE, { file_path, branch, commit });
        }
        const last_commit_id = await lastCommitOf(gitlab, { ...input, ref: branch });
        const isNew = last_commit_id === undefined;
        // With the last commit, GitLab refuses to replace what was committed in the meantime.
        const body = { branch, content, commit_message, last_commit_id };
        const written = await gitlab.ask(fileIn(input), { method: isNew ? 'POST' : 'PUT', body });
        return dataReply(SERVICE, pick(SERVICE, CHANGED_FILE_SHAPE, written));
      }),
    ),
    push_files: tool(
      {
        title: 'Push files',
        description: 'Push multiple files to a GitLab project in a single commit',
        input: PUSH,
        output: COMMIT_SHAPE,
        ...ADDS,
        destructive: true,
      },
      withGitlab(async (gitlab, input) =>
        dataReply(SERVICE, pick(SERVICE, COMMIT_SHAPE, await commitFiles(gitlab, input))),
      ),
    ),
  };
}
