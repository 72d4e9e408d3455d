import type { Principal } from '../protocol/request-context.ts';

/** The classes of callers that can see an item: their names, or a predicate. Default: all. */
export type Visible = readonly string[] | ((visibilityClass: string) => boolean);

/** Sorts callers into classes, each named by a short string. The same rule applies to lists, calls, completion and subscriptions. */
export type Visibility = (principal: Principal | undefined) => string;

/** The caller for whom items are listed or looked up. */
export interface Viewer {
  /** The caller, as verified by the transport; undefined if the transport does not authenticate. */
  readonly principal: Principal | undefined;
  /** The class that the server's `visibility` returned for the caller; empty without `visibility`. */
  readonly visibilityClass: string;
}

/** May this viewer see the item? */
export function sees(viewer: Viewer, visible: Visible | undefined): boolean {
  if (visible === undefined) return true;
  return typeof visible === 'function' ? visible(viewer.visibilityClass) : visible.includes(viewer.visibilityClass);
}
