import type { Principal } from '../../protocol/request-context.ts';
import { settle } from '../../protocol/maybe.ts';
import { shown } from '../../protocol/text.ts';
import type { Change } from '../../server/changes.ts';
import type { Engine } from '../../server/engine.ts';
import { reportFailure } from '../../server/report-failure.ts';

/** A session or subscription that is notified of changes. */
export interface Watcher {
  readonly principal: Principal | undefined;
  /** Did it ask for such changes, and is it still open? */
  wants(change: Change): boolean;
  notify(change: Change): void;
}

/** Notifies the watchers of a resource that changed, except callers from whom it is now hidden. */
export function announceResource(
  engine: Engine,
  change: Extract<Change, { readonly uri: string }>,
  watchers: Iterable<Watcher>,
): void {
  // Visibility is determined once for all watchers that share a principal object.
  const byPrincipal = new Map<Principal | undefined, Watcher[]>();
  for (const watcher of watchers) {
    if (!watcher.wants(change)) continue;
    const same = byPrincipal.get(watcher.principal);
    if (same === undefined) byPrincipal.set(watcher.principal, [watcher]);
    else same.push(watcher);
  }
  for (const [principal, group] of byPrincipal)
    void settle<boolean, void>(
      () => engine.hasResource(change.uri, { principal }),
      (visible) => {
        if (visible) for (const watcher of group) if (watcher.wants(change)) watcher.notify(change);
      },
      (error) => void reportFailure(`Looking for '${shown(change.uri)}', which changed,`, error, engine.log),
    );
}
