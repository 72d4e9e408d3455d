import { isObject } from '@tenon/values/is-object';
import { createInterface, type Interface } from 'node:readline';
import { choicesOf } from '../terminal/choices.ts';
import { oneLine, printable } from '../terminal/printable.ts';
import { typesOf, valueOf } from '../command-line/schema-types.ts';

/** A server's elicitation request, as it comes from the client. */
export type Question =
  | {
      readonly mode: 'form';
      readonly name: string | undefined;
      readonly message: string;
      readonly schema: Readonly<Record<string, unknown>>;
    }
  | { readonly mode: 'url'; readonly name: string | undefined; readonly message: string; readonly url: string };

type Value = string | number | boolean | string[];

export interface Answer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, Value>;
}

/** The terminal on which the user is asked: stderr, because stdout is for the result. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

type Schema = Readonly<Record<string, unknown>>;

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

/** The input ended, so the user cannot answer. */
class InputEndedError extends Error {}

/** Reads line by line. Lines typed ahead are kept for the next question. */
function lineReader(terminal: Terminal, signal: AbortSignal) {
  const reader: Interface = createInterface({ input: terminal.input, output: terminal.output, terminal: false });
  const lines: string[] = [];
  let waiting: { resolve(line: string): void; reject(error: Error): void } | undefined;
  let over = false;
  const end = (): void => {
    over = true;
    waiting?.reject(new InputEndedError());
  };
  reader.on('line', (line) => {
    if (waiting === undefined) lines.push(line);
    else waiting.resolve(line);
    waiting = undefined;
  });
  reader.on('close', end);
  signal.addEventListener('abort', end, { once: true });
  return {
    ask(prompt: string): Promise<string> {
      terminal.output.write(prompt);
      const line = lines.shift();
      if (line !== undefined) return Promise.resolve(line);
      if (over || signal.aborted) return Promise.reject(new InputEndedError());
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
      });
    },
    close() {
      signal.removeEventListener('abort', end);
      reader.close();
    },
  };
}

type Ask = (prompt: string) => Promise<string>;

const CHOICES: ReadonlyMap<string, Answer['action']> = new Map([
  ['', 'accept'],
  ['a', 'accept'],
  ['d', 'decline'],
  ['c', 'cancel'],
]);

async function chooseAction(ask: Ask, first: string): Promise<Answer['action']> {
  for (;;) {
    const choice = CHOICES.get((await ask(`${first}, [d]ecline or [c]ancel? `)).trim().toLowerCase());
    if (choice !== undefined) return choice;
  }
}

/** Parses the typed text as a value of the field; undefined if it is not valid. */
function read(text: string, field: Schema): Value | undefined {
  const isList = field['type'] === 'array';
  const choices = choicesOf(isList && isObject(field['items']) ? field['items'] : field);
  const choose = (word: string): string | undefined =>
    (choices.find(({ value }) => value === word) ?? choices.find(({ title }) => title === word))?.value;
  if (isList) {
    const words = text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '');
    const chosen = words.map((word) => (choices.length === 0 ? word : choose(word)));
    return chosen.includes(undefined) ? undefined : (chosen as string[]);
  }
  if (choices.length > 0) return choose(text);
  const types = typesOf(field);
  if (types === undefined || types.has('string')) return text;
  const value = valueOf(text, types)?.value;
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

const HINTS: ReadonlyMap<unknown, string> = new Map([
  ['integer', 'an integer'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['array', 'several, separated by commas'],
]);

const MAX_CHOICES = 50;
/** Field names that look like secrets. Forms must not ask for secrets; URL mode is for that. */
const SECRET = /pass(?:word|wd|phrase)|secret|token|api.?key|credential|\bpin\b|cvv/i;

function describe(name: string, field: Schema, required: boolean): string {
  const choices = choicesOf(isObject(field['items']) ? field['items'] : field).slice(0, MAX_CHOICES);
  const options = choices.map(({ value, title }) =>
    value === title ? oneLine(value, 60) : `${oneLine(value, 60)} (${oneLine(title, 60)})`,
  );
  const given = field['default'];
  const notes = [
    HINTS.get(field['type']),
    options.length === 0 ? undefined : `one of: ${options.join(', ')}`,
    given === undefined ? (required ? undefined : 'may be left empty') : `empty: ${oneLine(JSON.stringify(given), 60)}`,
  ].filter((note) => note !== undefined);
  const about = typeof field['description'] === 'string' ? `  ${oneLine(field['description'], 300)}\n` : '';
  const warning = SECRET.test(`${name} ${String(field['title'])}`)
    ? '  (looks like a secret: servers must not ask for those in a form)\n'
    : '';
  return `${about}${warning}  ${oneLine(textOr(field['title'], name), 80)}${notes.length === 0 ? '' : ` [${notes.join('; ')}]`}: `;
}

/** Asks until the text is valid for the field. Undefined: left empty, so the default or nothing is sent. */
async function askField(ask: Ask, name: string, field: Schema, required: boolean): Promise<Value | undefined> {
  const prompt = describe(name, field, required);
  let problem = '';
  for (;;) {
    const text = await ask(problem + prompt);
    if (text === '' && (!required || field['default'] !== undefined)) return undefined;
    const value = text === '' ? undefined : read(text, field);
    if (value !== undefined) return value;
    problem = text === '' ? '  An answer is needed here.\n' : '  That is not valid here.\n';
  }
}

async function form(ask: Ask, schema: Schema): Promise<Answer> {
  const action = await chooseAction(ask, '  [a]nswer');
  if (action !== 'accept') return { action };
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const content: [string, Value][] = [];
  for (const [name, field] of Object.entries(properties)) {
    const value = await askField(ask, name, isObject(field) ? field : {}, required.has(name));
    if (value !== undefined) content.push([name, value]);
  }
  return { action, content: Object.fromEntries(content) };
}

async function page(ask: Ask, write: (text: string) => void, address: string): Promise<Answer> {
  const url = new URL(address);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    write(`  It asks you to open ${oneLine(address, 500)}, which is not a web page: declined.\n`);
    return { action: 'decline' };
  }
  const disguised = url.hostname.split('.').some((part) => part.startsWith('xn--'));
  write(
    `  Page: ${oneLine(address, 2_000)}\n  Host: ${oneLine(url.host)}${disguised ? '  (contains characters that may look like other letters)' : ''}\n`,
  );
  write('  tenon does not open it. If you trust it, open it in your browser.\n');
  return { action: await chooseAction(ask, '  [a]ccept, I open it') };
}

/**
 * Asks the user at the terminal. Control characters in the server's text are escaped. The end of the input means cancel, as does the
 * signal.
 */
export async function askUser(
  question: Question,
  server: string | undefined,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Answer> {
  const reader = lineReader(terminal, signal);
  const write = (text: string): void => void terminal.output.write(text);
  try {
    write(`\n${server === undefined ? 'The server' : `The server that calls itself ${oneLine(server, 80)}`} asks:\n`);
    write(`  ${printable(question.message.slice(0, 5_000)).replaceAll('\n', '\n  ')}\n`);
    return question.mode === 'url'
      ? await page(reader.ask, write, question.url)
      : await form(reader.ask, question.schema);
  } catch (error) {
    if (error instanceof InputEndedError) return { action: 'cancel' };
    throw error;
  } finally {
    reader.close();
  }
}
