// The exceptions of an event, with the parts of their stack traces that matter: those next to where it happened.
import { z } from 'zod';
import { pick } from '../../shared/api/pick.ts';
import { SERVICE } from './sentry-client.ts';

const MAX_EXCEPTIONS = 10;
const MAX_FRAMES = 30;
const MAX_LINES = 11;
const MAX_LINE_LENGTH = 200;
const MAX_TEXT_LENGTH = 4_000;

const text = z.string().nullish();

const FRAME = z.object({
  filename: text,
  absPath: text,
  module: text,
  function: text,
  lineNo: z.number().nullish(),
  colNo: z.number().nullish(),
  inApp: z.boolean().nullish(),
  context: z.array(z.tuple([z.number(), text])).nullish(),
});
const EXCEPTION = z.object({
  type: text,
  value: text,
  stacktrace: z.object({ frames: z.array(FRAME).nullish() }).nullish(),
});
const EXCEPTIONS = z.object({ values: z.array(EXCEPTION).nullish() });
/** What an event consists of: exceptions, breadcrumbs, a request and more. */
const ENTRY = z.object({ type: text, data: z.unknown() });

export const EXCEPTION_SHAPE = z.object({
  type: z.string(),
  value: z.string(),
  frames: z.array(
    z.object({
      file: z.string(),
      line: z.number().optional(),
      function: z.string(),
      in_app: z.boolean(),
      context: z.array(z.string()).optional().describe('Lines of the file with their numbers'),
    }),
  ),
  frames_omitted: z.number().describe('Outer frames that are left out'),
});
export type ShownException = z.infer<typeof EXCEPTION_SHAPE>;

/** A text of limited length. */
export function cut(value: string, most = MAX_TEXT_LENGTH): string {
  return value.length > most ? `${value.slice(0, most)}…` : value;
}

/** The lines around the one where it happened, which is in the middle. */
function contextOf({ context, lineNo }: z.infer<typeof FRAME>): string[] | undefined {
  if (context == null || context.length === 0) return undefined;
  const at = Math.max(
    0,
    context.findIndex(([number]) => number === lineNo),
  );
  const first = Math.max(0, at - Math.floor(MAX_LINES / 2));
  return context
    .slice(first, first + MAX_LINES)
    .map(([number, line]) => `${number} ${cut(line ?? '', MAX_LINE_LENGTH)}`);
}

function shownException({ type, value, stacktrace }: z.infer<typeof EXCEPTION>): ShownException {
  const all = stacktrace?.frames ?? [];
  // The last frame is where it happened.
  const kept = all.slice(-MAX_FRAMES);
  const hasOwn = kept.some(({ inApp }) => inApp === true);
  const frames = kept.map((frame) => ({
    file: cut(frame.filename ?? frame.absPath ?? frame.module ?? 'Unknown', MAX_LINE_LENGTH),
    line: frame.lineNo ?? undefined,
    function: cut(frame.function ?? 'Unknown', MAX_LINE_LENGTH),
    in_app: frame.inApp === true,
    // Lines of libraries help only if there are no others.
    context: frame.inApp === true || !hasOwn ? contextOf(frame) : undefined,
  }));
  return {
    type: cut(type ?? 'Unknown', MAX_LINE_LENGTH),
    value: cut(value ?? ''),
    frames,
    frames_omitted: all.length - kept.length,
  };
}

/** The exceptions in the entries of an event; the last one was thrown last. */
export function exceptionsIn(entries: readonly unknown[]): {
  readonly exceptions: readonly ShownException[];
  readonly omitted: number;
} {
  const all = entries.flatMap((value) => {
    const entry = pick(SERVICE, ENTRY, value);
    return entry.type === 'exception' ? (pick(SERVICE, EXCEPTIONS, entry.data).values ?? []) : [];
  });
  const kept = all.slice(-MAX_EXCEPTIONS);
  return { exceptions: kept.map(shownException), omitted: all.length - kept.length };
}
