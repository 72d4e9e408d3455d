import { tool } from 'tenon';
import { z } from 'zod';
import { createHandlers } from '../../shared/api/access.ts';
import { READS } from '../../shared/api/hints.ts';
import { direction, page, per_page } from './inputs.ts';
import { FOUND_CODE_SHAPE, FOUND_USER_SHAPE, ISSUE_SHAPE, REPOSITORY_SHAPE } from './shapes.ts';
import { foundOf, shownFound, type ToolSetting } from './tool-setting.ts';

const text = z.string().min(1).max(1_000);
const SEARCH = {
  q: text.describe("Search query in GitHub's syntax"),
  order: direction.optional(),
  page: page.optional(),
  per_page: per_page.optional(),
};

export function searchTools(setting: ToolSetting) {
  const withGithub = createHandlers(setting.access);
  return {
    search_repositories: tool(
      {
        title: 'Search repositories',
        description: 'Search for GitHub repositories',
        input: z.object({
          query: text.describe('Search query (see GitHub search syntax)'),
          page: page.default(1).describe('Page number for pagination (default: 1)'),
          perPage: per_page.default(30).describe('Number of results per page (default: 30, max: 100)'),
        }),
        output: foundOf(REPOSITORY_SHAPE),
        ...READS,
      },
      withGithub(async (github, { query, page, perPage }) =>
        shownFound(
          REPOSITORY_SHAPE,
          await github.ask('GET /search/repositories', { q: query, page, per_page: perPage }),
          page,
        ),
      ),
    ),
    search_code: tool(
      {
        title: 'Search code',
        description: 'Search for code across GitHub repositories',
        input: z.object(SEARCH),
        output: foundOf(FOUND_CODE_SHAPE),
        ...READS,
      },
      withGithub(async (github, input) =>
        shownFound(FOUND_CODE_SHAPE, await github.ask('GET /search/code', input), input.page),
      ),
    ),
    search_issues: tool(
      {
        title: 'Search issues',
        description: 'Search for issues and pull requests across GitHub repositories',
        input: z.object({
          ...SEARCH,
          sort: z
            .enum([
              'comments',
              'reactions',
              'reactions-+1',
              'reactions--1',
              'reactions-smile',
              'reactions-thinking_face',
              'reactions-heart',
              'reactions-tada',
              'interactions',
              'created',
              'updated',
            ])
            .optional()
            .describe('What to sort results by (default: best match)'),
        }),
        output: foundOf(ISSUE_SHAPE),
        ...READS,
      },
      withGithub(async (github, input) =>
        shownFound(ISSUE_SHAPE, await github.ask('GET /search/issues', input), input.page),
      ),
    ),
    search_users: tool(
      {
        title: 'Search users',
        description: 'Search for users on GitHub',
        input: z.object({
          ...SEARCH,
          sort: z
            .enum(['followers', 'repositories', 'joined'])
            .optional()
            .describe('What to sort results by (default: best match)'),
        }),
        output: foundOf(FOUND_USER_SHAPE),
        ...READS,
      },
      withGithub(async (github, input) =>
        shownFound(FOUND_USER_SHAPE, await github.ask('GET /search/users', input), input.page),
      ),
    ),
  };
}
