import { CALLS } from '../servers/github/src/fixtures/calls.ts';
import { StandIn } from '../servers/github/src/fixtures/stand-in.ts';
import type { ComparedCall, Comparison, Result } from './comparison.ts';

const TOKEN = 'ghp_compared';

/** The part that the original answers: it gives lists without a name, and files as GitHub does. */
function read({ structuredContent }: Result): unknown {
  const { items, total_count: total, file, entries, ...rest } = (structuredContent ?? {}) as Record<string, unknown>;
  if (total !== undefined) return structuredContent;
  return items ?? file ?? entries ?? rest;
}

const ALL = 'all entries instead of the first 30';

/** The listed differences, by tool, or by tool and one argument. */
const DIFFERENT: Readonly<Record<string, Pick<ComparedCall, 'otherAnswer' | 'otherRequests'>>> = {
  create_repository: { otherRequests: 'GitHub ignores the argument as the original sends it' },
  fork_repository: {
    otherAnswer: 'the original forks to the user',
    otherRequests: 'GitHub describes the organization as part of the body',
  },
  'create_branch feature/black': { otherRequests: 'the default branch may have any name' },
  'get_file_contents docs/a b#c?.md': {
    otherAnswer: 'names may contain # and ?',
    otherRequests: 'names may contain # and ?',
  },
  push_files: { otherAnswer: 'the stand-in refuses forced pushes', otherRequests: 'pushes are never forced' },
  get_pull_request_files: { otherRequests: ALL },
  get_pull_request_status: { otherRequests: ALL },
  get_pull_request_comments: { otherRequests: ALL },
  get_pull_request_reviews: { otherRequests: ALL },
};

export const github: Comparison = {
  name: 'github',
  origins: ['https://api.github.com'],
  async start() {
    const standIn = new StandIn();
    await standIn.start();
    return { url: standIn.url, reset: () => standIn.reset(), stop: () => standIn.stop() };
  },
  ours: (url) => ({ args: ['--api-url', url, '--no-confirm'], env: { GITHUB_PERSONAL_ACCESS_TOKEN: TOKEN } }),
  original: () => ({ env: { GITHUB_PERSONAL_ACCESS_TOKEN: TOKEN } }),
  rename: (path, method) =>
    method === 'GET' ? path.replace(/^(\/repos\/[^/]+\/[^/]+\/git)\/refs\/heads\//, '$1/ref/heads/') : path,
  // The original passes whole objects of GitHub on; we choose fields.
  leftOut: /./,
  read,
  calls: CALLS.map(({ name, args }) => ({
    name,
    args,
    ...DIFFERENT[`${name} ${args['path'] ?? args['branch']}`],
    ...DIFFERENT[name],
  })),
};
