import { andThen, type Maybe } from '../../protocol/maybe.ts';
import { quoted } from '../../schema/quoted.ts';
import type { Catalog } from '../catalog.ts';
import { findResource, type FoundResource } from '../find-resource.ts';
import type { Viewer } from '../visibility.ts';

/** A resource to read, and its own URI. */
export interface ReadableResource extends FoundResource {
  readonly uri: string;
}

/**
 * The resource that a reader asks for. If there is none with this URI, the fragment is ignored: it identifies a part of the resource, for
 * the reader (RFC 3986, section 3.5).
 */
export function findReadable(catalog: Catalog, uri: string, viewer: Viewer): Maybe<ReadableResource | undefined> {
  const find = (wanted: string): Maybe<ReadableResource | undefined> =>
    andThen(
      findResource(catalog, wanted, viewer),
      (found) => found && { resource: found.resource, variables: found.variables, uri: wanted },
    );
  return andThen(find(uri), (found) => {
    if (found !== undefined) return found;
    const whole = withoutFragment(uri);
    return whole === uri ? undefined : find(whole);
  });
}

function withoutFragment(uri: string): string {
  return uri.split('#', 1)[0]!;
}

/**
 * Why no resource has this URI, although there is one without its query; undefined if there is none either. Unknown and repeated parameters
 * are errors and not ignored, because the reader means something by them.
 */
export async function findQueryProblem(catalog: Catalog, uri: string, viewer: Viewer): Promise<string | undefined> {
  const [path = '', query] = withoutFragment(uri).split(/\?(.*)/s, 2);
  const found = query === undefined ? undefined : await findResource(catalog, path, viewer);
  if (found === undefined) return undefined;
  const known = queryVariables(found.resource.template?.text ?? '');
  if (known.size === 0) return 'this resource has no query';
  const seen = new Set<string>();
  for (const member of query!.split('&')) {
    const name = decoded(member.split('=', 1)[0]!);
    const list = known.get(name);
    if (list === undefined) return `its query has no parameter ${quoted(name)}, only ${[...known.keys()].join(', ')}`;
    if (seen.has(name) && !list) return `the parameter ${quoted(name)} is there more than once`;
    seen.add(name);
  }
  return undefined;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** The variables of a template's query by name, and whether each is a list. */
function queryVariables(template: string): ReadonlyMap<string, boolean> {
  const expressions = [...template.matchAll(/\{[?&]([^}]*)\}/g)];
  return new Map(
    expressions.flatMap(([, names = '']) =>
      names.split(',').map((variable) => [variable.replace(/\*$|:\d+$/, ''), variable.endsWith('*')] as const),
    ),
  );
}
