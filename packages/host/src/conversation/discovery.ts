import type { CallToolResult } from 'tenon/client';
import type { HostTool, Toolbox } from '../registry/toolbox.ts';
import { oneLine } from './clip.ts';
import { definitionOf, definitionTokens } from './definitions.ts';
import type { Definition } from './definitions.ts';
import { isObject } from '@tenon/values/is-object';
import { cannotKeep, lostNumber } from './lost-number.ts';
import { errorResult } from './tool-result.ts';
import type { DiscoveryMode, ToolSearch } from './types.ts';
import { counted } from '@tenon/values/counted';

/** The share of the context that definitions may use before the model gets a search instead. */
const MAX_CONTEXT_SHARE = 0.05;
const DEFAULT_LIMIT = 10;
const MAX_DETAILS = 20;

/** The tools of a step, as they are offered to the model. */
export interface Offer {
  readonly mode: 'all' | 'search';
  readonly definitions: readonly Definition[];
  readonly tools: ReadonlyMap<string, HostTool>;
}

interface OfferOptions {
  readonly mode: DiscoveryMode;
  readonly contextTokens: number;
  readonly anyKeys: boolean;
  /** The previous offer. A search is kept, as changed definitions would invalidate the prompt cache. */
  readonly before: Offer | undefined;
}

/** Chooses what the model is offered: the tools in their order, or three meta tools to find and call them. */
export function offerTools(tools: readonly HostTool[], { mode, contextTokens, anyKeys, before }: OfferOptions): Offer {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const search: Offer = { mode: 'search', definitions: META, tools: byName };
  if (mode === 'search' || (mode === 'auto' && before?.mode === 'search')) return search;
  const definitions = tools.map((tool) => definitionOf(tool, anyKeys));
  if (mode === 'auto' && definitionTokens(definitions) > contextTokens * MAX_CONTEXT_SHARE) return search;
  return { mode: 'all', definitions, tools: byName };
}

const NAME = { type: 'string', description: 'Name of a tool, as returned by search_tools.' };

/** Independent of the tools, so that a provider can cache them. */
export const META: readonly Definition[] = [
  {
    name: 'search_tools',
    description:
      'Finds tools by what they do. There are many tools on several servers that are not listed here: search before you say that ' +
      'something cannot be done. Returns names with a one-line description, by server. An empty query lists the servers.',
    schema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What the tool should do, in a few words.' },
        limit: {
          type: 'integer',
          description: `How many tools to return. Default: ${DEFAULT_LIMIT}.`,
          minimum: 1,
          maximum: 50,
        },
      },
      required: ['query'],
    },
  },
  {
    name: 'tool_details',
    description:
      'Returns the full descriptions of tools, with the JSON Schema of their arguments. Use it before a call.',
    schema: {
      type: 'object',
      properties: { names: { type: 'array', items: NAME, minItems: 1, maxItems: MAX_DETAILS } },
      required: ['names'],
    },
  },
  {
    name: 'call_tool',
    description: 'Calls a tool found by search_tools, with arguments as described by tool_details.',
    schema: {
      type: 'object',
      properties: {
        name: NAME,
        arguments: { type: 'object', description: 'The arguments of the tool.', properties: {} },
      },
      required: ['name', 'arguments'],
    },
  },
];

function byWord(name: string): string {
  return name.replace(/[_-]+/g, ' ');
}

/** Tells the model that a tool does not exist, with suggestions. */
export function unknownTool(name: string, offer: Offer, search: ToolSearch): string {
  const close = search(byWord(name), 5).map((tool) => tool.name);
  const hint = close.length > 0 ? ` Did you mean ${close.join(', ')}?` : '';
  const next = offer.mode === 'search' ? ' Find tools with search_tools.' : ' Call only the tools that you were given.';
  return `There is no tool with the name ${JSON.stringify(oneLine(name, 80))}.${hint}${next}`;
}

/** The tools, and ways to find them. */
interface DiscoveryContext {
  readonly offer: Offer;
  readonly search: ToolSearch;
  readonly toolbox: Pick<Toolbox, 'unavailableReason'>;
}

/** Answers `search_tools` and `tool_details`. Undefined for any other tool. */
export function answerMeta(
  name: string,
  args: Record<string, unknown>,
  stock: DiscoveryContext,
): CallToolResult | undefined {
  const { offer, search } = stock;
  if (offer.mode !== 'search') return undefined;
  if (name === 'search_tools') return searchTools(args, offer, search);
  return name === 'tool_details' ? toolDetails(args, stock) : undefined;
}

function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

function searchTools({ query, limit }: Record<string, unknown>, offer: Offer, search: ToolSearch): CallToolResult {
  if (typeof query !== 'string')
    return errorResult('search_tools needs "query": a string that says what the tool should do.');
  if (query.trim() === '') return textResult(serverList(offer));
  const most = typeof limit === 'number' && limit >= 1 ? Math.min(Math.floor(limit), 50) : DEFAULT_LIMIT;
  const found = search(query, most).filter((tool) => offer.tools.has(tool.name));
  if (found.length === 0) return textResult(`No tool matches. Use other words, or fewer.\n\n${serverList(offer)}`);
  return textResult(
    `${found.length} of ${counted(offer.tools.size, 'tool')}, best matches first.\n\n${byServer(found)}`,
  );
}

function groups(tools: Iterable<HostTool>): Map<string, HostTool[]> {
  const servers = new Map<string, HostTool[]>();
  for (const tool of tools) servers.set(tool.server, [...(servers.get(tool.server) ?? []), tool]);
  return servers;
}

function byServer(tools: readonly HostTool[]): string {
  return [...groups(tools)].map(([server, found]) => `Server ${server}:\n${found.map(lineOf).join('\n')}`).join('\n\n');
}

function lineOf({ name, entry }: HostTool): string {
  const about = oneLine(entry.description ?? entry.title ?? '');
  return about ? `- ${name}: ${about}` : `- ${name}`;
}

function serverList({ tools }: Offer): string {
  const servers = [...groups(tools.values())].map(([server, { length }]) => `- ${server}: ${counted(length, 'tool')}`);
  return servers.length === 0 ? 'There are no tools now.' : `The servers:\n${servers.join('\n')}`;
}

function toolDetails({ names }: Record<string, unknown>, { offer, search, toolbox }: DiscoveryContext): CallToolResult {
  const wanted = typeof names === 'string' ? [names] : names;
  if (!Array.isArray(wanted) || wanted.length === 0 || !wanted.every((name) => typeof name === 'string')) {
    return errorResult('tool_details needs "names": a list of tool names, as returned by search_tools.');
  }
  const some = [...new Set<string>(wanted)].slice(0, MAX_DETAILS);
  const details = some.map((name) => {
    const tool = offer.tools.get(name);
    return tool ? detailsOf(tool) : (toolbox.unavailableReason?.(name) ?? unknownTool(name, offer, search));
  });
  const text = details.join('\n\n');
  return some.some((name) => offer.tools.has(name)) ? textResult(text) : errorResult(text);
}

function detailsOf({ name, entry }: HostTool): string {
  const { description, inputSchema, outputSchema } = entry;
  return JSON.stringify({ name, description, inputSchema, outputSchema });
}

/** The tool call within a `call_tool` call, or what is wrong with it. */
export function innerCall(
  args: Record<string, unknown>,
): { readonly tool: string; readonly args: unknown } | { readonly wrong: string } {
  const { name, arguments: inner = {} } = args;
  if (typeof name !== 'string')
    return { wrong: 'call_tool needs "name": the name of a tool, and "arguments": an object.' };
  if (typeof inner !== 'string') return { tool: name, args: inner };
  const read = parsed(inner);
  const lost = isObject(read) ? lostNumber(inner) : undefined;
  return lost === undefined ? { tool: name, args: read } : { wrong: cannotKeep(lost) };
}

/** Some models write the inner arguments as a JSON string. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : text;
  } catch {
    return text;
  }
}
