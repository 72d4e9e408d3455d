import { useSyncExternalStore } from 'react';
import { formatRoute, parseRoute, type Route, withQuery } from './route.ts';

let hash = location.hash;
let current = parseRoute(hash);

function read(): Route {
  if (location.hash !== hash) {
    hash = location.hash;
    current = parseRoute(hash);
  }
  return current;
}

function subscribe(changed: () => void): () => void {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
}

export function useRoute(): Route {
  return useSyncExternalStore(subscribe, read);
}

export const currentRoute = read;

/** Navigates. `replace`: the current route is not kept in the browser history. */
export function go(to: Partial<Route> & Pick<Route, 'screen'>, replace = false): void {
  const next = formatRoute({ server: undefined, rest: [], query: new Map(), ...to });
  if (next === location.hash) return;
  if (!replace) {
    location.hash = next;
    return;
  }
  history.replaceState(null, '', next);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** Changes parts of the query of the current route. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>, replace = false): void {
  go(withQuery(read(), changes), replace);
}

/** The URL of a route, for links. */
export function hrefOf(to: Partial<Route> & Pick<Route, 'screen'>): string {
  return formatRoute({ server: undefined, rest: [], query: new Map(), ...to });
}
