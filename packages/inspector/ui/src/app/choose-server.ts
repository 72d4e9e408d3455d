import type { Route } from '../route/route.ts';
import { go } from '../route/use-route.ts';
import { screenOf } from '../screens.ts';
import { KEPT_SERVER } from './current-server.ts';

/** Turns the page to another server. A screen of one server stays, and shows that one. */
export function chooseServer(id: string, route: Route): void {
  sessionStorage.setItem(KEPT_SERVER, id);
  go({ screen: screenOf(route.screen).id, server: id });
}
