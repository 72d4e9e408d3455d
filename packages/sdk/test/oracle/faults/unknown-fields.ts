// Adds an unknown field to each object of a message, so that no object is left unchecked by accident.

import type { Json } from './case.ts';

/** Objects that are explicitly open, by the names of their fields. */
const openFields = new Set([
  '_meta',
  'arguments',
  'structuredContent',
  'inputSchema',
  'outputSchema',
  'data',
  'experimental',
  'extensions',
  'metadata',
  'input',
]);
/** Maps whose names are free and whose values are not. */
const maps = new Set(['inputRequests', 'inputResponses', 'properties']);
const capabilities = new Set(['capabilities', 'io.modelcontextprotocol/clientCapabilities', 'requiredCapabilities']);

/** The message once for each object in it that is not explicitly open, with an unknown field in that object. */
export function* unknownFields(
  message: Json,
  answers: string | undefined,
): Generator<{ where: string; altered: Json }> {
  for (const path of closedObjects(message, [])) {
    if (answers === 'tasks/result' && path[0] === 'result') continue;
    const altered = structuredClone(message);
    let target: Json = altered;
    for (const step of path) target = target[step] as Json;
    target['alien'] = true;
    yield { where: `/${path.join('/')}`, altered };
  }
}

function* closedObjects(value: unknown, path: string[]): Generator<string[]> {
  if (typeof value !== 'object' || value === null) return;
  const name = path.at(-1) ?? '';
  if (openFields.has(name)) {
    // Keys of `_meta` that are reserved for the protocol are closed again.
    const kept =
      name === '_meta'
        ? Object.entries(value).filter(([key, member]) => /\/client|\/server/.test(key) && typeof member === 'object')
        : [];
    for (const [key, member] of kept) yield* closedObjects(member, [...path, key]);
    return;
  }
  // Settings without fields are open, and so is the content of an elicitation, whose names are defined by the form.
  if (Object.keys(value).length === 0 && path.some((step) => capabilities.has(step))) return;
  if (name === 'content' && !Array.isArray(value) && !Object.hasOwn(value, 'type')) return;
  if (!Array.isArray(value) && !maps.has(name)) yield path;
  for (const [key, member] of Object.entries(value)) yield* closedObjects(member, [...path, key]);
}
