// The requests of the benchmark, and the check of their answers: status, id and content of every one.
import { BIG, page, STEPS } from './tools.mjs';

/** What is asked of a server. */
export type Call = 'echo' | 'list' | 'steps' | 'big' | 'read';

export const LEGACY = '2025-06-18';
export const MODERN = '2026-07-28';
/** Ids have seven digits each, so that requests and answers differ in nothing but these. */
export const FIRST_ID = 1_000_000;
const TEXT = 'hello world';
export const CLAIM = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
};
export const INITIALIZE = {
  protocolVersion: LEGACY,
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};

export interface Request {
  readonly jsonrpc: '2.0';
  readonly id: number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A request. Its progress token is its id. */
export function requestOf(call: Call, modern: boolean, id: number): Request {
  const steps = call === 'steps';
  const meta = modern || steps ? { ...(modern && CLAIM), progressToken: steps ? id : undefined } : undefined;
  const { method, params } = METHODS[call];
  return { jsonrpc: '2.0', id, method, params: { _meta: meta, ...params } };
}

const METHODS: Readonly<Record<Call, Pick<Request, 'method' | 'params'>>> = {
  echo: { method: 'tools/call', params: { name: 'echo', arguments: { text: TEXT } } },
  steps: { method: 'tools/call', params: { name: 'steps', arguments: {} } },
  big: { method: 'tools/call', params: { name: 'big', arguments: {} } },
  list: { method: 'tools/list', params: {} },
  read: { method: 'resources/read', params: { uri: page.uri } },
};

interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly progressToken?: unknown; readonly progress?: unknown; readonly total?: unknown };
  readonly result?: Result;
}

interface Result {
  readonly isError?: unknown;
  readonly resultType?: unknown;
  readonly nextCursor?: unknown;
  readonly content?: readonly { readonly type?: unknown; readonly text?: unknown }[];
  readonly contents?: readonly { readonly uri?: unknown; readonly text?: unknown }[];
  readonly tools?: readonly { readonly name?: unknown; readonly inputSchema?: { readonly properties?: object } }[];
}

export interface Expected {
  readonly call: Call;
  readonly modern: boolean;
  /** How many tools a list has. */
  readonly tools: number;
}

/** Says what is wrong with the messages that answer a request, or undefined. */
export function problemOf(
  messages: readonly Message[],
  id: number,
  { call, modern, tools }: Expected,
): string | undefined {
  const answer = messages.at(-1);
  if (answer?.jsonrpc !== '2.0' || answer.id !== id) return `its id is not ${id}`;
  if (answer.result === undefined) return 'there is no result';
  if (modern && answer.result.resultType !== 'complete') return 'its resultType is not complete';
  const before = messages.slice(0, -1);
  if (before.length !== (call === 'steps' ? STEPS : 0)) return `${before.length} messages came before it`;
  const wrongStep = before.findIndex(
    ({ method, params }, index) =>
      method !== 'notifications/progress' ||
      params?.progressToken !== id ||
      params.progress !== index + 1 ||
      params.total !== STEPS,
  );
  if (wrongStep !== -1) return `message ${wrongStep + 1} is not step ${wrongStep + 1}`;
  return contentProblem(answer.result, call, tools);
}

function contentProblem(result: Result, call: Call, tools: number): string | undefined {
  if (call === 'list') {
    if (result.tools?.length !== tools || result.nextCursor !== undefined)
      return `it lists ${result.tools?.length} tools, not ${tools}`;
    const echo = result.tools.find(({ name }) => name === 'echo');
    return echo?.inputSchema?.properties === undefined || !('text' in echo.inputSchema.properties)
      ? 'echo is not listed with its argument'
      : undefined;
  }
  if (call === 'read') {
    const [item] = result.contents ?? [];
    return item?.uri === page.uri && item.text === page.text ? undefined : 'it is not the page';
  }
  const [item] = result.content ?? [];
  const text = call === 'echo' ? TEXT : call === 'big' ? BIG : 'done';
  return item?.type === 'text' && item.text === text && result.isError !== true ? undefined : 'its text is wrong';
}

/**
 * Checks the answers to one kind of request. Most answers of a server differ in nothing but the id, so they are compared with the last one
 * that was read as a whole: the driver must not need more time than what it measures. Everything else is read as a whole.
 */
export class Answers {
  readonly #expected: Expected;
  readonly #read: (text: string) => readonly Message[];
  /** The last answer that was read, without its ids. */
  #parts: readonly string[] = [];

  /** `read` gives the messages of an answer as it has arrived. */
  constructor(expected: Expected, read: (text: string) => readonly unknown[]) {
    this.#expected = expected;
    this.#read = read as (text: string) => readonly Message[];
  }

  /** The id of an answer if it is like the last one, without reading it. */
  idOf(text: string): number | undefined {
    const first = this.#parts[0];
    if (first === undefined || !text.startsWith(first)) return undefined;
    const id = Number(text.slice(first.length, first.length + 7));
    return Number.isInteger(id) && this.#isLast(text, String(id)) ? id : undefined;
  }

  /** Fails with the answer, unless it is right. */
  check(text: string, id: number): void {
    if (this.#isLast(text, String(id))) return;
    const problem = this.#problem(text, id);
    if (problem !== undefined) throw new Error(`Wrong answer, ${problem}: ${text.slice(0, 600)}`);
    this.#parts = text.split(String(id));
  }

  #isLast(text: string, id: string): boolean {
    let at = 0;
    for (const [index, part] of this.#parts.entries()) {
      if (index > 0) {
        if (!text.startsWith(id, at)) return false;
        at += id.length;
      }
      if (!text.startsWith(part, at)) return false;
      at += part.length;
    }
    return at === text.length && this.#parts.length > 0;
  }

  #problem(text: string, id: number): string | undefined {
    try {
      return problemOf(this.#read(text), id, this.#expected);
    } catch (error) {
      return `it cannot be read (${(error as Error).message})`;
    }
  }
}
