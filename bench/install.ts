// What Tenon is measured beside (package.json of this folder).
import { installPinned, pinnedIn } from '../scripts/lib/pinned-install.ts';

/** What Tenon is measured beside, by name. */
export const pinned = pinnedIn(import.meta.dirname);

/** Fails where npm fails. */
export function install(): void {
  installPinned(import.meta.dirname, 'Installing what Tenon is compared with (bench/package.json)');
}
