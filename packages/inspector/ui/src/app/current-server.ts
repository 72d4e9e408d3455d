import type { ServerView } from '../../../src/api/views.ts';
import { useRoute } from '../route/use-route.ts';
import type { Route } from '../route/route.ts';
import { useServers } from '../store/model.ts';

/** The key in the session storage of the tab for the current server. */
export const KEPT_SERVER = 'server';

/** The current server: the one of the route, otherwise the previous one, otherwise the first. */
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
