// A server without any SDK, so that it can be wrong in every way: it reads lines, answers what there is a method for, and does nothing else.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import process from 'node:process';

export type Json = { readonly [key: string]: any };

/** A request as it came. */
export interface Call {
  readonly id: string | number;
  readonly params: Json;
  /** The whole line. */
  readonly line: string;
}

/** Gives the result; nothing where no answer is to be sent. Throwing a `Refusal` answers with that error. */
export type Method = (call: Call) => unknown;

export class Refusal extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Writes a line, whatever it is, and waits while nobody reads. */
export const write = async (line: string): Promise<void> => {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
};

export const send = (message: object): Promise<void> => write(JSON.stringify({ jsonrpc: '2.0', ...message }));

export const notify = (method: string, params: object): Promise<void> => send({ method, params });

/** The requests of this server that wait for an answer. */
const waiting = new Map<unknown, (answer: Json) => void>();
let asked = 0;

/** Asks the client, and gives what it answered: the result, or the error under `error`. */
export const request = (method: string, params: object): Promise<Json> => {
  const id = `asked-${++asked}`;
  const answer = new Promise<Json>((resolve) => waiting.set(id, resolve));
  void send({ id, method, params });
  return answer;
};

/** How many requests of this server may wait at once. */
const MOST_WAITING = 100;

/** The revisions with a handshake, which is what a server of this kind speaks. */
const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

export interface About {
  readonly info: Json;
  readonly capabilities?: Json;
  readonly instructions?: string;
}

/** The methods every server has. */
export const usual = ({ info, capabilities = { tools: {} }, instructions }: About): [string, Method][] => [
  [
    'initialize',
    ({ params }) => ({
      protocolVersion: REVISIONS.includes(params['protocolVersion']) ? params['protocolVersion'] : REVISIONS[0],
      capabilities,
      serverInfo: info,
      ...(instructions === undefined ? {} : { instructions }),
    }),
  ],
  ['ping', () => ({})],
  ['logging/setLevel', () => ({})],
];

const answer = async (methods: ReadonlyMap<string, Method>, line: string): Promise<void> => {
  const { id, method, params = {}, ...rest } = JSON.parse(line) as Json;
  if (method === undefined) {
    const settle = waiting.get(id);
    waiting.delete(id);
    return settle?.(rest['result'] ?? rest);
  }
  if (id === undefined) return;
  try {
    const run = methods.get(method);
    if (run === undefined) throw new Refusal(-32601, `There is no method ${method}`);
    if (waiting.size > MOST_WAITING) throw new Refusal(-32603, 'Too many questions wait for an answer');
    const result = await run({ id, params, line });
    if (result !== undefined) await send({ id, result });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, data } = error;
    await send({ id, error: { code, message, ...(data === undefined ? {} : { data }) } });
  }
};

/** Serves the client that started this process, until its stdin ends. `before` sees each line first. */
export const serveRaw = (
  methods: Iterable<readonly [string, Method]>,
  { before }: { readonly before?: (line: string) => void | Promise<void> } = {},
): void => {
  const table = new Map(methods);
  const take = async (line: string): Promise<void> => {
    await before?.(line);
    await answer(table, line);
  };
  createInterface({ input: process.stdin })
    .on('line', (line) => void take(line))
    .on('close', () => process.exit());
};

export interface RawTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: Json;
  readonly outputSchema?: Json;
  readonly [more: string]: unknown;
  readonly run: (args: Json, call: Call) => unknown;
}

/** `tools/list` and `tools/call` of these tools. */
export const toolMethods = (tools: readonly RawTool[]): [string, Method][] => [
  [
    'tools/list',
    () => ({ tools: tools.map((tool) => ({ inputSchema: { type: 'object' }, ...tool, run: undefined })) }),
  ],
  [
    'tools/call',
    (call) => {
      const tool = tools.find(({ name }) => name === call.params['name']);
      if (tool === undefined) throw new Refusal(-32602, `There is no tool ${call.params['name']}`);
      return tool.run(call.params['arguments'] ?? {}, call);
    },
  ],
];

export const text = (value: string): Json => ({ content: [{ type: 'text', text: value }] });

export const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
