import { ToolError } from 'tenon';

/** Maximum length of a service's own message in an error, in characters. */
const MAX_MESSAGE_LENGTH = 600;

/** What a model is told if it is unknown whether a request that changes something was carried out. */
export const MAY_BE_CHANGED = 'The change may have been made: look before you repeat it.';

/** An answer of a service that is not a success, or no answer. The message is for the model: what happened, and what to do. */
export class ApiError extends ToolError {
  /** The HTTP status; undefined if there was no answer. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/** The `ApiError` with this status, also if a client library wrapped it in an error of its own; undefined for all other errors. */
export function apiErrorIn(error: unknown): ApiError | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if (at instanceof ApiError) return at;
  return undefined;
}

const HINTS: ReadonlyMap<number, string> = new Map([
  [401, 'The token is missing, wrong or expired.'],
  [403, 'The token does not permit this.'],
  [404, 'It does not exist, or the token may not see it. Check the spelling.'],
  [409, 'It was changed at the same time, or its state does not permit this. Read it again, then decide.'],
  [410, 'It was deleted, or is switched off.'],
  [422, 'The service rejects these values. Change them as it says.'],
]);

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** The details of errors in the usual forms: texts, or objects with a message or with names and codes. */
function detailsIn(errors: unknown): string[] {
  if (!Array.isArray(errors)) return [];
  return errors.slice(0, 10).map((error: unknown) => {
    if (typeof error !== 'object' || error === null) return String(error);
    const { message, resource, field, code } = error as Record<string, unknown>;
    return textIn(message) ?? [resource, field, code].filter((part) => textIn(part) !== undefined).join(' ');
  });
}

/** A text as it is, and all else as JSON. */
function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Several messages, or what is wrong with each field: `name: is too long, has already been taken`. */
function messagesIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return textIn(value.slice(0, 10).map(shown).join('; '));
  const fields = Object.entries(value).slice(0, 10);
  return textIn(fields.map(([field, problems]) => `${field}: ${[problems].flat().map(shown).join(', ')}`).join('; '));
}

/** The message in the body of an error; undefined if it has none that can be read. */
export function messageIn(body: string): string | undefined {
  try {
    return messageOf(JSON.parse(body));
  } catch {
    // It is no JSON, or nested too deeply.
    return undefined;
  }
}

function messageOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { message, error, error_description, error_message, detail, errors, status } = value as Record<string, unknown>;
  const inner = typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : { message: error };
  const texts = [message, error_description, error_message, inner['message'], inner['detail'], detail].map(textIn);
  const said = texts.find((text) => text !== undefined) ?? messagesIn(message) ?? messagesIn(detail);
  // A word for the kind of error, such as REQUEST_DENIED.
  const kind = typeof status === 'string' && /^[A-Z_]{2,40}$/.test(status) ? status : undefined;
  const main = kind !== undefined && said !== undefined ? `${kind}: ${said}` : (said ?? kind);
  const all = [main, ...detailsIn(errors)].filter((part) => part !== undefined && part !== '');
  return all.length === 0 ? undefined : all.join('; ').slice(0, MAX_MESSAGE_LENGTH);
}

/** What a model is told about an answer that is not a success. */
export interface Refusal {
  readonly service: string;
  /** The method and the path: `GET /repos/a/b`. */
  readonly what: string;
  readonly status: number;
  /** Whether the request only reads. */
  readonly isRead: boolean;
  /** Whether the service sends statuses. Otherwise the status is what its answer stands for. */
  readonly isSent: boolean;
  readonly body: string;
  /** What else there is to know, as whole sentences. */
  readonly notes: readonly (string | undefined)[];
}

export function describeRefusal({ service, what, status, isRead, isSent, body, notes }: Refusal): string {
  const said = messageIn(body);
  // It may have failed after the change.
  const problem = `The service has a problem of its own. ${isRead ? 'Try again later.' : MAY_BE_CHANGED}`;
  const hint = HINTS.get(status) ?? (status >= 500 ? problem : undefined);
  return [
    `${service} ${isSent ? `answered ${status} to` : 'refused'} ${what}${said === undefined ? '.' : `: ${said.replace(/\.?$/, '.')}`}`,
    hint,
    ...notes,
  ]
    .filter((part) => part !== undefined)
    .join(' ');
}
