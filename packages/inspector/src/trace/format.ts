import { isObject } from '@tenon/values/is-object';
import type { ErrorCode } from '../values/error-codes.ts';
import { AUTH_STEPS, LINE_KINDS, TRACE_VERSION, type TraceHead, type TraceLine } from './line.ts';

/** The longest line of a trace that is read, in bytes. The longest message fits, however it is escaped. */
export const MAX_LINE_LENGTH = 64 * 1024 * 1024;

/** A file that cannot be read as a trace at all. The message says why, and what to do. */
export class TraceError extends Error {
  /** Always `TraceError`. */
  override readonly name = 'TraceError';
  /** Stable: docs/errors.md lists the codes. */
  readonly code: ErrorCode<'TraceError'>;

  constructor(code: ErrorCode<'TraceError'>, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) > 0;
const isTime: Check = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0;
function oneOf(values: readonly unknown[]): Check {
  return (value) => values.includes(value);
}
/** Not below 0. */
const isWhole: Check = (value) => value === 0 || isCount(value);
const isTextMap: Check = (value) => isObject(value) && Object.values(value).every(isText);

/** The required type of a member, as a check and in words. Members with `?` may be missing. */
type Members = Readonly<Record<string, readonly [is: Check, words: string, optional?: '?']>>;

const SIDES = oneOf(['client', 'server']);

const EVENT: Members = { name: [isText, 'a string'], id: [isText, 'a string'] };

const HTTP: Members = {
  exchange: [isCount, 'a whole number from 1 on'],
  part: [oneOf(['request', 'answer', 'event', 'body', 'end']), 'request, answer, event, body or end'],
  method: [isText, 'a string', '?'],
  url: [isText, 'a string', '?'],
  // The status as the server sent it: even the invalid 000 is recorded.
  status: [isWhole, 'a whole number', '?'],
  headers: [isTextMap, 'an object of strings', '?'],
  event: [(value) => problemIn(value, EVENT) === undefined, 'an object with name and id', '?'],
  step: [oneOf(AUTH_STEPS), `one of ${AUTH_STEPS.join(', ')}`, '?'],
  body: [isText, 'a string', '?'],
};

const ABOUT: Members = {
  name: [isText, 'a string'],
  transport: [oneOf(['stdio', 'http', 'sse', 'memory', 'channel']), 'stdio, http, sse, memory or channel'],
  target: [isText, 'a string'],
  recorder: [oneOf(['client', 'server', 'tap']), 'client, server or tap'],
};

const LINE: Members = {
  n: [isCount, 'a whole number from 1 on'],
  at: [isTime, 'a number of milliseconds'],
  session: [isText, 'a string'],
  kind: [oneOf(LINE_KINDS), `one of ${LINE_KINDS.join(', ')}`],
  from: [SIDES, 'client or server', '?'],
  text: [isText, 'a string'],
  cause: [isCount, 'the number of a line', '?'],
  redacted: [oneOf([true]), 'true', '?'],
};

/** The first problem with the members of an object. Unknown members are ignored. */
function problemIn(value: unknown, members: Members): string | undefined {
  if (!isObject(value)) return 'is not an object';
  for (const [name, [is, words, optional]] of Object.entries(members)) {
    const member = value[name];
    if (member === undefined && optional !== undefined) continue;
    if (!is(member)) return member === undefined ? `has no ${name}` : `has a ${name} that is not ${words}`;
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A parsed line, or the problem with it. */
export type ParsedLine =
  | {
      /** The line. */
      readonly line: TraceLine;
    }
  | {
      /** The problem, as the end of a sentence that begins with "The line". */
      readonly problem: string;
    };

/**
 * Parses a line of a trace. Members unknown to this version stay on the object and are ignored; known members must have the types
 * of the format.
 *
 * @example
 * ```ts
 * import { parseLine } from '@tenon/inspector/trace';
 *
 * const parsed = parseLine('{"n":1,"at":0.5,"session":"weather","kind":"note","text":"It began"}');
 * console.error('line' in parsed ? parsed.line.text : `The line ${parsed.problem}`);
 * ```
 */
export function parseLine(text: string): ParsedLine {
  const value = parsed(text);
  if (value === undefined) return { problem: 'is not JSON' };
  const problem = problemIn(value, LINE);
  if (problem !== undefined) return { problem };
  const { http, about } = value as { readonly http?: unknown; readonly about?: unknown };
  const inner =
    http !== undefined
      ? ['http', problemIn(http, HTTP)]
      : about !== undefined
        ? ['about', problemIn(about, ABOUT)]
        : undefined;
  if (inner?.[1] !== undefined) return { problem: `has an ${inner[0]} that ${inner[1]}` };
  return { line: value as TraceLine };
}

/** Returns whether this is the first line of a trace. */
export function isHead(text: string): boolean {
  const value = parsed(text);
  return isObject(value) && value['mcptrace'] !== undefined;
}

/**
 * Parses the first line of a trace. Throws a `TraceError` if it is not a trace, or its version is newer than this program.
 *
 * @example
 * ```ts
 * import { parseHead } from '@tenon/inspector/trace';
 *
 * const { by } = parseHead('{"mcptrace":1,"began":"2026-11-23T06:00:00.000Z","by":"my tool 1.0"}');
 * ```
 */
export function parseHead(text: string): TraceHead {
  const value = parsed(text);
  if (!isObject(value) || value['mcptrace'] === undefined) {
    throw new TraceError(
      'not-a-trace',
      'This is not a trace: the first line should be {"mcptrace":1,"began":"…","by":"…"}',
    );
  }
  const { mcptrace: version, began, by } = value;
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1)
    throw new TraceError('not-a-trace', 'This is not a trace: "mcptrace" in the first line is not a version');
  if (version > TRACE_VERSION) {
    const writer = typeof by === 'string' ? ` by ${by.slice(0, 60)}` : '';
    throw new TraceError(
      'newer',
      `This trace was written${writer} in version ${version} of the format; this program reads up to ${TRACE_VERSION}. Use a newer tenon.`,
    );
  }
  if (typeof began !== 'string' || Number.isNaN(Date.parse(began)))
    throw new TraceError('not-a-trace', 'This is not a trace: "began" in the first line is not a time');
  return { mcptrace: version, began, by: typeof by === 'string' ? by : '' };
}

/**
 * The head as the first line of a file, without the line break.
 *
 * @example
 * ```ts
 * import { formatHead } from '@tenon/inspector/trace';
 *
 * formatHead({ mcptrace: 1, began: new Date().toISOString(), by: 'my tool 1.0' });
 * ```
 */
export function formatHead({ mcptrace, began, by }: TraceHead): string {
  return JSON.stringify({ mcptrace, began, by });
}

/**
 * A line as text, without the line break. Its members are always in the same order; undefined members are left out.
 *
 * @example
 * ```ts
 * import { formatLine } from '@tenon/inspector/trace';
 *
 * formatLine({ n: 1, at: 0.5, session: 'weather', kind: 'note', text: 'It began' });
 * ```
 */
export function formatLine(line: TraceLine): string {
  const { n, at, session, kind, from, text, cause, http, about, redacted } = line;
  return JSON.stringify({ n, at, session, kind, from, text, cause, http, about, redacted });
}
