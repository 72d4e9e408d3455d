import type { ServerView } from '../../../src/api/views.ts';
import { useRoute } from '../route/use-route.ts';
import type { Route } from '../route/route.ts';
import { useServers } from '../store/model.ts';

/** Where the tab keeps which server it is about. */
export const KEPT_SERVER = 'server';

/** The server that the page is about: the one of the route, else the one of before, else the first. */
export function currentServer(route: Route, servers: readonly ServerView[]): ServerView | undefined {
  const byId = (id: string | null | undefined): ServerView | undefined => servers.find((server) => server.id === id);
  const named = byId(route.server);
  if (named !== undefined) sessionStorage.setItem(KEPT_SERVER, named.id);
  return named ?? byId(sessionStorage.getItem(KEPT_SERVER)) ?? servers[0];
}

/** The same, for screens. */
export function useCurrentServer(): ServerView | undefined {
  return currentServer(useRoute(), useServers());
}
