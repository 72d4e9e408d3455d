import { quoted } from '../quoted.ts';
import { SchemaError } from '../schema-error.ts';
import { tolerateFault } from './faults.ts';
import type { SchemaNode } from './model.ts';
import { locate, nodeAt, resolveUri } from './tree.ts';
import type { SchemaDocument } from './tree.ts';

/**
 * Resolves every reference of the document. References may only refer to the document itself; others are errors, never fetched and never
 * treated as "anything goes" (https://modelcontextprotocol.io/specification/2026-07-28/basic#ref-resolution).
 */
export function resolveReferences(document: SchemaDocument): void {
  // The list grows during the loop: a reference may lead to a location that is not a schema of any keyword.
  for (const node of document.nodes) {
    if (typeof node.schema === 'boolean') continue;
    node.ref = target(document, node, '$ref');
    node.dynamicRef = target(document, node, node.dialect.dynamicRef);
    for (const [key, child] of node.children)
      if (APPLIED_IN_PLACE.test(key) && !ignored(node)) node.sameValue.push(child);
  }
}

/** The target of a reference, if there is one. */
function target(document: SchemaDocument, node: SchemaNode, keyword: string | undefined): SchemaNode | undefined {
  const reference = keyword === undefined || typeof node.schema === 'boolean' ? undefined : node.schema[keyword];
  if (reference === undefined) return undefined;
  const found = tolerateFault(document, () => resolve(document, node, keyword!, reference));
  if (found === undefined) node.faulty = true;
  else node.sameValue.push(found);
  return found;
}

const APPLIED_IN_PLACE = /^(?:allOf\/|anyOf\/|oneOf\/|dependentSchemas\/|dependencies\/|not$|if$|then$|else$)/;

function ignored(node: SchemaNode): boolean {
  return node.dialect.refAlone && node.ref !== undefined;
}

/** Throws if a schema is applied to a value again while it is being applied to it, which would never end. */
export function refuseEndlessReferences(document: SchemaDocument): void {
  const done = new Set<SchemaNode>();
  const open = new Set<SchemaNode>();
  for (const first of document.nodes) {
    // A walk with an explicit stack: chains of references may be too long for recursion.
    const stack: { node: SchemaNode; next: number }[] = done.has(first) ? [] : [{ node: first, next: 0 }];
    open.add(first);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const child = top.node.sameValue[top.next];
      top.next += 1;
      if (child === undefined) {
        open.delete(top.node);
        done.add(top.node);
        stack.pop();
      } else if (open.has(child)) {
        throw new SchemaError(
          'The schema refers to itself without going into a property or an item',
          locate(top.node),
          'reference',
        );
      } else if (!done.has(child)) {
        open.add(child);
        stack.push({ node: child, next: 0 });
      }
    }
    open.delete(first);
  }
}

function resolve(document: SchemaDocument, node: SchemaNode, keyword: string, reference: unknown): SchemaNode {
  // The location is only built for an error, because its names come from the schema and may be long.
  const place = (): string => locate(node, keyword);
  if (typeof reference !== 'string') throw new SchemaError(`${keyword} must be a string`, place());
  const { uri, fragment } = resolveUri(reference, node.resource.uri, place);
  const resource = document.resources.get(uri);
  if (resource?.root === undefined) {
    throw new SchemaError(
      `${keyword} ${quoted(reference)} leads out of this schema, and nothing is fetched: put the schema into $defs`,
      place(),
      'reference',
    );
  }
  const found = fragment === '' ? resource.root : fragmentTarget(document, resource.root, decode(fragment, place));
  if (found === undefined)
    throw new SchemaError(`${keyword} ${quoted(reference)} leads to nothing in this schema`, place(), 'reference');
  return found;
}

function fragmentTarget(document: SchemaDocument, root: SchemaNode, fragment: string): SchemaNode | undefined {
  if (!fragment.startsWith('/')) return root.resource.anchors.get(fragment);
  const tokens = fragment.slice(1).split('/');
  return nodeAt(
    document,
    root,
    tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')),
  );
}

function decode(fragment: string, place: () => string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    throw new SchemaError(`The fragment ${quoted(`#${fragment}`)} is not encoded correctly`, place(), 'reference');
  }
}
