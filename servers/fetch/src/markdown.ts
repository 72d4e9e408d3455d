import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import Turndown from 'turndown';

/** What is used of a page. */
interface Dom {
  readonly body: { readonly innerHTML: string } | null;
  querySelectorAll(selector: string): Iterable<{
    remove(): void;
    getAttribute(name: string): string | null;
    setAttribute(name: string, value: string): void;
    removeAttribute(name: string): void;
  }>;
}

/** More elements are not gone through. */
const MOST_ELEMENTS = 50_000;

const absolute = (address: string, base: URL): string => {
  try {
    return new URL(address, base).href;
  } catch {
    return address;
  }
};

/** Addresses in a page that could run something have no place in what a model reads. */
const clean = (document: Dom, base: URL): void => {
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
};

/** The main part of a page as Markdown; all of it where no part stands out. Undefined when there is nothing to read. */
export const markdownOf = (html: string, base: URL): string | undefined => {
  const { document } = parseHTML(/<html|<body/i.test(html) ? html : `<html><body>${html}</body></html>`) as unknown as {
    document: Dom;
  };
  const writer = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
  clean(document, base);
  const whole = document.body?.innerHTML ?? '';
  let article: { readonly title?: string | null | undefined; readonly content?: string | null | undefined } | null =
    null;
  try {
    article = new Readability(document as never, { maxElemsToParse: MOST_ELEMENTS, charThreshold: 0 }).parse();
  } catch {
    // A page that is too much for it is given as it is.
  }
  const text = writer.turndown(article?.content ?? whole).trim();
  if (text === '') return undefined;
  const { title } = article ?? {};
  return title && !text.startsWith('# ') ? `# ${title.trim()}\n\n${text}` : text;
};
