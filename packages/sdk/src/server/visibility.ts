import type { Principal } from '../protocol/exchange.ts';

/** Which classes of callers see something: their names, or a test. Without it, everybody does. */
export type Visible = readonly string[] | ((visibilityClass: string) => boolean);

/** Sorts callers into classes, each named by a short string. The same rule decides on lists, calls, completion and subscriptions. */
export type Visibility = (principal: Principal | undefined) => string;

/** Whose view it is. */
export interface Viewer {
  readonly principal: Principal | undefined;
  /** The class the server's `visibility` put the caller in; empty when it has none. */
  readonly visibilityClass: string;
}

/** May this class of callers see it? */
export const sees = (viewer: Viewer, visible: Visible | undefined): boolean => {
  if (visible === undefined) return true;
  return typeof visible === 'function' ? visible(viewer.visibilityClass) : visible.includes(viewer.visibilityClass);
};
