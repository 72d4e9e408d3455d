import { type ComponentType, lazy, type LazyExoticComponent } from 'react';
import { AuthIcon, CheckIcon, ConnectIcon, ExploreIcon, type IconProps, InboxIcon, TraceIcon } from './parts/icons.tsx';
import { useInbox, useServers } from './store/model.ts';

/** A screen of the inspector: one folder of `screens`, and one entry here. */
export interface ScreenEntry {
  /** Its name in URLs: `#/explore/…`. */
  readonly id: string;
  readonly title: string;
  readonly icon: ComponentType<IconProps>;
  /** It shows one server at a time; switching the server keeps the screen. */
  readonly ofOneServer: boolean;
  /** Returns the number shown beside the title. A hook: called at every render of the rail. */
  readonly useCount?: () => number;
  readonly Screen: LazyExoticComponent<ComponentType>;
}

/** In the order of the rail. */
export const SCREENS: readonly ScreenEntry[] = [
  {
    id: 'connect',
    title: 'Connect',
    icon: ConnectIcon,
    ofOneServer: false,
    Screen: lazy(() => import('./screens/connect/ConnectScreen.tsx')),
  },
  {
    id: 'explore',
    title: 'Explore',
    icon: ExploreIcon,
    ofOneServer: false,
    Screen: lazy(() => import('./screens/explore/ExploreScreen.tsx')),
  },
  {
    id: 'trace',
    title: 'Trace',
    icon: TraceIcon,
    ofOneServer: false,
    Screen: lazy(() => import('./screens/trace/TraceScreen.tsx')),
  },
  {
    id: 'inbox',
    title: 'Inbox',
    icon: InboxIcon,
    ofOneServer: false,
    useCount: useWaiting,
    Screen: lazy(() => import('./screens/inbox/InboxScreen.tsx')),
  },
  {
    id: 'auth',
    title: 'Auth',
    icon: AuthIcon,
    ofOneServer: true,
    useCount: useLogins,
    Screen: lazy(() => import('./screens/auth/AuthScreen.tsx')),
  },
  {
    id: 'check',
    title: 'Check',
    icon: CheckIcon,
    ofOneServer: true,
    Screen: lazy(() => import('./screens/check/CheckScreen.tsx')),
  },
];

/** The screen of a route; the first one if no screen has that name. */
export function screenOf(id: string): ScreenEntry {
  return SCREENS.find((screen) => screen.id === id) ?? SCREENS[0]!;
}

/** The number of servers waiting for a login. */
function useLogins(): number {
  return useServers().filter(({ status }) => status === 'login').length;
}

/** The number of open questions. */
function useWaiting(): number {
  return useInbox().filter(({ status }) => status === 'open').length;
}
