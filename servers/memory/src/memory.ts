import { type Context, reply, resource, type Server, server, tool, ToolError } from 'tenon';
import { z } from 'zod';
import {
  addObservations,
  createEntities,
  createRelations,
  dataOf,
  deleteEntities,
  deleteObservations,
  deleteRelations,
  type Graph,
  openNodes,
  searchNodes,
} from './graph.ts';
import type { GraphStore } from './graph-store.ts';
import { icon } from '../../shared/icon.ts';

const ICON = icon(
  '#9c36b5',
  '<circle cx="6" cy="8" r="2"/><circle cx="18" cy="7" r="2"/><circle cx="12" cy="17" r="2"/><path d="m8 8 8-1M7 10l4 5M17 9l-4 6"/>',
);

const name = z.string().min(1).max(1_000);
const observation = z.string().max(100_000);
const ENTITY = z.object({
  name: name.describe('The name of the entity'),
  entityType: name.describe('The type of the entity'),
  observations: z
    .array(observation)
    .max(10_000)
    .describe('An array of observation contents associated with the entity'),
});
const RELATION = z.object({
  from: name.describe('The name of the entity where the relation starts'),
  to: name.describe('The name of the entity where the relation ends'),
  relationType: name.describe('The type of the relation'),
});
/** Output schemas without limits: stored data may be larger than the inputs that are accepted now, and must stay readable. */
const KEPT = {
  entity: z.object({ name: z.string(), entityType: z.string(), observations: z.array(z.string()) }),
  relation: z.object({ from: z.string(), to: z.string(), relationType: z.string() }),
};
const GRAPH = z.object({ entities: z.array(KEPT.entity), relations: z.array(KEPT.relation) });
const DONE = z.object({ success: z.boolean(), message: z.string() });
function many<T extends z.ZodType>(item: T) {
  return z.array(item).max(10_000);
}

const ADDS = { readOnly: false, destructive: false, idempotent: false, openWorld: false } as const;
const FORGETS = { readOnly: false, destructive: true, idempotent: true, openWorld: false } as const;
const READS = { readOnly: true, destructive: false, idempotent: true, openWorld: false } as const;

export const GRAPH_URI = 'memory://knowledge-graph';

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

/** Maximum length of a result in characters: it is sent as text and as structured content, and some clients accept only 10 MiB. */
const MAX_RESULT_LENGTH = 3 * 1024 * 1024;

/** The result as structured content, and as text in the format of the original server. */
function shown<T extends object>(structuredContent: T, value: unknown = structuredContent) {
  const text = typeof value === 'string' ? value : json(value);
  if (text.length > MAX_RESULT_LENGTH)
    throw new ToolError(
      `The result would have ${text.length} characters: request a part of it with search_nodes or open_nodes`,
    );
  return reply({ content: [{ type: 'text', text }], structuredContent });
}

function done(message: string) {
  return shown({ success: true, message }, message);
}

export interface MemoryOptions {
  /** Whether to ask the user before entities are deleted, if the client supports elicitation. Default: false. */
  readonly confirm?: boolean;
  /** Whether all clients share one graph, and so are notified when it changes. Default: true. */
  readonly isShared?: boolean;
  /** Registers a callback for changes by other programs. */
  readonly watch?: (changed: () => void) => void;
}

/** Makes the server. `storeOf`: the store of the caller's graph; undefined if callers cannot be distinguished. */
export function createMemory(
  storeOf: (ctx: Pick<Context, 'principal' | 'session'>) => GraphStore | undefined,
  { confirm = false, isShared = true, watch = () => {} }: MemoryOptions = {},
): Server {
  const storeFor = (ctx: Pick<Context, 'principal' | 'session'>): GraphStore => {
    const store = storeOf(ctx);
    if (store !== undefined) return store;
    throw new ToolError(
      'Clients cannot be identified here, so nothing is stored: log in, or start the server with --shared',
    );
  };
  const read = <T>(ctx: Context, look: (graph: Graph) => T): Promise<T> => storeFor(ctx).read(look);
  const change = async <T>(ctx: Context, act: (graph: Graph) => T): Promise<T> => {
    try {
      const result = await storeFor(ctx).change(act);
      if (isShared) app.changed(GRAPH_URI);
      return result;
    } catch (error) {
      // Errors that the caller can fix.
      if (error instanceof RangeError) throw new ToolError(error.message);
      throw error;
    }
  };

  const app = server({
    name: 'memory',
    version: '0.1.0',
    icons: [ICON],
    title: 'Memory',
    instructions: 'Store here what later conversations should know. Search before you create: names are unique.',
    tools: {
      create_entities: tool(
        {
          title: 'Create Entities',
          description: 'Create multiple new entities in the knowledge graph',
          input: z.object({ entities: many(ENTITY) }),
          output: z.object({ entities: z.array(KEPT.entity) }),
          ...ADDS,
        },
        async ({ entities }, ctx) => {
          const made = await change(ctx, (graph) => createEntities(graph, entities));
          return shown({ entities: made }, made);
        },
      ),
      create_relations: tool(
        {
          title: 'Create Relations',
          description:
            'Create multiple new relations between entities in the knowledge graph. Relations should be in active voice',
          input: z.object({ relations: many(RELATION) }),
          output: z.object({ relations: z.array(KEPT.relation) }),
          ...ADDS,
        },
        async ({ relations }, ctx) => {
          const made = await change(ctx, (graph) => createRelations(graph, relations));
          return shown({ relations: made }, made);
        },
      ),
      add_observations: tool(
        {
          title: 'Add Observations',
          description: 'Add new observations to existing entities in the knowledge graph',
          input: z.object({
            observations: many(
              z.object({
                entityName: name.describe('The name of the entity to add the observations to'),
                contents: many(observation).describe('An array of observation contents to add'),
              }),
            ),
          }),
          output: z.object({
            results: z.array(z.object({ entityName: z.string(), addedObservations: z.array(z.string()) })),
          }),
          ...ADDS,
        },
        async ({ observations }, ctx) => {
          const results = await change(ctx, (graph) => addObservations(graph, observations));
          return shown({ results }, results);
        },
      ),
      delete_entities: tool(
        {
          title: 'Delete Entities',
          description: 'Delete multiple entities and their associated relations from the knowledge graph',
          input: z.object({ entityNames: many(name).describe('An array of entity names to delete') }),
          output: DONE,
          ...FORGETS,
        },
        async ({ entityNames }, ctx) => {
          const there = await read(ctx, (graph) => entityNames.filter((one) => graph.entities.has(one)));
          if (confirm && there.length > 0 && ctx.client.can('elicitation')) {
            const sure = z.object({ forget: z.boolean().default(true).describe('Forget it?') });
            const what = there.length === 1 ? `'${there[0]}'` : `${there.length} entities, '${there[0]}' among them,`;
            const { forget } = await ctx.ask('forget', `Forget ${what} with all that is known about it?`, sure);
            if (!forget) throw new ToolError('Nothing was deleted: the user declined');
          }
          await change(ctx, (graph) => deleteEntities(graph, entityNames));
          return done('Entities deleted successfully');
        },
      ),
      delete_observations: tool(
        {
          title: 'Delete Observations',
          description: 'Delete specific observations from entities in the knowledge graph',
          input: z.object({
            deletions: many(
              z.object({
                entityName: name.describe('The name of the entity containing the observations'),
                observations: many(observation).describe('An array of observations to delete'),
              }),
            ),
          }),
          output: DONE,
          ...FORGETS,
        },
        async ({ deletions }, ctx) => {
          await change(ctx, (graph) => deleteObservations(graph, deletions));
          return done('Observations deleted successfully');
        },
      ),
      delete_relations: tool(
        {
          title: 'Delete Relations',
          description: 'Delete multiple relations from the knowledge graph',
          input: z.object({ relations: many(RELATION).describe('An array of relations to delete') }),
          output: DONE,
          ...FORGETS,
        },
        async ({ relations }, ctx) => {
          await change(ctx, (graph) => deleteRelations(graph, relations));
          return done('Relations deleted successfully');
        },
      ),
      read_graph: tool(
        { title: 'Read Graph', description: 'Read the entire knowledge graph', output: GRAPH, ...READS },
        async (_, ctx) => shown(await read(ctx, dataOf)),
      ),
      search_nodes: tool(
        {
          title: 'Search Nodes',
          description: 'Search for nodes in the knowledge graph based on a query',
          input: z.object({
            query: z
              .string()
              .max(10_000)
              .describe('The search query to match against entity names, types, and observation content'),
          }),
          output: GRAPH,
          ...READS,
        },
        async ({ query }, ctx) => shown(await read(ctx, (graph) => searchNodes(graph, query))),
      ),
      open_nodes: tool(
        {
          title: 'Open Nodes',
          description: 'Open specific nodes in the knowledge graph by their names',
          input: z.object({ names: many(name).describe('An array of entity names to retrieve') }),
          output: GRAPH,
          ...READS,
        },
        async ({ names }, ctx) => shown(await read(ctx, (graph) => openNodes(graph, names))),
      ),
    },
    resources: {
      [GRAPH_URI]: resource(
        {
          name: 'knowledge-graph',
          title: 'Knowledge Graph',
          description: 'The full knowledge graph with all entities and relations',
          mimeType: 'application/json',
          cache: { scope: 'private' },
        },
        async (_, ctx) => json(await read(ctx, dataOf)),
      ),
    },
  });
  watch(() => app.changed(GRAPH_URI));
  return app;
}
