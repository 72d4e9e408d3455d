import { tool } from 'tenon';
import { z } from 'zod';
import { createHandlers } from '../../shared/api/access.ts';
import { dataReply } from '../../shared/api/data-reply.ts';
import { ADDS, READS } from '../../shared/api/hints.ts';
import { nextPage } from '../../shared/api/pages.ts';
import { pick } from '../../shared/api/pick.ts';
import { page, ref } from '../../shared/repositories/inputs.ts';
import type { Access } from './access.ts';
import { inProject, SERVICE } from './gitlab-client.ts';
import { description, PROJECT, title } from './inputs.ts';
import { BRANCH_SHAPE, FORK_SHAPE, PROJECT_SHAPE } from './shapes.ts';

const FOUND_SHAPE = z.object({
  count: z.number().nullable().describe('How many there are; null for more than 10,000'),
  items: z.array(PROJECT_SHAPE),
  next_page: z.number().nullable().describe('The page to ask for next; null after the last one'),
});

export function projectTools(access: Access) {
  const withGitlab = createHandlers(access);
  return {
    search_repositories: tool(
      {
        title: 'Search projects',
        description: 'Search for GitLab projects',
        input: z.object({
          search: z.string().min(1).max(1_000).describe('Search query'),
          page: page.default(1).describe('Page number for pagination (default: 1)'),
          per_page: z.int().min(1).max(100).default(20).describe('Number of results per page (default: 20, max: 100)'),
        }),
        output: FOUND_SHAPE,
        ...READS,
      },
      withGitlab(async (gitlab, query) => {
        const { items: all, hasNext, total: count } = await gitlab.page('projects', query);
        const items = all.map((item) => pick(SERVICE, PROJECT_SHAPE, item));
        const { next_page, notes } = nextPage(hasNext, query.page);
        return dataReply(SERVICE, { count, items, next_page }, { shown: { count, items }, notes });
      }),
    ),
    create_repository: tool(
      {
        title: 'Create a project',
        description: 'Create a new GitLab project',
        input: z.object({
          name: title.describe('Repository name'),
          description: description.optional().describe('Repository description'),
          visibility: z.enum(['private', 'internal', 'public']).optional().describe('Repository visibility level'),
          initialize_with_readme: z.boolean().optional().describe('Initialize with README.md'),
        }),
        output: PROJECT_SHAPE,
        ...ADDS,
      },
      withGitlab(async (gitlab, body) =>
        dataReply(SERVICE, pick(SERVICE, PROJECT_SHAPE, await gitlab.ask('projects', { method: 'POST', body }))),
      ),
    ),
    fork_repository: tool(
      {
        title: 'Fork a project',
        description: 'Fork a GitLab project to your account or specified namespace',
        input: z.object({
          ...PROJECT,
          namespace: z.string().min(1).max(1_000).optional().describe('Namespace to fork to (full path)'),
        }),
        output: FORK_SHAPE,
        ...ADDS,
      },
      withGitlab(async (gitlab, { project_id, namespace }) => {
        const body = namespace === undefined ? undefined : { namespace_path: namespace };
        const fork = await gitlab.ask(inProject(project_id, 'fork'), { method: 'POST', body });
        return dataReply(SERVICE, pick(SERVICE, FORK_SHAPE, fork));
      }),
    ),
    create_branch: tool(
      {
        title: 'Create a branch',
        description: 'Create a new branch in a GitLab project',
        input: z.object({
          ...PROJECT,
          branch: ref.describe('Name for the new branch'),
          ref: ref.default('HEAD').describe('Source branch/commit for new branch (default: the default branch)'),
        }),
        output: BRANCH_SHAPE,
        ...ADDS,
      },
      withGitlab(async (gitlab, { project_id, ...body }) => {
        const branches = inProject(project_id, 'repository', 'branches');
        return dataReply(SERVICE, pick(SERVICE, BRANCH_SHAPE, await gitlab.ask(branches, { method: 'POST', body })));
      }),
    ),
  };
}
