// The configuration of VitePress. The pages and their order are in ../navigation.ts.

import { defineConfig } from 'vitepress';
import { anchorOf } from '../../scripts/lib/markdown.ts';
import { apiPage, entryPoints } from '../entry-points.ts';
import { CACHE, DIST, STAGED } from '../folders.ts';
import { NAVIGATION, sitePath } from '../navigation.ts';

const groups = NAVIGATION.map(({ title, pages }) => ({
  text: title,
  // With a link, the title of a group is no button around another button.
  link: `/${sitePath(pages[0]![0])}`,
  collapsed: title !== 'Start',
  items: pages.map(([path, text]) => ({ text, link: `/${sitePath(path)}` })),
}));

const api = {
  text: 'API reference',
  link: '/api/',
  collapsed: true,
  items: entryPoints().map((entry) => ({ text: entry.name, link: `/${apiPage(entry)}` })),
};

// oxlint-disable-next-line import/no-default-export -- VitePress reads the default export.
export default defineConfig({
  srcDir: STAGED,
  outDir: DIST,
  cacheDir: `${CACHE}/vitepress`,
  lang: 'en',
  title: 'Tenon',
  titleTemplate: ':title · Tenon',
  description: 'The Model Context Protocol for TypeScript',
  // The API reference of `tenon`, and the search index, which loads with the first search.
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  markdown: {
    // High contrast: comments in code are text that is read.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languageAlias: { mcptrace: 'jsonl', caddy: 'nginx' },
    anchor: { slugify: anchorOf },
    attrs: { disable: true },
    config(md) {
      // `:word:` is never meant as a picture here.
      md.disable('emoji');
      const fence = md.renderer.rules.fence!;
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        // A file name after the language is what other snippets import.
        const file = tokens[index]!.info.split(/\s+/).find((word) => /^[\w-]+\.\w+$/.test(word));
        const code = fence(tokens, index, ...rest);
        return file === undefined ? code : `<div class="file-name">${file}</div>${code}`;
      };
    },
  },
  themeConfig: {
    siteTitle: 'Tenon',
    search: { provider: 'local' },
    outline: [2, 3],
    externalLinkIcon: true,
    nav: [
      { text: 'Getting started', link: '/docs/getting-started.md' },
      { text: 'Servers', link: '/docs/servers.md' },
      { text: 'Clients', link: '/docs/client.md' },
      { text: 'Hosts', link: '/docs/host.md' },
      { text: 'API', link: '/api/' },
    ],
    sidebar: [...groups.slice(0, -2), api, ...groups.slice(-2)],
  },
});
