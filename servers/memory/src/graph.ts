// The graph and its operations, without files. Names are keys of Maps, because an entity may be called `__proto__`.

export interface Entity {
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly string[];
}

export interface Relation {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

/** The graph as clients see it. */
export interface GraphData {
  readonly entities: readonly Entity[];
  readonly relations: readonly Relation[];
}

export interface Graph {
  readonly entities: Map<string, Entity>;
  readonly relations: Map<string, Relation>;
}

export function emptyGraph(): Graph {
  return { entities: new Map(), relations: new Map() };
}

function keyOf({ from, to, relationType }: Relation): string {
  return JSON.stringify([from, relationType, to]);
}

export function dataOf({ entities, relations }: Graph): GraphData {
  return {
    entities: [...entities.values()],
    relations: [...relations.values()],
  };
}

/** Adds the entities that do not exist yet, and returns them. */
export function createEntities({ entities }: Graph, wanted: readonly Entity[]): Entity[] {
  const made: Entity[] = [];
  for (const { name, entityType, observations } of wanted) {
    if (entities.has(name)) continue;
    const entity = { name, entityType, observations: [...new Set(observations)] };
    entities.set(name, entity);
    made.push(entity);
  }
  return made;
}

/** Adds the relations that do not exist yet, and returns them. Throws if an entity of one does not exist, before any is added. */
export function createRelations({ entities, relations }: Graph, wanted: readonly Relation[]): Relation[] {
  for (const { from, to } of wanted)
    for (const name of [from, to])
      if (!entities.has(name)) throw new RangeError(`There is no entity '${name}': create it before its relations`);
  const made: Relation[] = [];
  for (const { from, to, relationType } of wanted) {
    const relation = { from, to, relationType };
    if (relations.has(keyOf(relation))) continue;
    relations.set(keyOf(relation), relation);
    made.push(relation);
  }
  return made;
}

export interface AddedObservations {
  readonly entityName: string;
  readonly addedObservations: string[];
}

/** Adds new observations to entities, and returns them. Throws if an entity does not exist, before any is added. */
export function addObservations(
  { entities }: Graph,
  wanted: readonly { readonly entityName: string; readonly contents: readonly string[] }[],
): AddedObservations[] {
  for (const { entityName } of wanted)
    if (!entities.has(entityName)) throw new RangeError(`Entity with name ${entityName} not found`);
  return wanted.map(({ entityName, contents }) => {
    const entity = entities.get(entityName)!;
    const addedObservations = [...new Set(contents)].filter((content) => !entity.observations.includes(content));
    entities.set(entityName, { ...entity, observations: [...entity.observations, ...addedObservations] });
    return { entityName, addedObservations };
  });
}

/** Deletes entities, and the relations from and to them. Missing entities are not an error. */
export function deleteEntities({ entities, relations }: Graph, names: readonly string[]): void {
  const gone = new Set(names);
  for (const name of gone) entities.delete(name);
  for (const [key, { from, to }] of relations) if (gone.has(from) || gone.has(to)) relations.delete(key);
}

export function deleteObservations(
  { entities }: Graph,
  deletions: readonly { readonly entityName: string; readonly observations: readonly string[] }[],
): void {
  for (const { entityName, observations } of deletions) {
    const entity = entities.get(entityName);
    if (entity === undefined) continue;
    const left = entity.observations.filter((observation) => !observations.includes(observation));
    entities.set(entityName, { ...entity, observations: left });
  }
}

export function deleteRelations({ relations }: Graph, gone: readonly Relation[]): void {
  for (const relation of gone) relations.delete(keyOf(relation));
}

/** The matching entities, and their relations, including those to other entities, so that clients can find these. */
function subgraph(graph: Graph, isWanted: (entity: Entity) => boolean): GraphData {
  const { entities, relations } = dataOf(graph);
  const found = entities.filter(isWanted);
  const names = new Set(found.map(({ name }) => name));
  return { entities: found, relations: relations.filter(({ from, to }) => names.has(from) || names.has(to)) };
}

/** The entities whose name, type or observations contain a text. Case is ignored. */
export function searchNodes(graph: Graph, query: string): GraphData {
  const wanted = query.toLowerCase();
  const has = (text: string): boolean => text.toLowerCase().includes(wanted);
  return subgraph(
    graph,
    ({ name, entityType, observations }) => has(name) || has(entityType) || observations.some(has),
  );
}

export function openNodes(graph: Graph, names: readonly string[]): GraphData {
  return subgraph(graph, ({ name }) => names.includes(name));
}
