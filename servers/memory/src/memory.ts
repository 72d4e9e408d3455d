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
import type { Keep } from './keep.ts';

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
/** What is there may be from before, and larger than what is taken at once: nothing that is kept is unreadable. */
const KEPT = {
  entity: z.object({ name: z.string(), entityType: z.string(), observations: z.array(z.string()) }),
  relation: z.object({ from: z.string(), to: z.string(), relationType: z.string() }),
};
const GRAPH = z.object({ entities: z.array(KEPT.entity), relations: z.array(KEPT.relation) });
const DONE = z.object({ success: z.boolean(), message: z.string() });
const many = <T extends z.ZodType>(item: T) => z.array(item).max(10_000);

const ADDS = { readOnly: false, destructive: false, idempotent: false, openWorld: false } as const;
const FORGETS = { readOnly: false, destructive: true, idempotent: true, openWorld: false } as const;
const LOOKS = { readOnly: true, destructive: false, idempotent: true, openWorld: false } as const;

export const GRAPH_URI = 'memory://knowledge-graph';

const json = (value: unknown): string => JSON.stringify(value, undefined, 2);

/** Most characters of an answer: it is in it twice, and some clients take no more than 10 MiB. */
const MOST_ANSWER = 3 * 1024 * 1024;

/** Structured, and as the original writes it for people. */
const shown = <T extends object>(structuredContent: T, value: unknown = structuredContent) => {
  const text = typeof value === 'string' ? value : json(value);
  if (text.length > MOST_ANSWER)
    throw new ToolError(`That would be ${text.length} characters: look for less of it with search_nodes or open_nodes`);
  return reply({ content: [{ type: 'text', text }], structuredContent });
};

const done = (message: string) => shown({ success: true, message }, message);

export interface MemoryOptions {
  /** Is the user asked before entities are forgotten, where the client can ask? */
  readonly confirm?: boolean;
  /** Does everybody see the same graph? Only then everybody is told that it has changed. */
  readonly isShared?: boolean;
  /** Tells when others have changed it. */
  readonly watch?: (changed: () => void) => void;
}

/** Makes the server. `keepOf`: the graph of whoever is calling; undefined where nobody can be told from anybody else. */
export const createMemory = (
  keepOf: (ctx: Pick<Context, 'principal' | 'session'>) => Keep | undefined,
  { confirm = false, isShared = true, watch = () => {} }: MemoryOptions = {},
): Server => {
  const keepFor = (ctx: Pick<Context, 'principal' | 'session'>): Keep => {
    const keep = keepOf(ctx);
    if (keep !== undefined) return keep;
    throw new ToolError('Nobody is known here, so nothing is kept: log in, or have the server started with --shared');
  };
  const read = <T>(ctx: Context, look: (graph: Graph) => T): Promise<T> => keepFor(ctx).read(look);
  const change = async <T>(ctx: Context, act: (graph: Graph) => T): Promise<T> => {
    try {
      const result = await keepFor(ctx).change(act);
      if (isShared) app.changed(GRAPH_URI);
      return result;
    } catch (error) {
      // What the caller can do something about.
      if (error instanceof RangeError) throw new ToolError(error.message);
      throw error;
    }
  };

  const app = server({
    name: 'memory',
    version: '0.1.0',
    title: 'Memory',
    instructions:
      'What should be known in later conversations belongs here. Search before you create: names are unique.',
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
            if (!forget) throw new ToolError('Nothing was forgotten: the user said no');
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
        { title: 'Read Graph', description: 'Read the entire knowledge graph', output: GRAPH, ...LOOKS },
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
          ...LOOKS,
        },
        async ({ query }, ctx) => shown(await read(ctx, (graph) => searchNodes(graph, query))),
      ),
      open_nodes: tool(
        {
          title: 'Open Nodes',
          description: 'Open specific nodes in the knowledge graph by their names',
          input: z.object({ names: many(name).describe('An array of entity names to retrieve') }),
          output: GRAPH,
          ...LOOKS,
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
};
