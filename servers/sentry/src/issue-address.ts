// Where an issue is: its ID, or the address of its page.
import { ToolError } from 'tenon';

export interface IssueAddress {
  readonly id: string;
  /** The organization that the address names. */
  readonly organization?: string | undefined;
}

const SLUG = /^[\w-]{1,100}$/;
/** Subdomains of sentry.io that are no organizations. */
const NO_ORGANIZATIONS = new Set(['www', 'us', 'de', 'eu', 'app']);

function isSentryIo(hostname: string): boolean {
  return hostname === 'sentry.io' || hostname.endsWith('.sentry.io');
}

/** Whether a page belongs to the Sentry with this API. Each organization has a subdomain of sentry.io. */
function isPageOf(page: URL, api: URL): boolean {
  if (isSentryIo(api.hostname)) return page.protocol === 'https:' && isSentryIo(page.hostname) && page.port === '';
  return page.origin === api.origin;
}

/**
 * Reads `123`, `https://acme.sentry.io/issues/123/` or `https://sentry.io/organizations/acme/issues/123/`. Throws a `ToolError` for anything
 * else, and for pages that do not belong to the Sentry with this API.
 */
export function issueAddress(given: string, api: URL): IssueAddress {
  const text = given.trim();
  if (/^\d{1,20}$/.test(text)) return { id: text };
  if (!URL.canParse(text)) throw new ToolError('An issue is given by its numeric ID, or by the URL of its page.');
  const page = new URL(text);
  if (!isPageOf(page, api))
    throw new ToolError(`This server reads issues of ${api.hostname} only, and this is the URL of another site.`);
  const [, id] = /\/issues\/(\d{1,20})(?:\/|$)/.exec(page.pathname) ?? [];
  if (id === undefined) throw new ToolError('The path of the URL must contain /issues/ and a numeric ID.');
  const [, named] = /^\/organizations\/([^/]+)\//.exec(page.pathname) ?? [];
  const [subdomain = ''] = page.hostname.split('.');
  const isOwn = page.hostname.endsWith('.sentry.io') && !NO_ORGANIZATIONS.has(subdomain);
  const organization = named ?? (isOwn ? subdomain : undefined);
  return { id, organization: organization !== undefined && SLUG.test(organization) ? organization : undefined };
}
