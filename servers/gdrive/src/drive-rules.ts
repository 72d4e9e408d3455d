// What refusals of Drive mean ("Resolve errors"): the reason is in the body.
import { doubling, retryAfter, waitByStatus, type WaitRule } from '../../shared/api/rate-limits.ts';
import { LOGIN_HELP } from './access-token.ts';

/** Limits that are over soon. Those of a day are not waited for. */
const LIMITS = ['rateLimitExceeded', 'userRateLimitExceeded', 'sharingRateLimitExceeded'];

const NOTES: ReadonlyMap<string, string> = new Map([
  [
    'exportSizeLimitExceeded',
    'Google converts documents of at most 10 MB. The user can open it in the browser, and download it there.',
  ],
  ['insufficientPermissions', `The login does not include the files of Drive. ${LOGIN_HELP}`],
  ['fileNotDownloadable', 'Folders, forms and sites have no contents that can be read.'],
  ['cannotDownloadFile', 'Its owner does not allow others to download it.'],
  ['cannotExportFile', 'Its owner does not allow others to download it.'],
  ['cannotDownloadAbusiveFile', 'Google has found malware in it, so it is not read.'],
  ['invalidPageToken', 'The page token is not valid, or has expired. Begin again without it.'],
]);

/** The reasons of a refusal; none if the body has none. */
function reasonsIn(body: string): readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return [];
  }
  const { errors } = ((value as { error?: unknown } | null)?.error ?? {}) as { errors?: unknown };
  if (!Array.isArray(errors)) return [];
  return errors.slice(0, 10).map((error: unknown) => String((error as { reason?: unknown } | null)?.reason));
}

/** How long to wait for a limit. Drive refuses with 403 because of some. */
export const waitForDrive: WaitRule = (reply) => {
  const isLimit = reply.status === 403 && reasonsIn(reply.body).some((reason) => LIMITS.includes(reason));
  return isLimit ? (retryAfter(reply) ?? doubling(1_000, reply.attempt)) : waitByStatus(reply);
};

/** What to do about a refusal. */
export function noteOnRefusal(_: Headers, status: number, body: string): string | undefined {
  if (status === 401) return LOGIN_HELP;
  return reasonsIn(body)
    .map((reason) => NOTES.get(reason))
    .find((note) => note !== undefined);
}
