// The folders that the site is made in. Git ignores them.

import { join } from 'node:path';
import { root } from '../scripts/lib/files.ts';

export const SITE = join(root, 'site');
/** Files that are made on the way. */
export const CACHE = join(SITE, '.cache');
/** The Markdown that the generator reads. */
export const STAGED = join(CACHE, 'pages');
/** The finished site. */
export const DIST = join(SITE, 'dist');
