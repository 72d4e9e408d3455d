import type { Client } from 'tenon/client';
import type { ListKind, ListView } from '../api/views.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';
import { elementTexts, memberText } from '../values/json-text.ts';

/** How each list is asked for. */
export const LISTS: Readonly<
  Record<ListKind, { readonly method: string; readonly key: string; readonly needs: 'tools' | 'resources' | 'prompts' }>
> = {
  tools: { method: 'tools/list', key: 'tools', needs: 'tools' },
  resources: { method: 'resources/list', key: 'resources', needs: 'resources' },
  templates: { method: 'resources/templates/list', key: 'resourceTemplates', needs: 'resources' },
  prompts: { method: 'prompts/list', key: 'prompts', needs: 'prompts' },
};

/** A list as the server wrote it. */
export interface KeptList {
  readonly view: ListView;
  /** One JSON text for each entry, also for those that no client can use. */
  readonly entries: readonly string[];
  /** The lines of the pages. */
  readonly evidence: readonly number[];
}

/** Characters that make a token, in English and in JSON, about. */
const CHARACTERS_PER_TOKEN = 4;
export const tokensOf = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN);

/** Asks for a list and reads from the trace what came. */
export const fetchList = async (
  client: Client,
  store: TraceStore,
  session: string,
  kind: ListKind,
  signal: AbortSignal,
): Promise<KeptList> => {
  const { method, key } = LISTS[kind];
  const pages: number[] = [];
  const stop = store.watch((_line, facts) => {
    if (facts.session === session && facts.message === 'response' && facts.method === method) pages.push(facts.n);
  });
  const started = performance.now();
  let problem: string | undefined;
  try {
    await client[kind]({ fresh: true, signal }).all();
  } catch (error) {
    signal.throwIfAborted();
    problem = (error as Error).message;
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
    ...(problem === undefined ? {} : { problem }),
  };
  return { view, entries, evidence: pages };
};
