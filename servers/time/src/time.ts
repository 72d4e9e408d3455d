import { Temporal } from '@js-temporal/polyfill';
import { resource, type Server, server, tool, ToolError } from 'tenon';
import { z } from 'zod';
import { icon } from '../../shared/icon.ts';

const ICON = icon('#364fc7', '<circle cx="12" cy="12" r="7"/><path d="M12 8v4l3 2"/>');

export interface TimeOptions {
  /** The zone of the user. Default: that of the machine. */
  readonly localTimezone?: string | undefined;
  /** Default: the clock of the machine. */
  readonly now?: () => Temporal.Instant;
}

/** All time zones, with UTC first. */
const ZONES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone')];
const MAX_COMPLETIONS = 100;

/** The canonical name of a zone. Throws a `ToolError` for unknown names. */
function zoneOf(name: string): string {
  try {
    return Temporal.Now.zonedDateTimeISO(name).timeZoneId;
  } catch {
    throw new ToolError(
      `There is no time zone '${JSON.stringify(name.slice(0, 100)).slice(1, -1)}': use a name such as Europe/Berlin or America/New_York`,
    );
  }
}

/** Whether daylight saving time is in force, as the original server defines it: the clock is ahead of the other half of the year. */
function isDst(time: Temporal.ZonedDateTime): boolean {
  const offsets = [1, 7].map((month) => time.with({ month, day: 1 }).offsetNanoseconds);
  return time.offsetNanoseconds > Math.min(...offsets);
}

const TIME = z.object({
  timezone: z.string(),
  datetime: z.string().describe('ISO 8601, with the offset from UTC'),
  day_of_week: z.string(),
  is_dst: z.boolean().describe('Is daylight saving time in force?'),
});

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

function described(time: Temporal.ZonedDateTime): z.infer<typeof TIME> {
  return {
    timezone: time.timeZoneId,
    datetime: time.toString({ timeZoneName: 'never', smallestUnit: 'second' }),
    day_of_week: DAYS[time.dayOfWeek - 1]!,
    is_dst: isDst(time),
  };
}

/** How far the second clock is ahead of the first: `+9.0h`, `-3.5h`, `+5.75h`. */
function difference(from: Temporal.ZonedDateTime, to: Temporal.ZonedDateTime): string {
  const hours = (to.offsetNanoseconds - from.offsetNanoseconds) / 3.6e12;
  const text = Number.isInteger(hours) ? hours.toFixed(1) : String(Math.round(hours * 100) / 100);
  return `${hours < 0 ? '' : '+'}${text}h`;
}

/**
 * A time of day on a date in a zone. Throws a `ToolError` if the time does not exist because the clock is set forward, or if it exists twice
 * because the clock is set back and `fold` does not say which is meant.
 */
function timeAt(
  date: Temporal.PlainDate,
  clock: Temporal.PlainTime,
  timeZone: string,
  fold: 'earlier' | 'later' | undefined,
): Temporal.ZonedDateTime {
  const local = date.toPlainDateTime(clock);
  const [earlier, later] = (['earlier', 'later'] as const).map((disambiguation) =>
    local.toZonedDateTime(timeZone, { disambiguation }),
  ) as [Temporal.ZonedDateTime, Temporal.ZonedDateTime];
  if (earlier.equals(later)) return earlier;
  if (!earlier.toPlainDateTime().equals(local))
    throw new ToolError(
      `There is no ${clock.toString({ smallestUnit: 'minute' })} on ${date.toString()} in ${timeZone}: the clock is set forward over it`,
    );
  if (fold === undefined)
    throw new ToolError(
      `${clock.toString({ smallestUnit: 'minute' })} comes twice on ${date.toString()} in ${timeZone}: choose the earlier or the later with \`fold\``,
    );
  return fold === 'earlier' ? earlier : later;
}

function parsed<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new ToolError(what);
  }
}

function zones(typed: string): string[] {
  return ZONES.filter((zone) => zone.toLowerCase().includes(typed.toLowerCase())).slice(0, MAX_COMPLETIONS);
}

/** Makes the server. Throws for a local time zone that does not exist. */
export function createTime({ localTimezone, now = () => Temporal.Now.instant() }: TimeOptions = {}): Server {
  const local = zoneOf(localTimezone ?? Temporal.Now.timeZoneId());
  const zone = (what: string): z.ZodString =>
    z
      .string()
      .min(1)
      .max(100)
      .describe(
        `IANA name of the ${what} (e.g. 'America/New_York', 'Europe/London'). Use '${local}' if the user names none.`,
      );
  return server({
    name: 'time',
    version: '0.1.0',
    icons: [ICON],
    title: 'Time',
    instructions: `The user is in the time zone ${local}.`,
    tools: {
      get_current_time: tool(
        {
          title: 'Current time',
          description: 'Get current time in a specific timezone',
          input: z.object({ timezone: zone('time zone') }),
          output: TIME,
          readOnly: true,
          openWorld: false,
        },
        ({ timezone }) => described(now().toZonedDateTimeISO(zoneOf(timezone))),
      ),
      convert_time: tool(
        {
          title: 'Convert a time',
          description: 'Convert time between timezones',
          input: z.object({
            source_timezone: zone('zone the time is in'),
            time: z
              .string()
              .regex(/^([01]?\d|2[0-3]):[0-5]\d$/, 'Use HH:MM, in 24 hours')
              .describe('Time to convert, in 24-hour format (HH:MM)'),
            target_timezone: zone('zone to convert to'),
            date: z
              .string()
              .regex(/^\d{4}-\d{2}-\d{2}$/, 'Use YYYY-MM-DD')
              .optional()
              .describe('The day there (YYYY-MM-DD). Today, if left out'),
            fold: z.enum(['earlier', 'later']).optional().describe('Which one, if the time comes twice on that day'),
          }),
          output: z.object({
            source: TIME,
            target: TIME,
            time_difference: z.string().describe('How far the target is ahead, such as +9.0h or -3.5h'),
          }),
          readOnly: true,
          idempotent: true,
          openWorld: false,
        },
        ({ source_timezone, time, target_timezone, date, fold }) => {
          const zoneThere = zoneOf(source_timezone);
          const day =
            date === undefined
              ? now().toZonedDateTimeISO(zoneThere).toPlainDate()
              : parsed(`There is no day ${date}`, () => Temporal.PlainDate.from(date, { overflow: 'reject' }));
          const clock = Temporal.PlainTime.from(time.padStart(5, '0'));
          const source = timeAt(day, clock, zoneThere, fold);
          const target = source.withTimeZone(zoneOf(target_timezone));
          return { source: described(source), target: described(target), time_difference: difference(source, target) };
        },
      ),
    },
    resources: {
      'time://now/{+timezone}': resource(
        {
          name: 'now',
          title: 'The time in a zone',
          mimeType: 'application/json',
          complete: { timezone: zones },
        },
        ({ timezone }) => JSON.stringify(described(now().toZonedDateTimeISO(zoneOf(timezone)))),
      ),
    },
  });
}
