import { andThen, type Maybe } from '../protocol/maybe.ts';
import type { Catalog } from './catalog.ts';
import type { CompiledResource } from './resource.ts';
import { requestedUriProblem } from './requested-uri.ts';
import type { Viewer } from './visibility.ts';

/** A resource that was found, with the variables of its template. */
export interface FoundResource {
  readonly resource: CompiledResource;
  readonly variables: ReadonlyMap<string, string | string[]>;
}

const NO_VARIABLES: ReadonlyMap<string, string> = new Map();

/** The resource that a client means by a URI: the one with exactly this URI, or the one of a template that matches. */
export function findResource(catalog: Catalog, uri: string, viewer: Viewer): Maybe<FoundResource | undefined> {
  if (requestedUriProblem(uri) !== undefined) return undefined;
  return andThen(catalog.resource(uri, viewer), (exact): Maybe<FoundResource | undefined> => {
    if (exact !== undefined && exact.template === undefined) return { resource: exact, variables: NO_VARIABLES };
    return andThen(catalog.templates(viewer), (templates) => matchingTemplate(templates, uri));
  });
}

/** The most specific template that matches; of equally specific ones, the first. */
function matchingTemplate(templates: readonly CompiledResource[], uri: string): FoundResource | undefined {
  let best: FoundResource | undefined;
  for (const candidate of templates) {
    const variables = candidate.template?.match(uri);
    if (variables === undefined) continue;
    if (best === undefined || candidate.template!.specificity > best.resource.template!.specificity)
      best = { resource: candidate, variables };
  }
  return best;
}

/** The template with this text. */
export function findTemplate(catalog: Catalog, text: string, viewer: Viewer): Maybe<CompiledResource | undefined> {
  return andThen(catalog.resource(text, viewer), (found) => (found?.template === undefined ? undefined : found));
}
