import { type CallContext, prompt, reply, type Server, server, text, tool, ToolError } from 'tenon';
import { z } from 'zod';
import { decodeUtf8 } from '@tenon/values/utf8';
import { createAllowed } from '../../shared/allowed.ts';
import { checkWritable } from '../../shared/bytes.ts';
import { AccessError, type Folders } from '../../shared/folders.ts';
import { icon } from '../../shared/icon.ts';
import { checkName, type Repository, withRepository } from './repository.ts';
import type { GitResult } from './run.ts';
import type { UserSettings } from './user.ts';

const ICON = icon(
  '#c92a2a',
  '<circle cx="8" cy="6" r="2"/><circle cx="8" cy="18" r="2"/><circle cx="16" cy="9" r="2"/><path d="M8 8v8M16 11c0 3-8 2-8 5"/>',
);

export interface GitOptions {
  readonly folders: Folders;
  /** Called once, with the first use of a repository. */
  readonly readUser: () => Promise<UserSettings>;
}

const repo_path = z.string().min(1).max(4_096).describe('Path to Git repository');
const ref = z.string().min(1).max(1_000);
const context_lines = z.int().min(0).max(10_000).default(3).describe('Number of context lines to show');
const READS = { readOnly: true, destructive: false, idempotent: true, openWorld: false } as const;

const COMMIT = z.object({ hash: z.string(), author: z.string(), date: z.string(), message: z.string() });
type Commit = z.infer<typeof COMMIT>;

/** Do not look into submodules: git would run git there, with the submodule's settings. */
const IGNORED = '--ignore-submodules=dirty';

/** The repository must not choose programs that show its content. */
const PLAIN = ['--no-ext-diff', '--no-textconv', '--no-color', IGNORED];

const BYTES = '\n(Bytes that are not UTF-8 are shown as <E9>.)';

function cut({ out, isCut, isUtf8 }: GitResult): string {
  const more = isCut ? '\n(The output is truncated: request a part of it, or fewer context lines.)' : '';
  return `${out}${isUtf8 ? '' : BYTES}${more}`;
}

/** Parses the output of `git log -z --format=%H%n%an <%ae>%n%aI%n%B`. Names contain no line breaks, messages no NUL. */
function commitsIn(out: string): Commit[] {
  return out
    .split('\0')
    .filter((entry) => entry.trim() !== '')
    .map((entry) => {
      const [hash = '', author = '', date = '', ...message] = entry.split('\n');
      return { hash, author, date, message: message.join('\n').trim() };
    });
}

function shownCommit({ hash, author, date, message }: Commit): string {
  return `Commit: ${hash}\nAuthor: ${author}\nDate: ${date}\nMessage: ${message}\n`;
}

/** The branch that is checked out; undefined if a commit is. */
async function currentBranch(git: Repository): Promise<string | undefined> {
  const ran = await git.run(['symbolic-ref', '--quiet', '--short', 'HEAD'], { codes: [0, 1] });
  return ran.code === 0 ? ran.out.trim() : undefined;
}

/** The paths of which git has nothing in its index or the last commit. `git add` does not report them. */
async function notStaged(git: Repository, files: readonly string[]): Promise<string[]> {
  const known = (paths: readonly string[]) =>
    git.run(['ls-files', '--error-unmatch', '--', ...paths], { codes: [0, 1] });
  const { code, isCut } = await known(files);
  if (code === 0 && !isCut) return [];
  const without: string[] = [];
  for (const file of files) {
    if ((await known([file])).code === 0) continue;
    // A deleted file is staged by removing it from the index.
    const { out } = await git.run(['diff-index', '--cached', '--name-only', 'HEAD', '--', file], { codes: [0, 128] });
    if (out === '') without.push(file);
  }
  return without;
}

const FORMAT = '--format=%H%n%an <%ae>%n%aI%n%B';

/** Makes the server. */
export function createGit({ folders, readUser }: GitOptions): Server {
  let reading: Promise<UserSettings> | undefined;
  const user = () => (reading ??= readUser());
  const allowed = createAllowed(folders);
  const inRepository =
    <In extends { readonly repo_path: string }, Out>(act: (repository: Repository, input: In) => Promise<Out>) =>
    async (input: In, ctx: CallContext): Promise<Out> => {
      try {
        checkWritable(input);
        const found = await allowed(ctx);
        return await withRepository(found, input.repo_path, await user(), ctx.signal, (git) => act(git, input));
      } catch (error) {
        if (error instanceof AccessError) throw new ToolError(error.message);
        throw error;
      }
    };

  return server({
    name: 'git',
    version: '0.1.0',
    icons: [ICON],
    title: 'Git',
    tools: {
      git_status: tool(
        { title: 'Status', description: 'Shows the working tree status', input: z.object({ repo_path }), ...READS },
        inRepository(async (git) => `Repository status:\n${cut(await git.run(['status', IGNORED]))}`),
      ),
      git_diff_unstaged: tool(
        {
          title: 'Unstaged changes',
          description: 'Shows changes in the working directory that are not yet staged',
          input: z.object({ repo_path, context_lines }),
          ...READS,
        },
        inRepository(
          async (git, { context_lines: lines }) =>
            `Unstaged changes:\n${cut(await git.run(['diff', ...PLAIN, `--unified=${lines}`]))}`,
        ),
      ),
      git_diff_staged: tool(
        {
          title: 'Staged changes',
          description: 'Shows changes that are staged for commit',
          input: z.object({ repo_path, context_lines }),
          ...READS,
        },
        inRepository(
          async (git, { context_lines: lines }) =>
            `Staged changes:\n${cut(await git.run(['diff', ...PLAIN, `--unified=${lines}`, '--cached']))}`,
        ),
      ),
      git_diff: tool(
        {
          title: 'Differences',
          description: 'Shows differences between branches or commits',
          input: z.object({
            repo_path,
            target: ref.describe('The target branch or commit to compare with, or a range: main..topic'),
            context_lines,
          }),
          ...READS,
        },
        inRepository(async (git, { target, context_lines: lines }) => {
          const [, from = target, dots, to] = /^(.*?)(\.{2,3})(.*)$/.exec(target) ?? [];
          const commits =
            dots === undefined
              ? [await git.commit(target)]
              : [`${await git.commit(from || 'HEAD')}${dots}${await git.commit(to || 'HEAD')}`];
          const ran = await git.run(['diff', ...PLAIN, `--unified=${lines}`, ...commits, '--']);
          return `Diff with ${target}:\n${cut(ran)}`;
        }),
      ),
      git_commit: tool(
        {
          title: 'Commit',
          description: 'Records changes to the repository',
          input: z.object({ repo_path, message: z.string().min(1).max(100_000) }),
          readOnly: false,
          destructive: false,
          idempotent: false,
          openWorld: false,
        },
        inRepository(async (git, { message }) => {
          await git.run(['commit', '--no-verify', '--no-gpg-sign', '--cleanup=whitespace', '--file=-'], {
            input: message,
          });
          return `Changes committed successfully with hash ${await git.commit('HEAD')}`;
        }),
      ),
      git_add: tool(
        {
          title: 'Stage',
          description: 'Adds file contents to the staging area',
          input: z.object({ repo_path, files: z.array(z.string().min(1).max(4_096)).min(1).max(1_000) }),
          readOnly: false,
          destructive: false,
          idempotent: true,
          openWorld: false,
        },
        inRepository(async (git, { files }) => {
          for (const file of files) if (file.includes('\0')) throw new AccessError('A path must not contain NUL');
          await git.run(['add', '--', ...files]);
          const without = await notStaged(git, files);
          if (without.length === 0) return 'Files staged successfully';
          const rest = without.length < files.length ? ' All other files are staged.' : '';
          throw new AccessError(
            `Nothing of ${without.join(', ')} could be staged: git keeps no folders without files, and nothing in a .git folder.${rest}`,
          );
        }),
      ),
      git_reset: tool(
        {
          title: 'Unstage',
          description: 'Unstages all staged changes',
          input: z.object({ repo_path }),
          readOnly: false,
          destructive: true,
          idempotent: true,
          openWorld: false,
        },
        inRepository(async (git) => {
          await git.run(['reset', '--quiet']);
          return 'All staged changes reset';
        }),
      ),
      git_log: tool(
        {
          title: 'Log',
          description: 'Shows the commit logs, optionally of a period of time',
          input: z.object({
            repo_path,
            max_count: z.int().min(1).max(1_000).default(10),
            start_timestamp: z
              .string()
              .max(100)
              .optional()
              .describe("Commits after this time: ISO 8601, or relative ('2 weeks ago', 'yesterday')"),
            end_timestamp: z.string().max(100).optional().describe('Commits before this time'),
          }),
          output: z.object({ commits: z.array(COMMIT) }),
          ...READS,
        },
        inRepository(async (git, { max_count, start_timestamp, end_timestamp }) => {
          const times = [
            ...(start_timestamp === undefined ? [] : [`--since=${checkName(start_timestamp, 'timestamp')}`]),
            ...(end_timestamp === undefined ? [] : [`--until=${checkName(end_timestamp, 'timestamp')}`]),
          ];
          const { out, isCut, isUtf8 } = await git.run([
            'log',
            '-z',
            FORMAT,
            '--no-color',
            `--max-count=${max_count}`,
            ...times,
            '--',
          ]);
          // Drop an incomplete last commit.
          const commits = commitsIn(isCut ? out.slice(0, out.lastIndexOf('\0') + 1) : out);
          const more = isCut ? '\n(The output is truncated: request fewer commits, or a period of time.)' : '';
          const shown = `Commit history:\n${commits.map(shownCommit).join('\n')}${isUtf8 ? '' : BYTES}${more}`;
          return reply({ content: [text(shown)], structuredContent: { commits } });
        }),
      ),
      git_create_branch: tool(
        {
          title: 'Create branch',
          description: 'Creates a new branch from an optional base branch',
          input: z.object({ repo_path, branch_name: ref, base_branch: ref.nullish() }),
          readOnly: false,
          destructive: false,
          idempotent: false,
          openWorld: false,
        },
        inRepository(async (git, { branch_name: name, base_branch: base }) => {
          checkName(name, 'branch name');
          await git.run(['check-ref-format', '--branch', name]).catch(() => {
            throw new AccessError(`Invalid branch name: '${name}'`);
          });
          const commit = await git.commit(base ?? 'HEAD');
          await git.run(['branch', '--no-track', '--end-of-options', name, commit]);
          return `Created branch '${name}' from '${base ?? (await currentBranch(git)) ?? commit}'`;
        }),
      ),
      git_checkout: tool(
        {
          title: 'Switch branch',
          description: 'Switches branches',
          input: z.object({ repo_path, branch_name: ref }),
          readOnly: false,
          destructive: false,
          idempotent: true,
          openWorld: false,
        },
        inRepository(async (git, { branch_name: name }) => {
          await git.commit(name);
          await git.run(['checkout', '--quiet', name, '--']);
          return `Switched to branch '${name}'`;
        }),
      ),
      git_show: tool(
        {
          title: 'Show',
          description: 'Shows the contents of a commit',
          input: z.object({
            repo_path,
            revision: ref.describe('The revision (commit hash, branch name, tag) to show'),
          }),
          ...READS,
        },
        inRepository(async (git, { revision }) => {
          const hash = await git.commit(revision);
          const log = await git.run(['log', '-z', FORMAT, '--max-count=1', hash, '--']);
          const [commit] = commitsIn(log.out);
          const patch = await git.run([
            'diff-tree',
            '--root',
            '-p',
            '-m',
            '--first-parent',
            '--no-commit-id',
            ...PLAIN,
            hash,
            '--',
          ]);
          return `${shownCommit(commit!)}\n${cut({ ...patch, isUtf8: patch.isUtf8 && log.isUtf8 })}`;
        }),
      ),
      git_branch: tool(
        {
          title: 'Branches',
          description: 'List Git branches',
          input: z.object({
            repo_path,
            branch_type: z
              .enum(['local', 'remote', 'all'])
              .default('local')
              .describe("Whether to list local branches ('local'), remote branches ('remote') or all branches ('all')"),
            contains: ref.nullish().describe('The commit sha that branches should contain'),
            not_contains: ref.nullish().describe('The commit sha that branches should NOT contain'),
          }),
          ...READS,
        },
        inRepository(async (git, { branch_type, contains, not_contains }) => {
          const type = { local: [], remote: ['--remotes'], all: ['--all'] }[branch_type];
          const filters = [
            ...(contains == null ? [] : ['--contains', await git.commit(contains)]),
            ...(not_contains == null ? [] : ['--no-contains', await git.commit(not_contains)]),
          ];
          return cut(await git.run(['branch', '--no-color', ...type, ...filters]));
        }),
      ),
    },
    prompts: {
      'review-changes': prompt(
        {
          title: 'Review changes',
          description: 'Review the changes of a branch',
          input: z.object({ repo_path, branch: ref.describe('The branch to review'), base: ref.default('HEAD') }),
          complete: {
            branch: async (typed, ctx) => {
              const path = ctx.resolved['repo_path'];
              if (path === undefined) return [];
              // A completion cannot ask the client for its roots; only a tool call can.
              const found = await allowed(ctx as unknown as CallContext).catch(() => undefined);
              const list = ['for-each-ref', '--format=%(refname:short)', 'refs/heads', 'refs/remotes'];
              const ran =
                found &&
                (await withRepository(found, path, await user(), ctx.signal, (git) => git.run(list)).catch(
                  () => undefined,
                ));
              // Leave out names that are not UTF-8, because they cannot be requested.
              return (ran?.bytes.toString('latin1') ?? '')
                .split('\n')
                .map((name) => decodeUtf8(Buffer.from(name, 'latin1')) ?? '')
                .filter((name) => name !== '' && name.startsWith(typed))
                .slice(0, 100);
            },
          },
        },
        inRepository(async (git, { branch, base }) => {
          const range = `${await git.commit(base)}...${await git.commit(branch)}`;
          const patch = cut(await git.run(['diff', ...PLAIN, range, '--']));
          return `Review the changes of ${branch}: bugs first, then possible simplifications.\n\n${patch}`;
        }),
      ),
    },
  });
}
