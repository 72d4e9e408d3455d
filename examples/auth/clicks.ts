// A user for tests, who presses the buttons they are told to press, one page after the other.
import type { Browser } from 'tenon/auth';

/** A browser without a window: keeps cookies, follows links, submits forms. */
const visitor = () => {
  const cookies = new Map<string, { readonly path: string; readonly value: string }>();
  const go = async (url: URL, form?: URLSearchParams): Promise<{ url: URL; html: string }> => {
    const fitting = [...cookies].filter(([, { path }]) => url.pathname.startsWith(path));
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: fitting.map(([name, { value }]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name!, { value: value!, path: /; *path=([^;]*)/i.exec(line)?.[1] ?? '/' });
    }
    const location = response.headers.get('location');
    const next = location === null ? undefined : new URL(location, url);
    // Where the program waits is not this server.
    if (next !== undefined) return next.origin === url.origin ? go(next) : { url: next, html: '' };
    return { url, html: await response.text() };
  };
  return go;
};

/** Presses these buttons, and gives the address that the user ends at. `pages` gets what was seen. */
export const clicking = (
  buttons: readonly string[],
  pages: string[] = [],
): ((start: URL | string) => Promise<string>) => {
  const go = visitor();
  return async (start) => {
    let { url, html } = await go(new URL(start));
    for (const button of buttons) {
      // Whoever is logged in already is not asked again.
      if (html === '') break;
      const found = new RegExp(`<button name="(\\w+)" value="${button}">`).exec(html);
      if (found === null) continue;
      pages.push(html);
      const [, action = ''] = /action="([^"]+)"/.exec(html) ?? [];
      ({ url, html } = await go(new URL(action, url), new URLSearchParams({ [found[1]!]: button })));
    }
    if (html !== '') throw new Error(`The login ended at ${url.href}:\n${html}`);
    return url.href;
  };
};

/** The same as the browser of a client. */
export const clickingBrowser = (buttons: readonly string[], pages?: string[]): Browser => {
  const click = clicking(buttons, pages);
  return {
    open: () => ({ redirectUri: 'http://127.0.0.1:7777/callback', authorize: click, close() {} }),
  };
};
