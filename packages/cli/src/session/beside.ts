import { isObject } from '@tenon/values/is-object';
import type { Screen } from '../terminal/screen.ts';
import { oneLine } from '../terminal/printable.ts';
import type { Passed } from './observer.ts';

/** Prints the server's stderr, its log messages and its questions during a call, all on stderr. */
export interface SideOutput {
  pass(passed: Passed): void;
  /** Called when the connection has ended. Prints a last line without a line break, and how much was left out. */
  end(): void;
}

export interface SideOutputOptions {
  /** Print log messages of the whole connection, not only those of a call. */
  readonly allLogs: boolean;
  /** The user is asked at the terminal, so questions are already visible. */
  readonly isAsked: boolean;
  /** Everything is already printed. */
  readonly isTraced: boolean;
}

/** Requests that run code of a server's author. */
const CALLS: ReadonlySet<unknown> = new Set(['tools/call', 'resources/read', 'prompts/get']);
/** Maximum number of printed lines. Log messages that the command line requests are all printed. */
const MAX_LINES = 200;
const MAX_LENGTH = 2_000;
const MAX_LOG_LENGTH = 10_000;
/** Limits memory for a server that writes no line breaks. */
const MAX_STDERR_LENGTH = 64 * 1024;
/** The pattern of relevant messages. */
const RELEVANT = /"(?:method|inputRequests|inputResponses)"/;
const MAX_ASKED = 1_000;
/** Where a server made with Tenon writes the name of a question in revisions that have no place for it. */
const QUESTION_NAME = 'dev.tenon/question';

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

function nameIn(params: unknown): string | undefined {
  const name = objectIn(params, '_meta')?.[QUESTION_NAME];
  return typeof name === 'string' ? name : undefined;
}

function questionLine(method: unknown, params: Json | undefined, name?: string): string {
  const { message, url } = params ?? {};
  const words = typeof message === 'string' ? message : String(method);
  const page = typeof url === 'string' ? ` ${url}` : '';
  return `question${name === undefined ? '' : ` ${name}`}: ${words}${page}`;
}

/** The fields of an answer. Texts and numbers may be secret, so only yes and no are shown. */
function fieldsOf(content: Json): string {
  const fields = Object.entries(content).map(([name, value]) => `${name}: ${typeof value === 'boolean' ? value : '…'}`);
  return fields.length === 0 ? ' (no fields)' : ` (${fields.join(', ')})`;
}

/** A description of an answer. */
function answerLine(answer: unknown, name?: string): string {
  const action = isObject(answer) && typeof answer['action'] === 'string' ? answer['action'] : 'given';
  const content = objectIn(answer, 'content');
  const fields = action === 'accept' && content !== undefined ? fieldsOf(content) : '';
  return `answer${name === undefined ? '' : ` ${name}`}: ${action}${fields}`;
}

/** A description of the error with which the client answered. */
function refusalLine({ message }: Json, name?: string): string {
  return `answer${name === undefined ? '' : ` ${name}`}: error (${String(message)})`;
}

function logLine({ level, logger, data }: Json): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `[${String(level)}]${typeof logger === 'string' ? ` ${logger}:` : ''} ${text}`;
}

export function watchBeside(screen: Screen, { allLogs, isAsked, isTraced }: SideOutputOptions): SideOutput {
  let begun = false;
  let printed = 0;
  let left = 0;
  let stderr = '';
  /** Ids of requests of the server. */
  const asked = new Map<unknown, string | undefined>();

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
      const name = nameIn(params);
      if (asked.size < MAX_ASKED) asked.set(id, name);
      return question(questionLine(method, isObject(params) ? params : undefined, name));
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
    const name = asked.get(id);
    if (method !== undefined || !asked.delete(id)) return;
    const error = objectIn(message, 'error');
    question(error === undefined ? answerLine(message['result'], name) : refusalLine(error, name));
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
      // A response of the client to a question matches neither.
      if (!RELEVANT.test(text) && (kind === 'received' || asked.size === 0)) return;
      for (const message of messagesIn(text)) (kind === 'sent' ? sent : received)(message);
    },
    end() {
      if (stderr !== '') print(`| ${stderr}`);
      stderr = '';
      if (left > 0) screen.warn(`${left} more lines of stderr and log messages are left out; --trace shows all`);
    },
  };
}
