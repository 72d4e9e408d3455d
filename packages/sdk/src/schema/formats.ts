/** A format that is validated: those allowed in elicitation forms. */
export interface Format {
  readonly test: (text: string) => boolean;
  readonly message: string;
}

const MAX_EMAIL = 320; // 64 + '@' + 255, RFC 5321 §4.5.3.1
const LOCAL_PART =
  /^(?:[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*|"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*")$/;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const ADDRESS_LITERAL = /^\[(?:IPv6:([0-9A-Fa-f:.]+)|(\d{1,3}(?:\.\d{1,3}){3}))\]$/;

/** A mailbox of RFC 5321 §4.1.2. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at < 1 || text.length > MAX_EMAIL || !LOCAL_PART.test(text.slice(0, at))) return false;
  const domain = text.slice(at + 1);
  const literal = ADDRESS_LITERAL.exec(domain);
  if (literal === null) return domain.split('.').every((label) => LABEL.test(label));
  return literal[1] === undefined ? literal[2]!.split('.').every((part) => Number(part) < 256) : isIPv6(literal[1]);
}

function isIPv6(text: string): boolean {
  try {
    return new URL(`http://[${text}]/`).hostname !== '';
  } catch {
    return false;
  }
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** `full-date` of RFC 3339 §5.6. */
function isDate(text: string): boolean {
  const match = DATE.exec(text);
  if (match === null) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day >= 1 && day <= (month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0));
}

/** `date-time` of RFC 3339 §5.6; a leap second is only valid at the end of a UTC day. */
function isDateTime(text: string): boolean {
  const match = DATE_TIME.exec(text);
  if (match === null || !isDate(match[1]!)) return false;
  const [hour, minute, second] = match.slice(2, 5).map(Number) as [number, number, number];
  const [offsetHour, offsetMinute] = [Number(match[6] ?? 0), Number(match[7] ?? 0)];
  if (hour > 23 || minute > 59 || offsetHour > 23 || offsetMinute > 59) return false;
  if (second < 60) return true;
  const offset = (offsetHour * 60 + offsetMinute) * (match[5] === '-' ? -1 : 1);
  return second === 60 && (hour * 60 + minute - offset + 2 * 1440) % 1440 === 1439;
}

const URI = /^[A-Za-z][A-Za-z0-9+.-]*:(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^#]*))?$/;
const AUTHORITY = /^(?:([^@]*)@)?(\[[^\]]*\]|[^:[\]]*)(?::\d*)?$/;
const URI_CHARACTERS = /^(?:[\w\-.~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*$/;
const FUTURE_ADDRESS = /^v[0-9A-Fa-f]+\.[\w\-.~!$&'()*+,;=:]+$/;

/** A URI with a scheme, RFC 3986 appendix A. */
function isUri(text: string): boolean {
  const [, authority, ...parts] = URI.exec(text) ?? [];
  if (!parts.every((part) => part === undefined || URI_CHARACTERS.test(part)) || parts.length === 0) return false;
  if (authority === undefined) return true;
  const [, user = '', host = ''] = AUTHORITY.exec(authority) ?? [undefined, '%'];
  if (!URI_CHARACTERS.test(user)) return false;
  if (!host.startsWith('[')) return URI_CHARACTERS.test(host);
  const address = host.slice(1, -1);
  return isIPv6(address) || FUTURE_ADDRESS.test(address);
}

/** The formats of the elicitation subset; every other `format` is only an annotation. */
export const FORMATS: ReadonlyMap<string, Format> = new Map([
  ['email', { test: isEmail, message: 'must be an email address' }],
  ['uri', { test: isUri, message: 'must be a URI with its scheme, like https://example.com/' }],
  ['date', { test: isDate, message: 'must be a date like 2026-01-31' }],
  ['date-time', { test: isDateTime, message: 'must be a date and time with offset, like 2026-01-31T12:00:00Z' }],
]);
