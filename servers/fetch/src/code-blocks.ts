// Code blocks in Markdown, with their language. Pages declare it in many ways, on the block or on an element around it.
import type Turndown from 'turndown';

/** The parts of a DOM element that are used here. */
export interface PageElement {
  readonly parentElement: PageElement | null;
  readonly textContent: string | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
  replaceWith(text: string): void;
}

/** The attribute that keeps the language of a block while the page is simplified. */
const LANGUAGE = 'data-language';
/** The number of elements around a block that are searched for its language. */
const MAX_AROUND = 2;
const NAME = /^[a-z\d][a-z\d#+.-]{0,29}$/i;
const NOT_A_LANGUAGE = new Set(['default', 'none', 'notranslate', 'plain', 'plaintext', 'text', 'txt']);

/** In class names: `language-ts`, `lang-ts`, `highlight-source-ts` (GitHub), `highlight-python` (Sphinx), `brush: js`, `sourceCode r` (Pandoc). */
const IN_CLASSES = [
  /(?:^|\s)lang(?:uage)?-(\S+)/i,
  /(?:^|\s)highlight-source-(\S+)/i,
  /(?:^|\s)brush:\s*([^\s;]+)/i,
  /(?:^|\s)sourceCode\s+(\S+)/,
  /(?:^|\s)hljs\s+(\S+)/,
  /(?:^|\s)highlight-(?!source-|text-)(\S+)/i,
];

function languageAt(element: PageElement): string | undefined {
  const classes = element.getAttribute('class') ?? '';
  const found = [
    ...['data-lang', LANGUAGE].map((name) => element.getAttribute(name)),
    ...IN_CLASSES.map((pattern) => pattern.exec(classes)?.[1]),
  ];
  return found.find(
    (name): name is string => name != null && NAME.test(name) && !NOT_A_LANGUAGE.has(name.toLowerCase()),
  );
}

/** Prepares the blocks of code of a page: each gets an attribute with its language, and line feeds instead of `br` elements. */
export function markCodeBlocks(page: { querySelectorAll(selector: string): Iterable<PageElement> }): void {
  for (const block of page.querySelectorAll('pre')) {
    for (const lineBreak of block.querySelectorAll('br')) lineBreak.replaceWith('\n');
    const code = block.querySelector('code');
    const around: PageElement[] = [];
    for (let at = block.parentElement; at !== null && around.length < MAX_AROUND; at = at.parentElement)
      around.push(at);
    const language = [...(code === null ? [] : [code]), block, ...around]
      .map(languageAt)
      .find((name) => name !== undefined);
    if (language === undefined) block.removeAttribute(LANGUAGE);
    else block.setAttribute(LANGUAGE, language);
  }
}

/** Adds the rule that writes code blocks. */
export function addCodeBlocks(writer: Turndown): void {
  writer.addRule('code block', {
    filter: 'pre',
    replacement: (_, node) => {
      const text = (node.textContent ?? '').replace(/\n$/, '');
      const language = (node as unknown as PageElement).getAttribute(LANGUAGE) ?? '';
      let fence = '```';
      while (text.includes(fence)) fence += '`';
      return `\n\n${fence}${language}\n${text}\n${fence}\n\n`;
    },
  });
}
