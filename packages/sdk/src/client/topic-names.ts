import { isListName, type Topics } from './topics.ts';

/** The topics with these names of lists and URIs. */
export function topicsOf(names: readonly string[]): Topics {
  return { lists: new Set(names.filter(isListName)), uris: new Set(names.filter((name) => !isListName(name))) };
}

/** The names and URIs of topics. */
export function namesOf({ lists, uris }: Topics): string[] {
  return [...lists, ...uris];
}

/** Is `uri` the watched resource or a part of it? A server may announce a change of a part. */
export function coversUri(watched: string, uri: string): boolean {
  return (
    uri === watched || (uri.startsWith(watched) && (watched.endsWith('/') || '/?#'.includes(uri[watched.length]!)))
  );
}
