import { tool } from 'tenon';
import { z } from 'zod';
import { createHandlers } from '../../shared/api/access.ts';
import { ADDS, READS } from '../../shared/api/hints.ts';
import { ref } from '../../shared/repositories/inputs.ts';
import { page, per_page, repo, REPOSITORY } from './inputs.ts';
import { COMMIT_SHAPE, FORK_SHAPE, REF_SHAPE, REPOSITORY_SHAPE } from './shapes.ts';
import { pageOf, shown, shownPage, type ToolSetting } from './tool-setting.ts';

export function repositoryTools(setting: ToolSetting) {
  const withGithub = createHandlers(setting.access);
  return {
    create_repository: tool(
      {
        title: 'Create a repository',
        description: 'Create a new GitHub repository in your account',
        input: z.object({
          name: repo.describe('Repository name'),
          description: z.string().max(350).optional().describe('Repository description'),
          private: z.boolean().optional().describe('Whether the repository should be private'),
          autoInit: z.boolean().optional().describe('Initialize with README.md'),
        }),
        output: REPOSITORY_SHAPE,
        ...ADDS,
      },
      withGithub(async (github, { autoInit, ...input }) =>
        shown(REPOSITORY_SHAPE, (await github.ask('POST /user/repos', { ...input, auto_init: autoInit })).data),
      ),
    ),
    fork_repository: tool(
      {
        title: 'Fork a repository',
        description: 'Fork a GitHub repository to your account or specified organization',
        input: z.object({
          ...REPOSITORY,
          organization: repo.optional().describe('Organization to fork to (defaults to your personal account)'),
        }),
        output: FORK_SHAPE,
        ...ADDS,
      },
      withGithub(async (github, input) =>
        shown(FORK_SHAPE, (await github.ask('POST /repos/{owner}/{repo}/forks', input)).data),
      ),
    ),
    create_branch: tool(
      {
        title: 'Create a branch',
        description: 'Create a new branch in a GitHub repository',
        input: z.object({
          ...REPOSITORY,
          branch: ref.describe('Name for the new branch'),
          from_branch: ref
            .optional()
            .describe("Source branch to create from (defaults to the repository's default branch)"),
        }),
        output: REF_SHAPE,
        ...ADDS,
      },
      withGithub(async (github, { owner, repo, branch, from_branch }) => {
        const source =
          from_branch ?? (await github.ask('GET /repos/{owner}/{repo}', { owner, repo })).data.default_branch;
        const { data } = await github.ask('GET /repos/{owner}/{repo}/git/ref/{ref}', {
          owner,
          repo,
          ref: `heads/${source}`,
        });
        const made = { owner, repo, ref: `refs/heads/${branch}`, sha: data.object.sha };
        return shown(REF_SHAPE, (await github.ask('POST /repos/{owner}/{repo}/git/refs', made)).data);
      }),
    ),
    list_commits: tool(
      {
        title: 'List commits',
        description: 'Get list of commits of a branch in a GitHub repository',
        input: z.object({
          ...REPOSITORY,
          sha: ref.optional().describe('A branch, tag or commit (defaults to the default branch)'),
          page: page.optional(),
          perPage: per_page.optional(),
        }),
        output: pageOf(COMMIT_SHAPE),
        ...READS,
      },
      withGithub(async (github, { perPage, ...input }) => {
        const parameters = { ...input, per_page: perPage };
        return shownPage(COMMIT_SHAPE, await github.ask('GET /repos/{owner}/{repo}/commits', parameters), input.page);
      }),
    ),
  };
}
