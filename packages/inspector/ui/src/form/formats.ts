// Formats that have a field of their own in browsers. Text that such a field cannot represent unchanged is edited as text.

/** The type of the field. */
export type FormatType = 'date' | 'datetime-local' | 'time' | 'email' | 'url';

const TYPES: ReadonlyMap<unknown, FormatType> = new Map<unknown, FormatType>([
  ['date', 'date'],
  ['date-time', 'datetime-local'],
  ['time', 'time'],
  ['email', 'email'],
  ['uri', 'url'],
]);

/** The field type for a format. Undefined: an ordinary text field. */
export function formatType(format: unknown): FormatType | undefined {
  return TYPES.get(format);
}

/** A text as its field represents it. */
export interface FieldText {
  readonly value: string;
  /** For a time: its UTC offset, which the field cannot represent. */
  readonly offset: string;
}

const DATE = String.raw`(?!0000)\d{4}-\d\d-\d\d`;
const TIME = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?`;
const OFFSET = String.raw`Z|[+-]\d\d:\d\d`;
const WHOLE: Readonly<Record<FormatType, RegExp>> = {
  date: new RegExp(`^(${DATE})()$`),
  'datetime-local': new RegExp(`^(${DATE}T${TIME})(${OFFSET})$`),
  time: new RegExp(`^(${TIME})(${OFFSET})$`),
  // These fields remove spaces at the ends, and line breaks.
  email: /^(\S(?:.*\S)?)()$/,
  url: /^(\S(?:.*\S)?)()$/,
};

/** Returns whether the date exists. A date field is empty for all others. */
function isDay(date: string): boolean {
  const day = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
}

/** The value of the field for a JSON text. Undefined: the field would show something else. */
export function fieldText(type: FormatType, text: string): FieldText | undefined {
  const [, value, offset = ''] = WHOLE[type].exec(text) ?? [];
  if (value === undefined) return undefined;
  const hasDay = type === 'date' || type === 'datetime-local';
  return !hasDay || isDay(value.slice(0, 10)) ? { value, offset } : undefined;
}

/** `+02:00`: the UTC offset of this machine at a local time. */
export function localOffset(value: string): string {
  const at = new Date(value.includes('T') ? value : `1970-01-01T${value}`);
  const ahead = Number.isNaN(at.getTime()) ? 0 : -at.getTimezoneOffset();
  if (ahead === 0) return 'Z';
  const minutes = Math.abs(ahead);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${ahead < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** The JSON text for the value of a field. `offset`: the offset of the previous text; empty: none. */
export function textOfField(type: FormatType, value: string, offset: string): string {
  if (type !== 'time' && type !== 'datetime-local') return value;
  // Fields omit seconds that are 0.
  const withSeconds = /(?:^|T)\d\d:\d\d$/.test(value) ? `${value}:00` : value;
  return `${withSeconds}${offset === '' ? localOffset(withSeconds) : offset}`;
}
