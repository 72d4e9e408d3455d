// What Slack's errors mean. Slack answers most of them with status 200 and `{ "ok": false, "error": "…" }` ("Evaluating responses").
import type { WholeReply } from '../../shared/api/reply-cache.ts';

const MAX_NOTE_LENGTH = 300;

/** The statuses that errors stand for. All others stand for 422. */
const STATUSES: Readonly<Record<number, readonly string[]>> = {
  401: ['not_authed', 'invalid_auth', 'account_inactive', 'token_revoked', 'token_expired'],
  403: ['missing_scope', 'no_permission', 'not_allowed_token_type', 'access_denied', 'not_in_channel'],
  404: ['channel_not_found', 'message_not_found', 'thread_not_found', 'user_not_found'],
  429: ['ratelimited', 'rate_limited'],
  500: ['internal_error', 'fatal_error'],
  503: ['service_unavailable'],
};
const STATUS_OF: ReadonlyMap<string, number> = new Map(
  Object.entries(STATUSES).flatMap(([status, errors]) => errors.map((error) => [error, Number(status)])),
);

const NOTES: ReadonlyMap<string, string> = new Map([
  ['not_in_channel', 'The app has to be a member: somebody in the channel can write /invite and the name of the app.'],
  [
    'channel_not_found',
    'Channels are named by IDs such as C012AB3CD, which slack_list_channels gives. A private channel is visible after the app was invited.',
  ],
  ['user_not_found', 'Users are named by IDs such as U012AB3CD, which slack_get_users gives.'],
  ['message_not_found', 'Messages are named by their `ts`, such as 1234567890.123456.'],
  ['thread_not_found', 'Threads are named by the `ts` of their first message, such as 1234567890.123456.'],
  ['already_reacted', 'This reaction is there already, so nothing is left to do.'],
  ['invalid_name', 'The workspace has no emoji with this name.'],
  ['invalid_cursor', 'Begin again without a cursor.'],
]);

interface Refusal {
  readonly error: string;
  readonly needed?: unknown;
  readonly provided?: unknown;
  readonly response_metadata?: { readonly messages?: readonly unknown[] } | null;
}

/** The refusal in an answer; undefined if it is none, or not JSON. */
function refusalIn(body: string): Refusal | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  const { ok, error } = (value ?? {}) as { ok?: unknown; error?: unknown };
  return ok === false && typeof error === 'string' ? (value as Refusal) : undefined;
}

/** The HTTP status that an answer stands for. */
export function statusOfSlack({ status, bytes }: WholeReply): number {
  if (status !== 200) return status;
  const refusal = refusalIn(Buffer.from(bytes).toString());
  return refusal === undefined ? status : (STATUS_OF.get(refusal.error) ?? 422);
}

/** What to do about a refusal. */
export function noteOnRefusal(_: Headers, __: number, body: string): string | undefined {
  const refusal = refusalIn(body);
  if (refusal === undefined) return undefined;
  const { error, needed, provided, response_metadata: more } = refusal;
  const notes = [NOTES.get(error)];
  if (error === 'missing_scope' && typeof needed === 'string')
    notes.push(`The app needs the scope ${needed}${typeof provided === 'string' ? `, and has ${provided}` : ''}.`);
  if (Array.isArray(more?.messages)) notes.push(...more.messages.filter((text) => typeof text === 'string'));
  const note = notes.filter((part) => part !== undefined).join(' ');
  return note === '' ? undefined : note.slice(0, MAX_NOTE_LENGTH);
}
