import { type Entity, emptyGraph, type Graph, type Relation } from './graph.ts';

/** Writes the graph as lines with one entity or relation each, in the format of the original server. */
export function linesOf({ entities, relations }: Graph): string {
  return [
    ...[...entities.values()].map(({ name, entityType, observations }) =>
      JSON.stringify({ type: 'entity', name, entityType, observations }),
    ),
    ...[...relations.values()].map(({ from, to, relationType }) =>
      JSON.stringify({ type: 'relation', from, to, relationType }),
    ),
  ].join('\n');
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function entityIn({ name, entityType, observations }: Readonly<Record<string, unknown>>): Entity | undefined {
  return isText(name) && isText(entityType) && Array.isArray(observations) && observations.every(isText)
    ? { name, entityType, observations }
    : undefined;
}

function relationIn({ from, to, relationType }: Readonly<Record<string, unknown>>): Relation | undefined {
  return isText(from) && isText(to) && isText(relationType) ? { from, to, relationType } : undefined;
}

/** Parses the lines of a file. Throws with the line number for any other content, so that such a file is not overwritten. */
export function graphIn(text: string): Graph {
  const graph = emptyGraph();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    let item: unknown;
    try {
      item = JSON.parse(line);
    } catch {
      // Reported by the error below.
    }
    const fields = typeof item === 'object' && item !== null ? (item as Readonly<Record<string, unknown>>) : {};
    const entity = fields['type'] === 'entity' ? entityIn(fields) : undefined;
    const relation = fields['type'] === 'relation' ? relationIn(fields) : undefined;
    if (entity !== undefined) {
      // The original server sometimes wrote an entity twice: merge their observations.
      const before = graph.entities.get(entity.name);
      const observations = [...new Set([...(before?.observations ?? []), ...entity.observations])];
      graph.entities.set(entity.name, before === undefined ? entity : { ...before, observations });
    } else if (relation !== undefined)
      graph.relations.set(JSON.stringify([relation.from, relation.relationType, relation.to]), relation);
    else throw new SyntaxError(`line ${index + 1} is neither an entity nor a relation`);
  }
  return graph;
}
