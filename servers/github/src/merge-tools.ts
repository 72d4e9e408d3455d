import { tool, ToolError } from 'tenon';
import { z } from 'zod';
import { createHandlers } from '../../shared/api/access.ts';
import { CHANGES } from '../../shared/api/hints.ts';
import { dataReply } from '../../shared/api/data-reply.ts';
import { SERVICE } from './github-client.ts';
import { body, REPOSITORY, title } from './inputs.ts';
import { pull_number } from './pull-tools.ts';
import { MERGE_SHAPE } from './shapes.ts';
import { shown, type ToolSetting } from './tool-setting.ts';

const PULL = '/repos/{owner}/{repo}/pulls/{pull_number}';
const GIVEN = z.object({ ...REPOSITORY, pull_number });
const DONE = z.object({ success: z.boolean() });

/** The tools that change branches by way of pull requests. */
export function mergeTools(setting: ToolSetting) {
  const withGithub = createHandlers(setting.access);
  return {
    merge_pull_request: tool(
      {
        title: 'Merge a pull request',
        description: 'Merge a pull request into its base branch, after asking the user if the client supports it',
        input: GIVEN.extend({
          commit_title: title.optional().describe('Title for the automatic commit message'),
          commit_message: body.optional().describe('Extra detail to append to automatic commit message'),
          merge_method: z.enum(['merge', 'squash', 'rebase']).optional().describe('Merge method to use'),
        }),
        output: MERGE_SHAPE,
        ...CHANGES,
        idempotent: false,
      },
      withGithub(async (github, input, ctx) => {
        const { owner, repo, pull_number } = input;
        if (!setting.confirm || !ctx.client.can('elicitation'))
          return shown(MERGE_SHAPE, (await github.ask(`PUT ${PULL}/merge`, input)).data);
        const { data } = await github.ask(`GET ${PULL}`, { owner, repo, pull_number });
        const question = `Merge pull request ${pull_number} of ${owner}/${repo} by ${data.user.login} into ${data.base.ref}? Its title: "${data.title}"`;
        const { merge } = await ctx.ask('merge', question, z.object({ merge: z.boolean().meta({ title: 'Merge' }) }));
        if (!merge) throw new ToolError('The user declined. Nothing was merged.');
        // The user agreed to this state of the branch.
        const agreed = { ...input, sha: data.head.sha };
        return shown(
          MERGE_SHAPE,
          await ctx.once('merged', async () => (await github.ask(`PUT ${PULL}/merge`, agreed)).data),
        );
      }),
    ),
    update_pull_request_branch: tool(
      {
        title: 'Update a pull request branch',
        description: 'Update a pull request branch with the latest changes from the base branch',
        input: GIVEN.extend({
          expected_head_sha: z
            .string()
            .min(1)
            .max(64)
            .optional()
            .describe("The expected SHA of the pull request's HEAD ref"),
        }),
        output: DONE,
        ...CHANGES,
        destructive: false,
        idempotent: false,
      },
      withGithub(async (github, input) => {
        await github.ask(`PUT ${PULL}/update-branch`, input);
        return dataReply(SERVICE, { success: true });
      }),
    ),
  };
}
