// Checks the finished site in a real browser.

import { linksOf } from '../scripts/lib/markdown.ts';
import { DIST } from './folders.ts';
import { PAGES } from './navigation.ts';
import { serveFolder } from './serve.ts';
import { checkPages, open, openTab, visit } from './check-pages.ts';

/** Words that a reader looks for, and the page that must be among the results. */
const SEARCHES = [
  ['rotate keys', '/docs/keys.html'],
  ['elicitation', '/docs/asking.html'],
  ['serveHttp', '/api/tenon.node.html'],
  ['idempotencyKey', '/docs/asking.html'],
  ['retryAfterMs', '/api/tenon.client.html'],
  ['everart', '/servers/everart/'],
] as const;

/** The searches that do not find their page. */
async function checkSearch(): Promise<string[]> {
  return visit(DIST, async (site) => {
    const problems: string[] = [];
    const page = await openTab(site, { width: 1280, dark: false }, (problem) => problems.push(`search: ${problem}`));
    await open(page, `${site.url}/`);
    await page.getByRole('button', { name: 'Search' }).click();
    for (const [words, target] of SEARCHES) {
      await page.getByRole('searchbox').fill(words);
      const result = page.locator(`.results a[href^="${target}"]`).first();
      const found = await result.waitFor({ timeout: 20_000 }).then(
        () => true,
        () => false,
      );
      if (!found) problems.push(`search: "${words}" does not find ${target}`);
    }
    return problems;
  });
}

/** The links of `llms.txt` that are no Markdown. */
async function checkLlmsText(): Promise<string[]> {
  const { url, close } = await serveFolder(DIST, 0);
  try {
    const problems: string[] = [];
    const links = linksOf(await (await fetch(`${url}/llms.txt`)).text());
    for (const link of links) {
      const { status, headers } = await fetch(url + link);
      const type = headers.get('content-type') ?? '';
      if (status !== 200 || !/^text\/(?:markdown|plain)/.test(type))
        problems.push(`/llms.txt: ${link}: ${status} ${type}`);
    }
    return links.length > PAGES.length ? problems : [...problems, '/llms.txt does not have all pages'];
  } finally {
    close();
  }
}

/** Returns everything that is wrong with the site in `site/dist`. */
export async function checkSite(): Promise<string[]> {
  const pages = await checkPages(DIST, (line) => console.log(line));
  return [...pages, ...(await checkSearch()), ...(await checkLlmsText())];
}
