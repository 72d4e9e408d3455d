import { isObject } from '@tenon/values/is-object';
import { listed, quoted, type Json } from '../values/words.ts';
import { canonical, isSame } from '../values/canonical-value.ts';
import type { ChangeLog, Direction } from './change.ts';
import { compareBounds } from './compare-bounds.ts';
import { compareDialects } from './compare-dialects.ts';
import { compareGroups } from './compare-groups.ts';
import { shapeOf, targetOf } from '../values/schema/read-shape.ts';
import { KINDS, kindOf, type Kind, type Part, type Shape } from '../values/schema/shape.ts';
import type { Walk } from './walk.ts';

const MAX_DEPTH = 24;
/** The most pairs of schemas compared for one schema of a tool. */
const MAX_PAIRS = 2_000;

/** Compares two schemas of a tool, with all their subschemas and references. */
export function compareSchemas(before: Json, after: Json, path: string, direction: Direction, log: ChangeLog): void {
  const text = canonical(before);
  if (text !== undefined && text === canonical(after)) return;
  const walk: Walk = {
    log: log.of(direction),
    depth: 0,
    open: new Set<string>(),
    budget: { left: MAX_PAIRS },
    numbers: new Map(),
    compare: compareParts,
  };
  compareDialects(before, after, path, walk.log);
  compareParts([{ document: before, schema: before }], [{ document: after, schema: after }], path, walk);
}

/** Compares two lists of schemas, each of which applies to one value. */
function compareParts(before: readonly Part[], after: readonly Part[], path: string, walk: Walk): void {
  const key = `${numbered(before, walk.numbers)}|${numbered(after, walk.numbers)}`;
  if (walk.open.has(key) || isCopy(before, after)) return;
  walk.budget.left -= 1;
  if (walk.depth > MAX_DEPTH || walk.budget.left < 0) {
    walk.log.add('undecided', path, 'It is nested too deep, or too large, to be compared');
    return;
  }
  const inner: Walk = { ...walk, depth: walk.depth + 1, open: new Set(walk.open).add(key) };
  compareShapes(shapeOf(before), shapeOf(after), path, inner);
}

/** Returns whether two schemas have the same text and no references. */
function isCopy(before: readonly Part[], after: readonly Part[]): boolean {
  const [a, b] = [before, after].map((parts) => canonical(parts.map(({ schema }) => schema)));
  return a !== undefined && a === b && !a.includes('"$ref"');
}

function numbered(parts: readonly Part[], numbers: Map<unknown, number>): string {
  return parts
    .map((part) => {
      const schema = meant(part);
      // Boolean schemas have no identity, and no references.
      if (typeof schema !== 'object') return String(schema);
      if (!numbers.has(schema)) numbers.set(schema, numbers.size);
      return numbers.get(schema);
    })
    .join(',');
}

/** The target of a schema that is only a reference, so that both count as the same pair. */
function meant({ document, schema }: Part): unknown {
  let found = schema;
  for (
    let hops = 0;
    hops < 16 && isObject(found) && found['$ref'] !== undefined && Object.keys(found).length === 1;
    hops += 1
  )
    found = targetOf(document, found['$ref']) ?? { missing: true };
  return found;
}

/** Compares two shapes, and logs the differences. */
function compareShapes(a: Shape, b: Shape, path: string, walk: Walk): void {
  const { log } = walk;
  if (a.never || b.never) {
    if (a.never && !b.never) log.add('type-widened', path, 'Nothing was accepted here, and now something is');
    if (!a.never && b.never) log.add('type-narrowed', path, 'Nothing is accepted here any more');
    return;
  }
  if (a.cut || b.cut) log.add('undecided', path, 'It consists of too many schemas to be compared');
  compareRemarks(a, b, path, log);
  if (!compareGroups(a, b, path, walk)) return;
  if (!compareValues(a, b, path, log) && !compareKinds(a, b, path, log)) return;
  compareBounds(a, b, path, log);
  compareObjects(a, b, path, walk);
  compareArrays(a, b, path, walk);
  for (const keyword of new Set([...a.opaque.keys(), ...b.opaque.keys()])) {
    if (a.opaque.get(keyword) === b.opaque.get(keyword)) continue;
    log.add(
      'undecided',
      `${path}/${keyword}`,
      `${keyword} is another: whether it lets more or less through is not decided here`,
    );
  }
}

/** Compares `enum` and `const`. Returns true if the values make a comparison of types unnecessary. */
function compareValues(a: Shape, b: Shape, path: string, log: ChangeLog): boolean {
  const at = `${path}/enum`;
  if (a.values === undefined && b.values === undefined) return false;
  if (b.values === undefined) {
    const lost = [...a.values!.values()].filter((value) => !b.kinds.has(kindOf(value)));
    if (lost.length > 0)
      log.add('values-removed', at, `No longer accepted: ${shownValues(lost)}`, { before: [...a.values!.values()] });
    log.add('values-added', at, 'Any value is accepted that was one of a list', { before: [...a.values!.values()] });
    return true;
  }
  if (a.values === undefined) {
    const fresh = [...b.values.values()].filter((value) => !a.kinds.has(kindOf(value)));
    if (fresh.length > 0)
      log.add('values-added', at, `Newly accepted: ${shownValues(fresh)}`, { after: [...b.values.values()] });
    log.add('values-removed', at, `Only some values are accepted: ${shownValues([...b.values.values()])}`, {
      after: [...b.values.values()],
    });
    return true;
  }
  const removed = [...a.values].filter(([text]) => !b.values!.has(text)).map(([, value]) => value);
  const added = [...b.values].filter(([text]) => !a.values!.has(text)).map(([, value]) => value);
  const values = { before: [...a.values.values()], after: [...b.values.values()] };
  if (removed.length > 0) log.add('values-removed', at, `No longer accepted: ${shownValues(removed)}`, values);
  if (added.length > 0) log.add('values-added', at, `Newly accepted: ${shownValues(added)}`, values);
  return true;
}

function shownValues(values: readonly unknown[]): string {
  return listed(values.map((value) => quoted(value, 40)));
}

/** The type names of JSON Schema. */
function typesOf(kinds: ReadonlySet<Kind>): string {
  if (kinds.size === KINDS.length) return 'any type';
  const names: string[] = KINDS.filter((kind) => kinds.has(kind) && kind !== 'fraction');
  return listed(names.map((name) => (name === 'integer' && kinds.has('fraction') ? 'number' : name)));
}

/** Compares the types. Returns false if they have no type in common, so that nothing else can be compared. */
function compareKinds(a: Shape, b: Shape, path: string, log: ChangeLog): boolean {
  const lost = [...a.kinds].some((kind) => !b.kinds.has(kind));
  const fresh = [...b.kinds].some((kind) => !a.kinds.has(kind));
  if (!lost && !fresh) return true;
  const values = { before: typesOf(a.kinds), after: typesOf(b.kinds) };
  const kind = lost && fresh ? 'type-changed' : lost ? 'type-narrowed' : 'type-widened';
  log.add(kind, `${path}/type`, `The type was ${values.before} and is ${values.after}`, values);
  return [...a.kinds].some((each) => b.kinds.has(each));
}

const TEXTS = ['title', 'description', 'examples'];

function compareRemarks(a: Shape, b: Shape, path: string, log: ChangeLog): void {
  for (const keyword of new Set([...a.remarks.keys(), ...b.remarks.keys()])) {
    const [before, after] = [a.remarks.get(keyword), b.remarks.get(keyword)];
    if (isSame(before, after)) continue;
    const at = `${path}/${keyword.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const kind =
      keyword === 'default'
        ? 'default-changed'
        : keyword === 'x-mcp-header'
          ? 'header-changed'
          : TEXTS.includes(keyword)
            ? 'schema-text-changed'
            : 'keyword-changed';
    const how = before === undefined ? 'is new' : after === undefined ? 'is gone' : 'is another';
    log.add(kind, at, `${quoted(keyword, 40)} ${how}`, { before, after });
  }
}

function ANYTHING(parts: readonly Part[]): readonly Part[] {
  return parts.map(({ document }) => ({ document, schema: true }));
}

function compareObjects(a: Shape, b: Shape, path: string, walk: Walk): void {
  if (!a.kinds.has('object') || !b.kinds.has('object')) return;
  const { log } = walk;
  for (const name of new Set([...a.properties.keys(), ...b.properties.keys(), ...a.required, ...b.required])) {
    const at = `${path}/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const [before, after] = [a.properties.get(name), b.properties.get(name)];
    const [must, mustNow] = [a.required.has(name), b.required.has(name)];
    const shown = quoted(name, 60);
    if (before === undefined && after !== undefined) {
      if (mustNow && !must)
        log.add('property-required', at, `${shown} is new, and required`, { after: after[0]?.schema });
      else log.add('property-added', at, `${shown} is new`, { after: after[0]?.schema });
      if (must && !mustNow) log.add('property-optional', at, `${shown} is no longer required`);
      continue;
    }
    if (before !== undefined && after === undefined) {
      log.add('property-removed', at, `${shown} is gone`, { before: before[0]?.schema });
      if (mustNow && !must) log.add('property-required', at, `${shown} is required`);
      continue;
    }
    if (mustNow && !must) log.add('property-required', at, `${shown} was optional, and is required`);
    if (must && !mustNow) log.add('property-optional', at, `${shown} was required, and is optional`);
    if (before !== undefined && after !== undefined) compareParts(before, after, at, walk);
  }
  compareExtra(a, b, path, walk);
  for (const pattern of new Set([...a.byPattern.keys(), ...b.byPattern.keys()])) {
    const at = `${path}/patternProperties/${pattern.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const [before, after] = [a.byPattern.get(pattern), b.byPattern.get(pattern)];
    if (before !== undefined && after !== undefined) compareParts(before, after, at, walk);
    else
      log.add(
        'undecided',
        at,
        `Properties with names like ${quoted(pattern, 60)} are ${after === undefined ? 'no longer' : 'newly'} described`,
      );
  }
}

/** Returns whether it rejects every value. */
function isClosed(parts: readonly Part[] | undefined): boolean {
  return parts?.some(({ schema }) => schema === false) ?? false;
}

function compareExtra({ extra: before }: Shape, { extra: after }: Shape, path: string, walk: Walk): void {
  const at = `${path}/additionalProperties`;
  if (isClosed(before) !== isClosed(after)) {
    const closed = isClosed(after);
    walk.log.add(
      closed ? 'extra-refused' : 'extra-allowed',
      at,
      `Properties that are not described are ${closed ? 'refused' : 'allowed'}`,
    );
  } else if ((before !== undefined || after !== undefined) && !isClosed(before))
    compareParts(before ?? ANYTHING(after!), after ?? ANYTHING(before!), at, walk);
}

function compareArrays(a: Shape, b: Shape, path: string, walk: Walk): void {
  if (!a.kinds.has('array') || !b.kinds.has('array')) return;
  const places = Math.max(a.prefix.length, b.prefix.length);
  for (let index = 0; index < places; index += 1) {
    const [before, after] = [a.prefix[index] ?? a.items, b.prefix[index] ?? b.items];
    if (before !== undefined || after !== undefined)
      compareParts(before ?? ANYTHING(after!), after ?? ANYTHING(before!), `${path}/prefixItems/${index}`, walk);
  }
  const [before, after] = [a.items, b.items];
  const at = `${path}/items`;
  if (isClosed(before) !== isClosed(after)) {
    const closed = isClosed(after);
    walk.log.add(
      closed ? 'extra-refused' : 'extra-allowed',
      at,
      `Items that are not described are ${closed ? 'refused' : 'allowed'}`,
    );
  } else if ((before !== undefined || after !== undefined) && !isClosed(before))
    compareParts(before ?? ANYTHING(after!), after ?? ANYTHING(before!), at, walk);
}
