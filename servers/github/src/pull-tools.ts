import { tool } from 'tenon';
import { z } from 'zod';
import { createHandlers } from '../../shared/api/access.ts';
import { ADDS, READS } from '../../shared/api/hints.ts';
import { path, ref } from '../../shared/repositories/inputs.ts';
import { body, direction, number, page, per_page, REPOSITORY, title } from './inputs.ts';
import {
  CHANGED_FILE_SHAPE,
  PULL_SHAPE,
  REVIEW_COMMENT_SHAPE,
  REVIEW_SHAPE,
  STATUS_SHAPE,
  WHOLE_PULL_SHAPE,
} from './shapes.ts';
import { pageOf, shown, shownPage, shownWhole, type ToolSetting, wholeOf } from './tool-setting.ts';

const PULL = '/repos/{owner}/{repo}/pulls/{pull_number}';
export const pull_number = number.describe('Pull request number');
const GIVEN = z.object({ ...REPOSITORY, pull_number });
const line = {
  path: path.describe('The relative path to the file being commented on'),
  body: body.min(1).describe('Text of the review comment'),
};

/** The tools that read pull requests, and those that create something about them. */
export function pullTools(setting: ToolSetting) {
  const withGithub = createHandlers(setting.access);
  return {
    create_pull_request: tool(
      {
        title: 'Create a pull request',
        description: 'Create a new pull request in a GitHub repository',
        input: z.object({
          ...REPOSITORY,
          title: title.describe('Pull request title'),
          body: body.optional().describe('Pull request body/description'),
          head: z.string().min(1).max(300).describe('The name of the branch where your changes are implemented'),
          base: ref.describe('The name of the branch you want the changes pulled into'),
          draft: z.boolean().optional().describe('Whether to create the pull request as a draft'),
          maintainer_can_modify: z.boolean().optional().describe('Whether maintainers can modify the pull request'),
        }),
        output: WHOLE_PULL_SHAPE,
        ...ADDS,
      },
      withGithub(async (github, input) =>
        shown(WHOLE_PULL_SHAPE, (await github.ask('POST /repos/{owner}/{repo}/pulls', input)).data),
      ),
    ),
    get_pull_request: tool(
      {
        title: 'Get a pull request',
        description: 'Get details of a specific pull request',
        input: GIVEN,
        output: WHOLE_PULL_SHAPE,
        ...READS,
      },
      withGithub(async (github, input) => shown(WHOLE_PULL_SHAPE, (await github.ask(`GET ${PULL}`, input)).data)),
    ),
    list_pull_requests: tool(
      {
        title: 'List pull requests',
        description: 'List and filter repository pull requests',
        input: z.object({
          ...REPOSITORY,
          state: z.enum(['open', 'closed', 'all']).optional().describe('State of the pull requests to return'),
          head: z.string().max(300).optional().describe('Filter by head user or head organization and branch name'),
          base: ref.optional().describe('Filter by base branch name'),
          sort: z
            .enum(['created', 'updated', 'popularity', 'long-running'])
            .optional()
            .describe('What to sort results by'),
          direction: direction.optional().describe('The direction of the sort'),
          per_page: per_page.optional().describe('Results per page (max 100)'),
          page: page.optional().describe('Page number of the results'),
        }),
        output: pageOf(PULL_SHAPE),
        ...READS,
      },
      withGithub(async (github, input) =>
        shownPage(PULL_SHAPE, await github.ask('GET /repos/{owner}/{repo}/pulls', input), input.page),
      ),
    ),
    create_pull_request_review: tool(
      {
        title: 'Review a pull request',
        description: 'Create a review on a pull request',
        input: GIVEN.extend({
          commit_id: z.string().max(64).optional().describe('The SHA of the commit that needs a review'),
          body: body.describe('The body text of the review'),
          event: z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']).describe('The review action to perform'),
          comments: z
            .array(
              z.union([
                z.object({
                  ...line,
                  position: number.describe('The position in the diff where you want to add a review comment'),
                }),
                z.object({
                  ...line,
                  line: number.describe('The line number in the file where you want to add a review comment'),
                }),
              ]),
            )
            .max(500)
            .optional()
            .describe('Comments to post as part of the review (specify either position or line, not both)'),
        }),
        output: REVIEW_SHAPE,
        ...ADDS,
      },
      withGithub(async (github, input) => shown(REVIEW_SHAPE, (await github.ask(`POST ${PULL}/reviews`, input)).data)),
    ),
    get_pull_request_files: tool(
      {
        title: 'List changed files',
        description: 'Get the list of files changed in a pull request',
        input: GIVEN,
        output: wholeOf(CHANGED_FILE_SHAPE),
        ...READS,
      },
      withGithub((github, input) =>
        shownWhole(CHANGED_FILE_SHAPE, ({ filename }) => filename, {
          read: (page) => github.ask(`GET ${PULL}/files`, { ...input, page, per_page: 100 }),
          report: github.report,
          what: 'files',
        }),
      ),
    ),
    get_pull_request_status: tool(
      {
        title: 'Get status checks',
        description: 'Get the combined status of all status checks for a pull request',
        input: GIVEN,
        output: STATUS_SHAPE,
        ...READS,
      },
      withGithub(async (github, { owner, repo, pull_number }) => {
        const { data } = await github.ask(`GET ${PULL}`, { owner, repo, pull_number });
        const given = { owner, repo, ref: data.head.sha, per_page: 100 };
        return shown(STATUS_SHAPE, (await github.ask('GET /repos/{owner}/{repo}/commits/{ref}/status', given)).data);
      }),
    ),
    get_pull_request_comments: tool(
      {
        title: 'List review comments',
        description: 'Get the review comments on a pull request',
        input: GIVEN,
        output: wholeOf(REVIEW_COMMENT_SHAPE),
        ...READS,
      },
      withGithub((github, input) =>
        shownWhole(REVIEW_COMMENT_SHAPE, ({ id }) => id, {
          read: (page) => github.ask(`GET ${PULL}/comments`, { ...input, page, per_page: 100 }),
          report: github.report,
          what: 'comments',
        }),
      ),
    ),
    get_pull_request_reviews: tool(
      {
        title: 'List reviews',
        description: 'Get the reviews on a pull request',
        input: GIVEN,
        output: wholeOf(REVIEW_SHAPE),
        ...READS,
      },
      withGithub((github, input) =>
        shownWhole(REVIEW_SHAPE, ({ id }) => id, {
          read: (page) => github.ask(`GET ${PULL}/reviews`, { ...input, page, per_page: 100 }),
          report: github.report,
          what: 'reviews',
        }),
      ),
    ),
  };
}
