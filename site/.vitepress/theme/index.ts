// The default theme of VitePress with the fonts of the reader's system, and a link to the Markdown of each page.

import { useData, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { defineComponent, h } from 'vue';
// oxlint-disable-next-line import/no-unassigned-import -- A style sheet has no exports.
import './style.css';

/** The page, and the list of all pages, for models and editors. */
const MarkdownLinks = defineComponent(() => {
  const { frontmatter } = useData();
  // `target` keeps the router of VitePress from taking the file for a page.
  const link = (path: string, text: string) => h('a', { href: withBase(path), target: '_self' }, text);
  return () => {
    const { raw } = frontmatter.value as { raw?: string };
    return (
      raw && h('p', { class: 'markdown-links' }, [link(raw, 'This page as Markdown'), link('/llms.txt', 'llms.txt')])
    );
  };
});

// oxlint-disable-next-line import/no-default-export -- VitePress reads the default export.
export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'doc-footer-before': () => h(MarkdownLinks) }),
};
