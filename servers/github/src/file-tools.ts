import { tool, ToolError } from 'tenon';
import { z } from 'zod';
import { createHandlers } from '../../shared/api/access.ts';
import { ADDS, CHANGES, READS } from '../../shared/api/hints.ts';
import { notesOnFile, textOfFile } from '../../shared/repositories/file-contents.ts';
import { content, message, path, ref } from '../../shared/repositories/inputs.ts';
import { dataReply } from '../../shared/api/data-reply.ts';
import { pick } from '../../shared/api/pick.ts';
import { apiErrorIn } from '../../shared/api/api-error.ts';
import { fileUri } from './file-resource.ts';
import { type Github, SERVICE } from './github-client.ts';
import { REPOSITORY } from './inputs.ts';
import { DIRECTORY_ENTRY_SHAPE, FILE_COMMIT_SHAPE, FILE_SHAPE, REF_SHAPE } from './shapes.ts';
import { shown, type ToolSetting } from './tool-setting.ts';

const CONTENTS = '/repos/{owner}/{repo}/contents/{path}';
const CONTENTS_SHAPE = z.object({ file: FILE_SHAPE.optional(), entries: z.array(DIRECTORY_ENTRY_SHAPE).optional() });

interface Place {
  readonly owner: string;
  readonly repo: string;
  readonly path: string;
  readonly branch?: string | undefined;
}

async function contentsOf(github: Github, { owner, repo, path, branch }: Place): Promise<unknown> {
  return (await github.ask(`GET ${CONTENTS}`, { owner, repo, path, ref: branch })).data;
}

/** The SHA of a file; undefined if it does not exist. */
async function shaOf(github: Github, place: Place): Promise<string | undefined> {
  try {
    const found = await contentsOf(github, place);
    if (Array.isArray(found)) throw new ToolError(`${place.path} is a directory.`);
    return pick(SERVICE, FILE_SHAPE, found).sha;
  } catch (error) {
    if (apiErrorIn(error)?.status === 404) return undefined;
    throw error;
  }
}

export function fileTools(setting: ToolSetting) {
  const withGithub = createHandlers(setting.access);
  return {
    get_file_contents: tool(
      {
        title: 'Get file contents',
        description:
          'Get the contents of a file or directory from a GitHub repository. Large and binary files are given as links.',
        input: z.object({
          ...REPOSITORY,
          path: path.describe('Path to the file or directory'),
          branch: ref.optional().describe('Branch to get contents from'),
        }),
        output: CONTENTS_SHAPE,
        ...READS,
      },
      withGithub(async (github, place) => {
        const found = await contentsOf(github, place);
        if (Array.isArray(found)) {
          const entries = found.map((entry) => pick(SERVICE, DIRECTORY_ENTRY_SHAPE, entry));
          return dataReply(SERVICE, { entries }, { shown: entries });
        }
        const file = pick(SERVICE, FILE_SHAPE, found);
        if (file.type !== 'file') return dataReply(SERVICE, { file }, { shown: file });
        const text = textOfFile(file, github.token);
        const known = { ...file, content: text };
        if (text !== undefined) return dataReply(SERVICE, { file: known }, { shown: known });
        const uri = fileUri({ ...place, branch: place.branch ?? 'HEAD' });
        const notes = notesOnFile(uri, file);
        return dataReply(SERVICE, { file: known }, { shown: known, notes });
      }),
    ),
    create_or_update_file: tool(
      {
        title: 'Create or update a file',
        description: 'Create or update a single file in a GitHub repository',
        input: z.object({
          ...REPOSITORY,
          path: path.min(1).describe('Path where to create/update the file'),
          content: content.describe('Content of the file'),
          message,
          branch: ref.describe('Branch to create/update the file in'),
          sha: z
            .string()
            .min(1)
            .max(64)
            .optional()
            .describe('SHA of the file being replaced. Without it, the present state is replaced'),
        }),
        output: FILE_COMMIT_SHAPE,
        ...CHANGES,
      },
      withGithub(async (github, { content, sha, ...input }) => {
        const replaced = sha ?? (await shaOf(github, input));
        const written = { ...input, content: Buffer.from(content).toString('base64'), sha: replaced };
        return shown(FILE_COMMIT_SHAPE, (await github.ask(`PUT ${CONTENTS}`, written)).data);
      }),
    ),
    push_files: tool(
      {
        title: 'Push files',
        description: 'Push multiple files to a GitHub repository in a single commit',
        input: z.object({
          ...REPOSITORY,
          branch: ref.describe("Branch to push to (e.g., 'main' or 'master')"),
          files: z
            .array(
              z.object({
                path: path.min(1).describe('Path of the file'),
                content: content.describe('Content of the file'),
              }),
            )
            .min(1)
            .max(1_000)
            .describe('Array of files to push'),
          message,
        }),
        output: REF_SHAPE,
        ...ADDS,
        destructive: true,
      },
      withGithub(async (github, { owner, repo, branch, files, message }) => {
        const head = { owner, repo, ref: `heads/${branch}` };
        const parent = (await github.ask('GET /repos/{owner}/{repo}/git/ref/{ref}', head)).data.object.sha;
        const tree = files.map((file) => ({ ...file, mode: '100644', type: 'blob' }) as const);
        await github.report(`Uploading ${files.length} files`);
        const made = await github.ask('POST /repos/{owner}/{repo}/git/trees', { owner, repo, tree, base_tree: parent });
        const commit = { owner, repo, message, tree: made.data.sha, parents: [parent] };
        const { sha } = (await github.ask('POST /repos/{owner}/{repo}/git/commits', commit)).data;
        // Not forced, so that a commit that was pushed in the meantime is not lost.
        const moved = { ...head, sha, force: false };
        return shown(REF_SHAPE, (await github.ask('PATCH /repos/{owner}/{repo}/git/refs/{ref}', moved)).data);
      }),
    ),
  };
}
