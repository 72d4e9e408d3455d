import { isModern, MODERN, NEWEST_LEGACY, type Revision } from './revisions.ts';

// The pages of the specification for the rules. The same subject has different URLs in different revisions.

/** A subject: its path from the first revision that has it up to 2025-11-25, and since 2026-07-28. */
interface Addresses {
  readonly since: Revision;
  readonly legacy?: string;
  readonly modern?: string;
}

function both(path: string, since: Revision = '2024-11-05'): Addresses {
  return { since, legacy: path, modern: path };
}

const PAGES = {
  messages: both('basic'),
  schema: both('schema'),
  lifecycle: { since: '2024-11-05', legacy: 'basic/lifecycle', modern: 'basic/versioning' },
  stdio: { since: '2024-11-05', legacy: 'basic/transports', modern: 'basic/transports/stdio' },
  http: { since: '2024-11-05', legacy: 'basic/transports', modern: 'basic/transports/streamable-http' },
  authorization: both('basic/authorization', '2025-03-26'),
  'authorization-discovery': {
    since: '2025-03-26',
    legacy: 'basic/authorization',
    modern: 'basic/authorization/authorization-server-discovery',
  },
  'authorization-security': {
    since: '2025-03-26',
    legacy: 'basic/authorization',
    modern: 'basic/authorization/security-considerations',
  },
  cancellation: { since: '2024-11-05', legacy: 'basic/utilities/cancellation', modern: 'basic/patterns/cancellation' },
  progress: { since: '2024-11-05', legacy: 'basic/utilities/progress', modern: 'basic/patterns/progress' },
  subscriptions: { since: MODERN, modern: 'basic/patterns/subscriptions' },
  mrtr: { since: MODERN, modern: 'basic/patterns/mrtr' },
  caching: { since: MODERN, modern: 'server/utilities/caching' },
  tools: both('server/tools'),
  resources: both('server/resources'),
  prompts: both('server/prompts'),
  completion: both('server/utilities/completion'),
  logging: both('server/utilities/logging'),
  pagination: both('server/utilities/pagination'),
  elicitation: both('client/elicitation', '2025-06-18'),
  sampling: both('client/sampling'),
  roots: both('client/roots'),
} as const satisfies Record<string, Addresses>;

type Subject = keyof typeof PAGES;

/** A page of the specification, by subject, with an optional section: `tools#output-schema`. */
export type Page = Subject | `${Subject}#${string}`;

const HOME = 'https://modelcontextprotocol.io/specification';

/** The URL of a page in the given revision, or in the newest one if it is unknown. */
export function clauseOf(page: Page, revision?: Revision): string {
  const [subject, section] = page.split('#') as [Subject, string | undefined];
  const { since, legacy, modern }: Addresses = PAGES[subject];
  const newest = modern === undefined ? NEWEST_LEGACY : MODERN;
  const wanted = revision === undefined ? newest : revision < since ? since : revision;
  // The first two revisions have no schema page; their overview links the file.
  if (subject === 'schema' && wanted < '2025-06-18') return `${HOME}/${wanted}`;
  // 2024-11-05 has a separate page about JSON-RPC messages.
  const path =
    wanted === '2024-11-05' && subject === 'messages'
      ? 'basic/messages'
      : isModern(wanted)
        ? modern
        : (legacy ?? modern);
  return `${HOME}/${wanted}/${path}${section === undefined ? '' : `#${section}`}`;
}
