// Finds where types must be cut, so that the compiler accepts the file whatever the schemas contain.
import type { ListNode, NamedType, TupleNode, TypeNode } from './type-node.ts';

/** The number of alternatives of a type, and the number of names that have to be followed to determine it. */
interface Extent {
  readonly size: number;
  readonly height: number;
}

/** The compiler refuses types with more than 100,000 alternatives, and is slow long before. */
const MAX_SIZE = 5_000;
/** The compiler follows names recursively. */
const MAX_HEIGHT = 50;

const ONE: Extent = { size: 1, height: 0 };

/**
 * The position of a type in a named type. `whole`: it is the named type itself. `inside`: it is nested in it only through unions,
 * intersections, lists and required items. Otherwise `apart`.
 */
type Position = 'whole' | 'inside' | 'apart';

/** Whether a type contains a name that is not inside another list or object. */
function hasName(node: TypeNode): boolean {
  if (node.kind === 'union' || node.kind === 'intersection') return node.parts.some(hasName);
  return node.kind === 'name';
}

function itemsOf(node: ListNode | TupleNode): readonly TypeNode[] {
  if (node.kind === 'list') return [node.item];
  return node.rest === undefined ? node.items : [...node.items, node.rest];
}

/** Whether the compiler resolves the items lazily, so that they may refer to the name that is being resolved. */
function isDeferred(node: ListNode | TupleNode, position: Position): boolean {
  return position === 'whole' || (position === 'inside' && itemsOf(node).some(hasName));
}

/**
 * The types that have to be replaced by `unknown`, with the reasons: those that refer to themselves without a member or an item in between,
 * and those with too many alternatives. `roots`: the types without a name.
 */
export function findCuts(roots: readonly TypeNode[], named: readonly NamedType[]): ReadonlyMap<TypeNode, string> {
  const cuts = new Map<TypeNode, string>();
  const known = new Map<NamedType, Extent>();
  const entered = new Set<NamedType>();
  const waiting: TypeNode[] = [];

  const cut = (node: TypeNode, why: string): Extent => {
    cuts.set(node, why);
    return ONE;
  };

  const extentOfName = (named: NamedType): Extent => {
    const before = known.get(named);
    if (before !== undefined) return before;
    entered.add(named);
    const { size, height } = extentOf(named.type, 'whole');
    entered.delete(named);
    const extent = { size, height: height + 1 };
    known.set(named, extent);
    return extent;
  };

  const highest = (extents: readonly Extent[]): number => Math.max(0, ...extents.map(({ height }) => height));

  const extentOfItems = (node: ListNode | TupleNode, position: Position): Extent => {
    const items = itemsOf(node);
    if (isDeferred(node, position)) {
      waiting.push(...items);
      return ONE;
    }
    // Inside an optional item, the compiler no longer treats the type as part of the named type.
    const required = node.kind === 'list' ? 1 : node.required;
    return { size: 1, height: highest(items.map((item, at) => extentOf(item, at < required ? position : 'apart'))) };
  };

  const extentOf = (node: TypeNode, position: Position): Extent => {
    const inside = position === 'whole' ? 'inside' : position;
    switch (node.kind) {
      case 'word':
        return node.text === 'boolean' ? { size: 2, height: 0 } : ONE;
      case 'object':
        waiting.push(...node.members.map(({ type }) => type));
        if (node.index !== undefined) waiting.push(node.index);
        return ONE;
      case 'list':
      case 'tuple':
        return extentOfItems(node, position);
      case 'name': {
        if (entered.has(node.named)) return cut(node, 'it would be a part of itself');
        if (entered.size >= MAX_HEIGHT) return cut(node, 'too many references');
        const extent = extentOfName(node.named);
        return extent.height > MAX_HEIGHT ? cut(node, 'too many references') : extent;
      }
      case 'union':
      case 'intersection': {
        const parts = node.parts.map((part) => extentOf(part, inside));
        const sizes = parts.map(({ size }) => size);
        const size = node.kind === 'union' ? sizes.reduce((a, b) => a + b) : sizes.reduce((a, b) => a * b);
        return size > MAX_SIZE ? cut(node, 'too many alternatives') : { size, height: highest(parts) };
      }
    }
  };

  for (const each of named) extentOfName(each);
  waiting.push(...roots);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) extentOf(next, 'apart');
  return cuts;
}
