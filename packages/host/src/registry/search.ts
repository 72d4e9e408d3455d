import MiniSearch from 'minisearch';
import type { HostTool } from './toolbox.ts';

/** A search result. Scores are comparable only within one search. */
export interface FoundTool {
  readonly tool: HostTool;
  readonly score: number;
}

export interface ToolIndex {
  /** The best matches, best first. */
  search(query: string, limit: number): FoundTool[];
}

/** Maximum indexed characters of a tool, and of all tools together, with an equal share for each. */
const MAX_OF_TOOL = 20_000;
const MAX_OF_ALL = 5_000_000;
const MIN_OF_TOOL = 500;
/** Maximum indexed nodes of a schema. */
const MAX_NODES = 1_000;
const MAX_QUERY = 500;
const MAX_TERM = 64;

const fields = ['name', 'title', 'server', 'description', 'parameters'] as const;

type Document = Readonly<Record<(typeof fields)[number], string>> & { readonly id: number };

/** The boundary between `get` and `User` in `getUser`, and between `HTTP` and `Server` in `HTTPServer`. */
const CASE_BOUNDARY = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** The words of a text. A compound word counts as its parts and as a whole. */
function termsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{M}\p{N}_-]+/gu) ?? []).flatMap((word) => {
    const parts = word.split(/[_-]+/).flatMap((part) => part.split(CASE_BOUNDARY));
    return parts.length === 1 ? parts : [...parts, parts.join('')];
  });
}

function normalizeTerm(term: string): string | null {
  return term.slice(0, MAX_TERM).toLowerCase() || null;
}

/** Whether a value is an object or an array. */
function hasParts(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The nested schemas of a schema, under any keyword, and the names of its parameters. */
function nestedIn(node: Readonly<Record<string, unknown>>): { children: unknown[]; names: string[] } {
  const children: unknown[] = [];
  const names: string[] = [];
  for (const [keyword, value] of Object.entries(node).slice(0, MAX_NODES)) {
    if (!hasParts(value)) continue;
    const isMap = keyword === 'properties' || keyword === '$defs' || keyword === 'definitions';
    if (keyword === 'properties') names.push(...Object.keys(value).slice(0, MAX_NODES));
    if (isMap || Array.isArray(value)) children.push(...Object.values(value).slice(0, MAX_NODES));
    else children.push(value);
    if (children.length > MAX_NODES) break;
  }
  return { children, names };
}

/** Names and descriptions of the parameters of a schema at any depth, the outermost first. */
function parametersOf(schema: unknown, maxLength: number): string {
  let text = '';
  let remaining = MAX_NODES;
  let level = [schema];
  while (level.length > 0 && remaining > 0 && text.length < maxLength) {
    const next: unknown[] = [];
    for (const node of level.slice(0, remaining)) {
      remaining--;
      if (!hasParts(node)) continue;
      const { children, names } = nestedIn(node);
      text += ` ${textOf(node['title'])} ${textOf(node['description'])} ${names.join(' ')}`;
      if (next.length < MAX_NODES) next.push(...children);
    }
    level = next;
  }
  return text.slice(0, maxLength);
}

function documentOf({ server, entry }: HostTool, id: number, maxLength: number): Document {
  const { name, title = '', description = '', annotations, inputSchema } = entry;
  let remaining = maxLength;
  const take = (text: string): string => {
    const taken = text.slice(0, remaining);
    remaining -= taken.length;
    return taken;
  };
  return {
    id,
    name: take(name),
    server: take(server),
    title: take(`${title} ${textOf(annotations?.title)}`),
    // At most half of the rest, so that a long description leaves room for parameters.
    description: take(textOf(description).slice(0, Math.max(remaining / 2, remaining - 4_000))),
    parameters: take(parametersOf(inputSchema, remaining)),
  };
}

/**
 * An index of tools by their names and descriptions. Also finds prefixes of words, and words with typing errors.
 *
 * @example createToolIndex(toolbox.tools()).search('create an issue', 5)
 */
export function createToolIndex(tools: readonly HostTool[]): ToolIndex {
  const index = new MiniSearch<Document>({
    fields: [...fields],
    tokenize: termsOf,
    processTerm: normalizeTerm,
    searchOptions: {
      boost: { name: 4, title: 3, server: 2 },
      prefix: (term) => term.length >= 3,
      fuzzy: (term) => (term.length >= 5 ? 0.2 : false),
      maxFuzzy: 2,
      weights: { prefix: 0.4, fuzzy: 0.2 },
    },
  });
  const share = Math.floor(MAX_OF_ALL / Math.max(1, tools.length));
  const maxLength = Math.min(MAX_OF_TOOL, Math.max(MIN_OF_TOOL, share));
  index.addAll(tools.map((tool, id) => documentOf(tool, id, maxLength)));
  return {
    search(query, limit) {
      const found = index.search(query.slice(0, MAX_QUERY)) as { id: number; score: number }[];
      return found
        .sort((a, b) => b.score - a.score || a.id - b.id)
        .slice(0, Math.max(0, limit))
        .map(({ id, score }) => ({ tool: tools[id]!, score }));
    },
  };
}
