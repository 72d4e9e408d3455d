// Builds the documentation site.

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { installPinned } from '../scripts/lib/pinned-install.ts';
import { writeApiReference } from './api-reference.ts';
import { CACHE, DIST, SITE, STAGED } from './folders.ts';
import { writeLlmsTexts } from './llms.ts';
import { copyMarkdown, stagePages } from './pages.ts';

/** Builds the site into `site/dist`. Throws if a tool fails, or if a page has a dead link. */
export function buildSite(): void {
  installPinned(SITE, 'Installing what the site is made with (site/package.json), about 150 MB');
  rmSync(CACHE, { recursive: true, force: true });
  rmSync(DIST, { recursive: true, force: true });
  writeApiReference(join(STAGED, 'api'));
  stagePages();
  const vitepress = join(SITE, 'node_modules/vitepress/bin/vitepress.js');
  const { status } = spawnSync(process.execPath, [vitepress, 'build', SITE], { cwd: SITE, stdio: 'inherit' });
  if (status !== 0) throw new Error('VitePress failed; its messages are above.');
  copyMarkdown();
  writeLlmsTexts();
}
