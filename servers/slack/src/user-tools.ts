import { tool } from 'tenon';
import { z } from 'zod';
import { dataReply } from '../../shared/api/data-reply.ts';
import { READS } from '../../shared/api/hints.ts';
import { pick } from '../../shared/api/pick.ts';
import { cursor, limit, user_id } from './inputs.ts';
import { NEXT, OK, PROFILE_SHAPE, USER_SHAPE } from './shapes.ts';
import { SERVICE, type Slack } from './slack-client.ts';
import { createHandlers, listReply, nextOf, type ToolSetting } from './tool-setting.ts';

/** Slack recommends no more, and the original has this maximum. */
const MAX_PER_PAGE = 200;

const USERS = z.object({ ok: OK, members: z.array(USER_SHAPE), response_metadata: NEXT });
const PROFILE = z.object({ ok: OK, profile: PROFILE_SHAPE });

/** A page of the users. */
export async function listUsers(
  slack: Slack,
  { teamId, limit, cursor }: { teamId: string | undefined; limit: number; cursor?: string | undefined },
) {
  const query = { limit: Math.min(limit, MAX_PER_PAGE), team_id: teamId, cursor };
  const answer = await slack.ask('users.list', query);
  return pick(SERVICE, USERS, { ...answer, response_metadata: nextOf(answer) });
}

/** The profile of a user. */
export async function readProfile(slack: Slack, user: string) {
  return pick(SERVICE, PROFILE, await slack.ask('users.profile.get', { user, include_labels: true }));
}

export function userTools(setting: ToolSetting) {
  const withSlack = createHandlers(setting);
  return {
    slack_get_users: tool(
      {
        title: 'List users',
        description: 'Get a list of all users in the workspace with their basic profile information',
        input: z.object({
          cursor: cursor.optional(),
          limit: limit.default(100).describe('Maximum number of users to return (default 100, max 200)'),
        }),
        output: USERS,
        ...READS,
      },
      withSlack(async (slack, input) => listReply(await listUsers(slack, { teamId: setting.teamId, ...input }))),
    ),
    slack_get_user_profile: tool(
      {
        title: 'Get a profile',
        description: 'Get detailed profile information for a specific user',
        input: z.object({ user_id }),
        output: PROFILE,
        ...READS,
      },
      withSlack(async (slack, { user_id: user }) => dataReply(SERVICE, await readProfile(slack, user))),
    ),
  };
}
