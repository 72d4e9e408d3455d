// The lines of a trace during a call, as entries for people.

/** An entry of one or several lines. */
export interface Written {
  /** `stderr`, `progress`, `question`, `answer`, or the level of a log message. */
  readonly what: string;
  readonly text: string;
  /** The lines of the trace. */
  readonly lines: readonly number[];
}

interface Line {
  readonly n: number;
  readonly kind: string;
  readonly from?: string;
  readonly text: string;
}

type Json = Readonly<Record<string, unknown>>;
type Entry = Pick<Written, 'what' | 'text'>;

/** The object; undefined for anything else. */
function objectOf(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

/** The message of a line. Undefined: it is cut, or not a message. */
function messageOf({ text }: Line): Json | undefined {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The progress tokens of requests, as JSON. */
export function tokensIn(lines: readonly Line[]): ReadonlySet<string> {
  const tokens = new Set<string>();
  for (const line of lines) {
    const token = objectOf(objectOf(messageOf(line)?.['params'])?.['_meta'])?.['progressToken'];
    if (token !== undefined) tokens.add(JSON.stringify(token));
  }
  return tokens;
}

function logOf({ level, logger, data }: Json): Entry | undefined {
  if (typeof level !== 'string') return undefined;
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return { what: level, text: typeof logger === 'string' ? `${logger}: ${text}` : text };
}

function progressOf({ progress, total, message }: Json): Entry {
  const figures = total === undefined ? String(progress) : `${String(progress)} of ${String(total)}`;
  return { what: 'progress', text: typeof message === 'string' ? `${figures} · ${message}` : figures };
}

function questionOf(request: Json): Entry {
  const message = objectOf(request['params'])?.['message'];
  return { what: 'question', text: typeof message === 'string' ? message : String(request['method']) };
}

function answerOf(result: unknown): Entry {
  const { action, content } = objectOf(result) ?? {};
  if (typeof action !== 'string') return { what: 'answer', text: JSON.stringify(result) ?? 'an error' };
  return { what: 'answer', text: content === undefined ? action : `${action} ${JSON.stringify(content)}` };
}

/** The entries of one message of the call. None for its request and its result, which are shown elsewhere. */
function entriesOf(message: Json, from: string | undefined, tokens: ReadonlySet<string>): readonly Entry[] {
  const { method } = message;
  const params = objectOf(message['params']) ?? {};
  if (method === 'notifications/message') return [logOf(params) ?? { what: 'log', text: JSON.stringify(message) }];
  if (method === 'notifications/progress')
    return tokens.has(JSON.stringify(params['progressToken'])) ? [progressOf(params)] : [];
  if (method === 'ping') return [];
  if (typeof method === 'string' && from === 'server') return [questionOf(message)];
  if (method === undefined && from === 'client') return [answerOf(message['result'])];
  // In 2026-07-28 questions are in a result, and their answers in the next request.
  const asked = objectOf(objectOf(message['result'])?.['inputRequests']) ?? {};
  return [
    ...Object.values(asked).flatMap((one) => {
      const request = objectOf(one);
      return request === undefined ? [] : [questionOf(request)];
    }),
    ...Object.values(objectOf(params['inputResponses']) ?? {}).map(answerOf),
  ];
}

/** Kinds whose consecutive lines form one entry. */
const JOINED: ReadonlySet<string> = new Set(['stderr', 'progress']);

/** Lines in order, with consecutive lines of stderr as one text. `tokens`: the progress tokens of the call. */
export function writtenIn(lines: readonly Line[], tokens: ReadonlySet<string> = new Set()): Written[] {
  const all: Written[] = [];
  for (const line of lines) {
    const { n, kind, from, text } = line;
    const message = kind === 'stderr' ? undefined : messageOf(line);
    const entries =
      kind === 'stderr'
        ? [{ what: 'stderr', text }]
        : message === undefined
          ? [{ what: 'log', text }]
          : entriesOf(message, from, tokens);
    for (const entry of entries) {
      const before = all.at(-1);
      if (before !== undefined && before.what === entry.what && JOINED.has(entry.what))
        all[all.length - 1] = { ...before, text: `${before.text}\n${entry.text}`, lines: [...before.lines, n] };
      else all.push({ ...entry, lines: [n] });
    }
  }
  return all;
}
