import { CALLS } from '../servers/gitlab/src/fixtures/calls.ts';
import { createStandIn } from '../servers/gitlab/src/fixtures/stand-in.ts';
import type { ComparedCall, Comparison, Result } from './comparison.ts';

const TOKEN = 'glpat-compared';

/** The part that the original answers: it gives files and directories without a name. */
function read({ structuredContent }: Result): unknown {
  const { file, entries, next_page: _, ...rest } = (structuredContent ?? {}) as Record<string, unknown>;
  return file ?? entries ?? rest;
}

const FAILS_AFTERWARDS = 'the original writes, and then fails on the answer of GitLab';

/** The listed differences, by tool, or by tool and one argument. */
const DIFFERENT: Readonly<Record<string, Pick<ComparedCall, 'otherAnswer' | 'otherRequests'>>> = {
  'fork_repository acme/tools': {
    otherAnswer: 'the original forks to the user, because the stand-in knows no deprecated parameters',
    otherRequests: 'the parameter of the original is deprecated',
  },
  'create_branch feature/red': {
    otherAnswer: 'the original encodes an encoded path again',
    otherRequests: 'the original encodes an encoded path again',
  },
  'get_file_contents /': { otherAnswer: 'directories are listed', otherRequests: 'directories are listed' },
  'get_file_contents docs': { otherAnswer: 'directories are listed', otherRequests: 'directories are listed' },
  create_or_update_file: {
    otherAnswer: FAILS_AFTERWARDS,
    otherRequests: 'the file is looked for without its contents, and moved if the arguments say so',
  },
  create_issue: { otherAnswer: FAILS_AFTERWARDS },
  create_merge_request: {
    otherAnswer: 'GitLab knows drafts by their titles',
    otherRequests: 'GitLab knows drafts by their titles',
  },
};

export const gitlab: Comparison = {
  name: 'gitlab',
  async start() {
    const standIn = createStandIn();
    await standIn.start();
    return { url: standIn.url, reset: () => standIn.reset(), stop: () => standIn.stop() };
  },
  ours: (url) => ({ args: ['--api-url', `${url}/api/v4`], env: { GITLAB_PERSONAL_ACCESS_TOKEN: TOKEN } }),
  original: (url) => ({ env: { GITLAB_API_URL: `${url}/api/v4`, GITLAB_PERSONAL_ACCESS_TOKEN: TOKEN } }),
  leftOut: /^avatar_url$/,
  read,
  calls: CALLS.map(({ name, args }) => ({
    name,
    args,
    ...DIFFERENT[`${name} ${args['file_path'] ?? args['branch'] ?? args['namespace']}`],
    ...DIFFERENT[name],
  })),
};
