import { isSame } from '../values/canonical-value.ts';
import type { Change, ChangeKind } from './change.ts';
import { shapeOf } from '../values/schema/read-shape.ts';
import { KINDS, type Group, type Part, type Shape } from '../values/schema/shape.ts';
import { changesBetween, type Walk } from './walk.ts';

/** One of the forms that a value may have: schemas that apply together. */
type Form = readonly Part[];

/** If there are more forms, they are only compared as text. */
const MAX_FORMS = 50;

/**
 * Compares `anyOf` and `oneOf`. Returns false if nothing else has to be compared: one side consists only of forms, and the other
 * was treated as forms, too (`string` has become `string` or `null`).
 */
export function compareGroups(a: Shape, b: Shape, path: string, walk: Walk): boolean {
  const [[before], [after]] = [a.groups, b.groups];
  if (before === undefined && after === undefined) return true;
  if (a.groups.length === 1 && b.groups.length === 0 && isBare(a)) {
    compareForms(formsOf(before!), kindsApart(b), { path, walk, before: before!.keyword, after: 'anyOf' });
    return false;
  }
  if (a.groups.length === 0 && b.groups.length === 1 && isBare(b)) {
    compareForms(kindsApart(a), formsOf(after!), { path, walk, before: 'anyOf', after: after!.keyword });
    return false;
  }
  if (a.groups.length === b.groups.length) {
    a.groups.forEach((group, index) => {
      const other = b.groups[index]!;
      compareForms(formsOf(group), formsOf(other), { path, walk, before: group.keyword, after: other.keyword });
    });
  } else if (a.groups.length === 0)
    walk.log.add(
      'alternatives-removed',
      `${path}/${after!.keyword}`,
      `It must have one of ${after!.branches.length} forms`,
    );
  else if (b.groups.length === 0)
    walk.log.add(
      'alternatives-added',
      `${path}/${before!.keyword}`,
      `It need no longer have one of ${before!.branches.length} forms`,
    );
  else
    walk.log.add(
      'undecided',
      path,
      'There are other choices of forms than before: whether they let more or less through is not decided here',
    );
  return true;
}

function formsOf({ branches }: Group): Form[] {
  return branches.map((branch) => [branch]);
}

/** Returns whether only its groups restrict the values. */
function isBare(shape: Shape): boolean {
  return (
    shape.kinds.size === KINDS.length &&
    shape.values === undefined &&
    [shape.bounds, shape.patterns, shape.formats, shape.divisors, shape.properties].every(({ size }) => size === 0) &&
    [shape.required, shape.byPattern, shape.opaque].every(({ size }) => size === 0) &&
    !shape.unique &&
    shape.extra === undefined &&
    shape.items === undefined &&
    shape.prefix.length === 0
  );
}

/** A schema with several types, as one form for each type. */
function kindsApart({ kinds, parts }: Shape): Form[] {
  const [{ document }] = parts as readonly [Part, ...Part[]];
  if (kinds.size === KINDS.length) return [parts];
  const names = KINDS.filter((kind) => kinds.has(kind) && kind !== 'fraction').map((kind) =>
    kind === 'integer' && kinds.has('fraction') ? 'number' : kind,
  );
  return names.map((type) => [...parts, { document, schema: { type } }]);
}

interface Place {
  readonly path: string;
  readonly walk: Walk;
  readonly before: Group['keyword'];
  readonly after: Group['keyword'];
}

/** Changes of annotations, which do not affect the values of a form. */
const WORDS: ReadonlySet<ChangeKind> = new Set([
  'schema-text-changed',
  'default-changed',
  'keyword-changed',
  'header-changed',
  'format-changed',
]);
function isAboutValues({ kind }: Change): boolean {
  return !WORDS.has(kind);
}

function compareForms(before: readonly Form[], after: readonly Form[], place: Place): void {
  const { path, walk } = place;
  const at = `${path}/${place.after}`;
  if (Math.max(before.length, after.length) > MAX_FORMS) {
    const same = isSame(before.map(schemasOf), after.map(schemasOf));
    if (!same) walk.log.add('undecided', at, 'There are too many forms to compare');
    return;
  }
  const left = new Set(after.keys());
  const unmatched = before.filter((form) => {
    const match = [...left].find((index) => !changesBetween(form, after[index]!, walk).some(isAboutValues));
    if (match === undefined) return true;
    left.delete(match);
    // Their descriptions may differ.
    walk.compare(form, after[match]!, `${at}/${match}`, walk);
    return false;
  });
  const pairs = pairUp(unmatched, [...left], after);
  for (const { form, index } of pairs) {
    left.delete(index);
    walk.compare(form, after[index]!, `${at}/${index}`, walk);
  }
  const paired = new Set(pairs.map(({ form }) => form));
  const lost = unmatched.filter((form) => !paired.has(form) && !after.some((other) => isWithin(form, other, walk)));
  const fresh = [...left].filter((index) => !before.some((other) => isWithin(after[index]!, other, walk)));
  if (lost.length > 0)
    walk.log.add(
      'alternatives-removed',
      at,
      `${lost.length} of ${before.length} forms ${lost.length === 1 ? 'is' : 'are'} gone`,
      { before: lost.map(schemasOf) },
    );
  if (fresh.length > 0)
    walk.log.add(
      'alternatives-added',
      at,
      `${fresh.length} of ${after.length} forms ${fresh.length === 1 ? 'is' : 'are'} new`,
      { after: fresh.map((index) => schemasOf(after[index]!)) },
    );
  const changed = unmatched.length > 0 || left.size > 0 || place.before !== place.after;
  if (changed && ((place.before === 'oneOf' && overlap(before)) || (place.after === 'oneOf' && overlap(after))))
    walk.log.add('undecided', at, 'The forms of a oneOf may overlap: a value that fits two of them is refused');
}

function schemasOf(form: Form): unknown {
  return form.length === 1 ? form[0]!.schema : form.map(({ schema }) => schema);
}

/** Returns whether every value of one form is valid for the other. */
function isWithin(inner: Form, outer: Form, walk: Walk): boolean {
  return (
    changesBetween(inner, outer, walk)
      .filter(isAboutValues)
      // A property that only the outer form describes may have had any value.
      .every(({ level, kind }) => level === 'compatible' && kind !== 'property-added')
  );
}

/** Pairs each form with the form that it became: by a constant, a title, their kind, or because only one is left. */
function pairUp(
  forms: readonly Form[],
  free: number[],
  after: readonly Form[],
): { readonly form: Form; readonly index: number }[] {
  if (forms.length === 1 && free.length === 1) return [{ form: forms[0]!, index: free[0]! }];
  const pairs: { form: Form; index: number }[] = [];
  for (const form of forms) {
    const mark = markOf(form);
    const found = mark === undefined ? -1 : free.findIndex((index) => markOf(after[index]!) === mark);
    if (found >= 0) pairs.push({ form, index: free.splice(found, 1)[0]! });
  }
  return pairs;
}

function markOf(form: Form): string | undefined {
  const { properties, kinds, remarks } = shapeOf(form);
  for (const [name, parts] of properties) {
    const { values } = shapeOf(parts);
    if (values?.size === 1) return `${name}=${[...values.keys()][0]}`;
  }
  const title = remarks.get('title');
  if (typeof title === 'string') return `title ${title}`;
  return kinds.size <= 2 ? [...kinds].join() : undefined;
}

/** Returns whether a value may match two of the forms. */
function overlap(forms: readonly Form[]): boolean {
  const shapes = forms.map(shapeOf);
  return shapes.some((shape, index) => shapes.slice(index + 1).some((other) => !areApart(shape, other)));
}

function areApart(a: Shape, b: Shape): boolean {
  if (a.never || b.never || ![...a.kinds].some((kind) => b.kinds.has(kind))) return true;
  if (a.values !== undefined && b.values !== undefined)
    return ![...a.values.keys()].some((text) => b.values!.has(text));
  if ([...a.kinds].some((kind) => kind !== 'object' && b.kinds.has(kind))) return false;
  // Objects that require the same property with different constants.
  return [...a.required].some((name) => {
    const [one, other] = [a.properties.get(name), b.properties.get(name)];
    if (one === undefined || other === undefined || !b.required.has(name)) return false;
    const [first, second] = [shapeOf(one), shapeOf(other)];
    return (
      first.values !== undefined &&
      second.values !== undefined &&
      ![...first.values.keys()].some((text) => second.values!.has(text))
    );
  });
}
