import { isObject } from '@tenon/values/is-object';
import type { Screen } from '../terminal/screen.ts';
import { oneLine } from '../terminal/printable.ts';
import type { Passed } from './observer.ts';

/** What is printed on stderr beside a call: what the server writes to stderr, its log messages, its questions. */
export interface Beside {
  pass(passed: Passed): void;
  /** The connection has ended: prints a last line without a line break, and how much was left out. */
  end(): void;
}

export interface BesideOptions {
  /** Print log messages of the whole connection, not only those of a call. */
  readonly allLogs: boolean;
  /** The user is asked at the terminal, so questions are visible already. */
  readonly isAsked: boolean;
  /** Everything is printed already. */
  readonly isTraced: boolean;
}

/** The requests that run code of an author. */
const CALLS: ReadonlySet<unknown> = new Set(['tools/call', 'resources/read', 'prompts/get']);
/** What follows is not printed. Log messages that were asked for on the command line are printed all. */
const MAX_LINES = 200;
const MAX_LENGTH = 2_000;
const MAX_LOG_LENGTH = 10_000;
/** A server without line breaks cannot exhaust memory. */
const MAX_STDERR_LENGTH = 64 * 1024;
/** What a message must have in its text to be of interest. */
const OF_INTEREST = /"(?:method|inputRequests|inputResponses)"/;
const MAX_ASKED = 1_000;

type Json = Readonly<Record<string, unknown>>;

function objectIn(value: unknown, name: string): Json | undefined {
  const found = isObject(value) ? value[name] : undefined;
  return isObject(found) ? found : undefined;
}

/** The messages of a line: one, or those of a batch. */
function messagesIn(text: string): readonly Json[] {
  try {
    const value: unknown = JSON.parse(text);
    return (Array.isArray(value) ? value : [value]).filter(isObject);
  } catch {
    return [];
  }
}

function questionLine(method: unknown, params: Json | undefined, name?: string): string {
  const { message, url } = params ?? {};
  const words = typeof message === 'string' ? message : String(method);
  const page = typeof url === 'string' ? ` ${url}` : '';
  return `question${name === undefined ? '' : ` ${name}`}: ${words}${page}`;
}

/** What was answered, without contents: they may be secret. */
function answerLine(answer: unknown, name?: string): string {
  const action = isObject(answer) && typeof answer['action'] === 'string' ? answer['action'] : 'given';
  return `answer${name === undefined ? '' : ` ${name}`}: ${action}`;
}

function logLine({ level, logger, data }: Json): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `[${String(level)}]${typeof logger === 'string' ? ` ${logger}:` : ''} ${text}`;
}

export function watchBeside(screen: Screen, { allLogs, isAsked, isTraced }: BesideOptions): Beside {
  let begun = false;
  let printed = 0;
  let left = 0;
  let stderr = '';
  /** Ids of requests of the server. */
  const asked = new Set<unknown>();

  const print = (text: string, most = MAX_LENGTH): void => {
    if (isTraced) return;
    if (printed++ < MAX_LINES) screen.aside(oneLine(text, most));
    else left++;
  };

  const log = (params: Json): void => {
    if (allLogs) screen.line(oneLine(logLine(params), MAX_LOG_LENGTH));
    else if (begun) print(logLine(params));
  };

  const question = (line: string): void => {
    if (begun && !isAsked) print(line);
  };

  const received = (message: Json): void => {
    const { id, method, params } = message;
    if (method === 'notifications/message') return log(isObject(params) ? params : {});
    if (typeof method === 'string' && id !== undefined && method !== 'ping') {
      if (asked.size < MAX_ASKED) asked.add(id);
      return question(questionLine(method, isObject(params) ? params : undefined));
    }
    for (const [name, one] of Object.entries(objectIn(message['result'], 'inputRequests') ?? {}))
      if (isObject(one)) question(questionLine(one['method'], objectIn(one, 'params'), name));
  };

  const sent = (message: Json): void => {
    const { id, method, params } = message;
    if (CALLS.has(method)) {
      begun = true;
      for (const [name, one] of Object.entries(objectIn(params, 'inputResponses') ?? {}))
        question(answerLine(one, name));
    }
    if (method === undefined && asked.delete(id)) question(answerLine(message['result']));
  };

  const wrote = (text: string): void => {
    if (!begun) return;
    const lines = (stderr + text).split('\n');
    stderr = lines.pop()!;
    if (stderr.length > MAX_STDERR_LENGTH) lines.push(stderr.slice(0, MAX_STDERR_LENGTH));
    if (stderr.length > MAX_STDERR_LENGTH) stderr = '';
    for (const line of lines) print(`| ${line.replace(/\r$/, '')}`);
  };

  return {
    pass({ kind, text }) {
      if (kind === 'stderr') return wrote(text);
      if (kind !== 'sent' && kind !== 'received') return;
      // A response of the client to a question has neither.
      if (!OF_INTEREST.test(text) && (kind === 'received' || asked.size === 0)) return;
      for (const message of messagesIn(text)) (kind === 'sent' ? sent : received)(message);
    },
    end() {
      if (stderr !== '') print(`| ${stderr}`);
      stderr = '';
      if (left > 0) screen.warn(`${left} more lines of stderr and log messages are left out; --trace shows all`);
    },
  };
}
