import { tool } from 'tenon';
import { z } from 'zod';
import { createHandlers } from '../../shared/api/access.ts';
import { ADDS, CHANGES, READS } from '../../shared/api/hints.ts';
import { body, direction, names, number, page, per_page, REPOSITORY, title } from './inputs.ts';
import { COMMENT_SHAPE, ISSUE_SHAPE } from './shapes.ts';
import { pageOf, shown, shownPage, type ToolSetting } from './tool-setting.ts';

const ISSUE = '/repos/{owner}/{repo}/issues/{issue_number}';
const milestone = number.describe('The number of the milestone');
const issue_number = number.describe('The number of the issue');

export function issueTools(setting: ToolSetting) {
  const withGithub = createHandlers(setting.access);
  return {
    create_issue: tool(
      {
        title: 'Create an issue',
        description: 'Create a new issue in a GitHub repository',
        input: z.object({
          ...REPOSITORY,
          title: title.describe('Issue title'),
          body: body.optional().describe('Issue description, in Markdown'),
          assignees: names.optional().describe('Usernames to assign'),
          milestone: milestone.optional(),
          labels: names.optional().describe('Names of labels to add'),
        }),
        output: ISSUE_SHAPE,
        ...ADDS,
      },
      withGithub(async (github, input) =>
        shown(ISSUE_SHAPE, (await github.ask('POST /repos/{owner}/{repo}/issues', input)).data),
      ),
    ),
    list_issues: tool(
      {
        title: 'List issues',
        description: 'List issues in a GitHub repository with filtering options',
        input: z.object({
          ...REPOSITORY,
          direction: direction.optional(),
          labels: names.optional().describe('Only issues with all of these labels'),
          page: page.optional(),
          per_page: per_page.optional(),
          since: z.iso
            .datetime({ offset: true })
            .optional()
            .describe('Only issues that were updated since then: 2026-07-28T00:00:00Z'),
          sort: z.enum(['created', 'updated', 'comments']).optional().describe('What to sort results by'),
          state: z.enum(['open', 'closed', 'all']).optional().describe('State of the issues to return (default: open)'),
        }),
        output: pageOf(ISSUE_SHAPE),
        ...READS,
      },
      withGithub(async (github, { labels, ...input }) => {
        const parameters = { ...input, labels: labels?.join(',') };
        return shownPage(ISSUE_SHAPE, await github.ask('GET /repos/{owner}/{repo}/issues', parameters), input.page);
      }),
    ),
    update_issue: tool(
      {
        title: 'Update an issue',
        description: 'Update an existing issue in a GitHub repository',
        input: z.object({
          ...REPOSITORY,
          issue_number,
          title: title.optional().describe('New title'),
          body: body.optional().describe('New description, in Markdown'),
          assignees: names.optional().describe('Replaces the assignees'),
          milestone: milestone.optional(),
          labels: names.optional().describe('Replaces the labels'),
          state: z.enum(['open', 'closed']).optional().describe('New state'),
        }),
        output: ISSUE_SHAPE,
        ...CHANGES,
      },
      withGithub(async (github, input) => shown(ISSUE_SHAPE, (await github.ask(`PATCH ${ISSUE}`, input)).data)),
    ),
    add_issue_comment: tool(
      {
        title: 'Comment on an issue',
        description: 'Add a comment to an existing issue',
        input: z.object({ ...REPOSITORY, issue_number, body: body.min(1).describe('Comment text, in Markdown') }),
        output: COMMENT_SHAPE,
        ...ADDS,
      },
      withGithub(async (github, input) =>
        shown(COMMENT_SHAPE, (await github.ask(`POST ${ISSUE}/comments`, input)).data),
      ),
    ),
    get_issue: tool(
      {
        title: 'Get an issue',
        description: 'Get details of a specific issue in a GitHub repository.',
        input: z.object({ ...REPOSITORY, issue_number }),
        output: ISSUE_SHAPE,
        ...READS,
      },
      withGithub(async (github, input) => shown(ISSUE_SHAPE, (await github.ask(`GET ${ISSUE}`, input)).data)),
    ),
  };
}
