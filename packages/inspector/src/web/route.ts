import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type AnswerOf,
  type BodyOf,
  type PartsOf,
  type QueryOf,
  type Route,
  type RouteName,
  ROUTES,
  type Routes,
} from '../api/routes.ts';
import { text } from '../api/shapes.ts';
import { badRequest } from './refusal.ts';

/** An accepted request, typed by its route. */
export interface Call<R extends Route> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The session of the page. Empty on open routes. */
  readonly session: string;
  readonly parts: PartsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
  /** Aborted if the connection ends before the answer. */
  readonly signal: AbortSignal;
}

/** Returned by handlers that have written the response themselves. */
export const ANSWERED = Symbol('answered');

type Returned<R extends Route> = R['answer']['kind'] extends 'json' ? AnswerOf<R> : typeof ANSWERED;

/** The handlers of all routes. */
export type Handlers = {
  readonly [K in RouteName]: (call: Call<Routes[K]>) => Returned<Routes[K]> | Promise<Returned<Routes[K]>>;
};

export interface FoundRoute {
  readonly name: RouteName;
  readonly route: Route;
  /** The named parts of the path, decoded. */
  readonly parts: ReadonlyMap<string, string>;
}

const TABLE = Object.entries(ROUTES) as readonly (readonly [RouteName, Route])[];

/** The routes with this path, one for each method. */
export function routesAt(path: string): readonly FoundRoute[] {
  return TABLE.flatMap(([name, route]) => {
    const parts = matchPath(route.path, path);
    return parts === undefined ? [] : [{ name, route, parts }];
  });
}

/** Returns whether the browser saves the response at this path as a file. */
export function isDownload(path: string): boolean {
  return TABLE.some(([, route]) => route.answer.kind === 'file' && route.path === path);
}

/** The named parts of a path that matches a pattern. Undefined: it does not match. */
function matchPath(pattern: string, path: string): ReadonlyMap<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const parts = new Map<string, string>();
  for (const [i, part] of wanted.entries()) {
    if (part.startsWith(':')) parts.set(part.slice(1), decoded(given[i]!));
    else if (part !== given[i]) return undefined;
  }
  return parts;
}

const MAX_PART = 2_000;

function decoded(part: string): string {
  if (part.length > MAX_PART) throw badRequest('The path is too long');
  try {
    return decodeURIComponent(part);
  } catch {
    throw badRequest('The path is not encoded as paths are');
  }
}

const PLAIN_PART = text(MAX_PART);

/** The parts of a path, validated by the shapes of its route. Throws a `ShapeError`. */
export function readParts({ route, parts }: FoundRoute): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...parts].map(([name, part]) => [name, (route.parts?.[name] ?? PLAIN_PART).read(part, name)]),
  );
}

/**
 * A query, validated by the shape of its route. Of repeated values the first counts; an empty one counts as missing. Throws a
 * `ShapeError`.
 */
export function readQuery(route: Route, query: URLSearchParams): object {
  if (route.method === 'POST' || route.query === undefined) return {};
  const given = [...query].toReversed().filter(([, value]) => value !== '');
  return route.query.read(Object.fromEntries(given), 'The query');
}
