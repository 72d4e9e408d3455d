// Texts of the formats for which browsers have a field of their own. What such a field cannot hold as it is written is edited as text.

/** The type of the field. */
export type FormatType = 'date' | 'datetime-local' | 'time' | 'email' | 'url';

const TYPES: ReadonlyMap<unknown, FormatType> = new Map<unknown, FormatType>([
  ['date', 'date'],
  ['date-time', 'datetime-local'],
  ['time', 'time'],
  ['email', 'email'],
  ['uri', 'url'],
]);

/** The field for a format; undefined: a text as any other. */
export function formatType(format: unknown): FormatType | undefined {
  return TYPES.get(format);
}

/** A text as its field has it. */
export interface FieldText {
  readonly value: string;
  /** Of a time: the offset behind it, which its field cannot hold. */
  readonly offset: string;
}

const DATE = String.raw`(?!0000)\d{4}-\d\d-\d\d`;
const TIME = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?`;
const OFFSET = String.raw`Z|[+-]\d\d:\d\d`;
const WHOLE: Readonly<Record<FormatType, RegExp>> = {
  date: new RegExp(`^(${DATE})()$`),
  'datetime-local': new RegExp(`^(${DATE}T${TIME})(${OFFSET})$`),
  time: new RegExp(`^(${TIME})(${OFFSET})$`),
  // Their fields take spaces at the ends, and line breaks, off.
  email: /^(\S(?:.*\S)?)()$/,
  url: /^(\S(?:.*\S)?)()$/,
};

/** Is there such a day? A field for dates is empty for all others. */
function isDay(date: string): boolean {
  const day = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
}

/** A text of JSON in the field of its format; undefined: the field would show something else. */
export function fieldText(type: FormatType, text: string): FieldText | undefined {
  const [, value, offset = ''] = WHOLE[type].exec(text) ?? [];
  if (value === undefined) return undefined;
  const hasDay = type === 'date' || type === 'datetime-local';
  return !hasDay || isDay(value.slice(0, 10)) ? { value, offset } : undefined;
}

/** `+02:00`: what the clock of this machine is ahead of UTC, at a time of its own. */
export function localOffset(value: string): string {
  const at = new Date(value.includes('T') ? value : `1970-01-01T${value}`);
  const ahead = Number.isNaN(at.getTime()) ? 0 : -at.getTimezoneOffset();
  if (ahead === 0) return 'Z';
  const minutes = Math.abs(ahead);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${ahead < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** The text of JSON for what a field holds. `offset`: that of the text before; empty: there was none. */
export function textOfField(type: FormatType, value: string, offset: string): string {
  if (type !== 'time' && type !== 'datetime-local') return value;
  // Fields leave out seconds that are 0.
  const withSeconds = /(?:^|T)\d\d:\d\d$/.test(value) ? `${value}:00` : value;
  return `${withSeconds}${offset === '' ? localOffset(withSeconds) : offset}`;
}
