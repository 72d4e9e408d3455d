import type { ServerView } from '../../../src/api/views.ts';
import { go, useRoute } from '../route/use-route.ts';
import type { Route } from '../route/route.ts';
import { screenOf } from '../screens.ts';
import { useServers } from '../store/model.ts';

const KEY = 'server';

/** The server that the page is about: the one of the route, else the one of before, else the first. */
export const currentServer = (route: Route, servers: readonly ServerView[]): ServerView | undefined => {
  const byId = (id: string | null | undefined): ServerView | undefined => servers.find((server) => server.id === id);
  const named = byId(route.server);
  if (named !== undefined) sessionStorage.setItem(KEY, named.id);
  return named ?? byId(sessionStorage.getItem(KEY)) ?? servers[0];
};

/** The same, for screens. */
export const useCurrentServer = (): ServerView | undefined => currentServer(useRoute(), useServers());

/** Turns the page to another server. A screen of one server stays, and shows that one. */
export const chooseServer = (id: string, route: Route): void => {
  sessionStorage.setItem(KEY, id);
  go({ screen: screenOf(route.screen).id, server: id });
};
