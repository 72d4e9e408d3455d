import { type Client, CODE } from 'tenon/client';
import type { ListKind, ListView, ProblemView } from '../api/views.ts';
import type { Redactor } from '../record/redact.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';
import { cleaned, problemOf } from './problem.ts';
import { elementTexts, memberText } from '../values/json-text.ts';

/** The method that reads each list, and the capabilities that offer it. */
export const LISTS: Readonly<
  Record<ListKind, { readonly method: string; readonly key: string; readonly needs: readonly string[] }>
> = {
  tools: { method: 'tools/list', key: 'tools', needs: ['tools'] },
  resources: { method: 'resources/list', key: 'resources', needs: ['resources'] },
  templates: { method: 'resources/templates/list', key: 'resourceTemplates', needs: ['resources'] },
  prompts: { method: 'prompts/list', key: 'prompts', needs: ['prompts'] },
  tasks: { method: 'tasks/list', key: 'tasks', needs: ['tasks', 'list'] },
};

/** The only revision with a list of tasks: the extension of 2026-07-28 has none. */
const TASKS_REVISION = '2025-11-25';

/** Returns whether the server declares that it offers this list. */
export function isOffered({ capabilities, revision }: Client, kind: ListKind): boolean {
  if (kind === 'tasks' && revision !== TASKS_REVISION) return false;
  let value: unknown = capabilities;
  for (const name of LISTS[kind].needs) value = (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return value !== undefined && value !== null && value !== false;
}

/** A list, as the server sent it. */
export interface KeptList {
  readonly view: ListView;
  /** One JSON text for each entry, including entries that no client can use. */
  readonly entries: readonly string[];
  /** The lines of its pages. */
  readonly evidence: readonly number[];
}

/** The average number of characters per token in English and JSON. */
const CHARACTERS_PER_TOKEN = 4;
export function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** The time limit of one page, in milliseconds. */
const PAGE_MS = 30_000;

/** The most pages of tasks that are read. */
const MAX_PAGES = 1_000;

/** Reads all pages of the list of tasks. */
async function walkTasks(client: Client, signal: AbortSignal, pageMs: number): Promise<void> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    if (seen.size >= MAX_PAGES) throw new Error(`tasks/list has more than ${MAX_PAGES} pages`);
    const { nextCursor } = await client.request('tasks/list', cursor === undefined ? undefined : { cursor }, {
      signal,
      timeout: pageMs,
    });
    cursor = typeof nextCursor === 'string' ? nextCursor : undefined;
    if (cursor === undefined) return;
    if (seen.has(cursor)) throw new Error('tasks/list gives a cursor a second time: its pages go in a circle');
    seen.add(cursor);
  } while (!signal.aborted);
}

/** An answer arrived while the client was still waiting for one: it was unusable, and must not be reported as missing. */
const UNREADABLE = 'the answer came, but clients cannot read it: it is nested too deep, too long, or no valid message';

/** Why a list could not be read, from the trace. */
function listProblem(error: Error, kind: ListKind, evidence: readonly number[], isAnswered: boolean): ProblemView {
  const { method, needs } = LISTS[kind];
  const { name, message } = error;
  if (name === 'TimeoutError' && isAnswered) return { message: UNREADABLE, blame: 'server', evidence };
  if (name !== 'ProtocolError') return problemOf(error, evidence);
  const { code } = error as Error & { readonly code?: unknown };
  const problem = `${method} was answered with an error: ${message} (${String(code)})`;
  if (code === CODE.methodNotFound)
    return {
      message: problem,
      blame: 'server',
      fix: `A server that does not know ${method} does not declare \`${needs.join('.')}\`.`,
      evidence,
    };
  return {
    message: problem,
    // The cause may be its configuration, or a service behind it.
    blame: 'unknown',
    fix: 'The answer does not say what failed behind it. The log of the server may. Is everything that it needs available and configured?',
    evidence,
  };
}

/** Reads a list, and takes its entries from the trace. */
export async function fetchList(
  client: Client,
  store: TraceStore,
  session: string,
  kind: ListKind,
  signal: AbortSignal,
  redactor: Redactor,
  pageMs = PAGE_MS,
): Promise<KeptList> {
  const { method, key } = LISTS[kind];
  const pages: number[] = [];
  let asked = 0;
  const stop = store.watch((_line, facts) => {
    if (facts.session === session && facts.from === 'client' && facts.method === method) asked = facts.n;
    const isPage = facts.session === session && facts.from === 'server' && facts.message === 'response';
    if (isPage && facts.method === method) pages.push(facts.n);
  });
  const started = performance.now();
  let problem: ProblemView | undefined;
  try {
    if (kind === 'tasks') await walkTasks(client, signal, pageMs);
    else await client[kind]({ fresh: true, signal, timeout: pageMs }).all();
  } catch (error) {
    signal.throwIfAborted();
    const last = pages.at(-1) ?? 0;
    const shows = [asked, last].filter((n) => n > 0).toSorted((a, b) => a - b);
    problem = cleaned(listProblem(error as Error, kind, shows, last > asked), redactor);
  } finally {
    stop();
  }
  const ms = performance.now() - started;
  const entries: string[] = [];
  let bytes = 0;
  for (const n of pages) {
    const [line] = store.read(n, n);
    const result = line && memberText(line.text, 'result');
    if (result === undefined) continue;
    bytes += Buffer.byteLength(result);
    for (const entry of elementTexts(memberText(result, key) ?? '[]') ?? []) entries.push(entry);
  }
  const view: ListView = {
    kind,
    count: entries.length,
    ms: Math.round(ms * 10) / 10,
    bytes,
    tokens: tokensOf(entries.reduce((sum, entry) => sum + entry.length, 0)),
    problem,
  };
  return { view, entries, evidence: pages };
}
