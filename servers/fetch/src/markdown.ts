import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import Turndown from 'turndown';
import { addCodeBlocks, markCodeBlocks, type PageElement } from './code-blocks.ts';
import { addTables } from './tables.ts';

/** The used parts of the DOM. */
interface Dom {
  readonly body: { readonly innerHTML: string } | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

/** A page with more elements is converted without extracting its main part. */
const MAX_ELEMENTS = 50_000;

function absolute(address: string, base: URL): string {
  try {
    return new URL(address, base).href;
  } catch {
    return address;
  }
}

/** Removes active content, and links with schemes that could run code. */
function clean(document: Dom, base: URL): void {
  for (const element of document.querySelectorAll('script, style, noscript, iframe, object, embed, template, svg'))
    element.remove();
  for (const [selector, name] of [
    ['a[href]', 'href'],
    ['img[src]', 'src'],
  ] as const)
    for (const element of document.querySelectorAll(selector)) {
      const address = absolute(element.getAttribute(name) ?? '', base);
      if (/^(?:https?|mailto):/i.test(address)) element.setAttribute(name, address);
      else element.removeAttribute(name);
    }
}

/** The main part of a page as Markdown, or all of it if no main part is found. Undefined if there is no text. */
export function markdownOf(html: string, base: URL): string | undefined {
  const { document } = parseHTML(/<html|<body/i.test(html) ? html : `<html><body>${html}</body></html>`) as unknown as {
    document: Dom;
  };
  const writer = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
  addCodeBlocks(writer);
  addTables(writer);
  clean(document, base);
  markCodeBlocks(document);
  const whole = document.body?.innerHTML ?? '';
  let article: { readonly title?: string | null | undefined; readonly content?: string | null | undefined } | null =
    null;
  try {
    article = new Readability(document as never, { maxElemsToParse: MAX_ELEMENTS, charThreshold: 0 }).parse();
  } catch {
    // The page is too large for Readability: convert all of it.
  }
  const text = writer.turndown(article?.content ?? whole).trim();
  if (text === '') return undefined;
  const { title } = article ?? {};
  return title && !text.startsWith('# ') ? `# ${title.trim()}\n\n${text}` : text;
}
