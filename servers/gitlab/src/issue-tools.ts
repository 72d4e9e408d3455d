import { tool } from 'tenon';
import { z } from 'zod';
import { createHandlers } from '../../shared/api/access.ts';
import { dataReply } from '../../shared/api/data-reply.ts';
import { ADDS } from '../../shared/api/hints.ts';
import { pick } from '../../shared/api/pick.ts';
import { ref } from '../../shared/repositories/inputs.ts';
import type { Access } from './access.ts';
import { inProject, SERVICE } from './gitlab-client.ts';
import { description, id, PROJECT, title } from './inputs.ts';
import { ISSUE_SHAPE, MERGE_REQUEST_SHAPE } from './shapes.ts';

/** The title of a draft: GitLab knows drafts by it ("Draft merge requests"). */
function draftTitle(title: string): string {
  return /^\s*(?:draft:|\[draft\]|\(draft\))/i.test(title) ? title : `Draft: ${title}`;
}

export function issueTools(access: Access) {
  const withGitlab = createHandlers(access);
  return {
    create_issue: tool(
      {
        title: 'Create an issue',
        description: 'Create a new issue in a GitLab project',
        input: z.object({
          ...PROJECT,
          title: title.describe('Issue title'),
          description: description.optional().describe('Issue description'),
          assignee_ids: z.array(id).max(100).optional().describe('Array of user IDs to assign'),
          labels: z.array(z.string().min(1).max(255)).max(100).optional().describe('Array of label names'),
          milestone_id: id.optional().describe('Milestone ID to assign'),
        }),
        output: ISSUE_SHAPE,
        ...ADDS,
      },
      withGitlab(async (gitlab, { project_id, labels, ...input }) => {
        const body = { ...input, labels: labels?.join(',') };
        const issue = await gitlab.ask(inProject(project_id, 'issues'), { method: 'POST', body });
        return dataReply(SERVICE, pick(SERVICE, ISSUE_SHAPE, issue));
      }),
    ),
    create_merge_request: tool(
      {
        title: 'Create a merge request',
        description: 'Create a new merge request in a GitLab project',
        input: z.object({
          ...PROJECT,
          title: title.describe('Merge request title'),
          description: description.optional().describe('Merge request description'),
          source_branch: ref.describe('Branch containing changes'),
          target_branch: ref.describe('Branch to merge into'),
          draft: z.boolean().optional().describe('Create as draft merge request'),
          allow_collaboration: z.boolean().optional().describe('Allow commits from upstream members'),
        }),
        output: MERGE_REQUEST_SHAPE,
        ...ADDS,
      },
      withGitlab(async (gitlab, { project_id, draft, ...input }) => {
        const body = draft === true ? { ...input, title: draftTitle(input.title) } : input;
        const made = await gitlab.ask(inProject(project_id, 'merge_requests'), { method: 'POST', body });
        return dataReply(SERVICE, pick(SERVICE, MERGE_REQUEST_SHAPE, made));
      }),
    ),
  };
}
