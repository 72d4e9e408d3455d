// A scripted user for tests, who presses given buttons, one page after the other.
import type { Browser } from 'tenon/auth';

/** A page and its URL. */
export interface SeenPage {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
}

interface Cookie {
  readonly origin: string;
  readonly path: string;
  readonly value: string;
}

/** A minimal browser: stores cookies, follows redirects, submits forms. It stops at `end`, the client's redirect URI. */
export function visitor(end: string): (url: URL, form?: URLSearchParams) => Promise<SeenPage> {
  const cookies = new Map<string, Cookie>();
  const go = async (url: URL, form?: URLSearchParams): Promise<SeenPage> => {
    if (url.origin === end) return { url, status: 200, headers: new Headers(), html: '' };
    const fitting = [...cookies].filter(
      ([, { origin, path }]) => origin === url.origin && url.pathname.startsWith(path),
    );
    const cookie = fitting.map(([name, { value }]) => `${name}=${value}`).join('; ');
    const response = await (form === undefined
      ? fetch(url, { redirect: 'manual', headers: { cookie } })
      : fetch(url, { redirect: 'manual', headers: { cookie, origin: url.origin }, method: 'POST', body: form }));
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      const path = /; *path=([^;]*)/i.exec(line)?.[1] ?? '/';
      cookies.set(name!, { origin: url.origin, path, value: value! });
    }
    const location = response.headers.get('location');
    if (location !== null) return go(new URL(location, url));
    return { url, status: response.status, headers: response.headers, html: await response.text() };
  };
  return go;
}

/** Presses a button of a page. */
export function press(
  go: ReturnType<typeof visitor>,
  { url, html }: SeenPage,
  button: string,
): Promise<SeenPage> | undefined {
  const [, name] = new RegExp(`<button name="(\\w+)" value="${button}">`).exec(html) ?? [];
  if (name === undefined) return undefined;
  const [, action = ''] = /action="([^"]+)"/.exec(html) ?? [];
  const hidden = [...html.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
    ([, key, value]): [string, string] => [key!, value!],
  );
  return go(new URL(action, url), new URLSearchParams([...hidden, [name, button]]));
}

/** Presses these buttons on the pages that have them, and returns the final URL. The visited pages are added to `pages`. */
export function clicking(buttons: readonly string[], pages: string[] = []): (start: URL | string) => Promise<string> {
  let go: ReturnType<typeof visitor> | undefined;
  return async (start) => {
    go ??= visitor(new URL(new URL(start).searchParams.get('redirect_uri')!).origin);
    let seen = await go(new URL(start));
    for (const button of buttons) {
      const next = press(go, seen, button);
      // Skip buttons that do not appear, because a user who is already logged in is not asked again.
      if (next === undefined) continue;
      pages.push(seen.html);
      seen = await next;
    }
    if (seen.html !== '') throw new Error(`The login ended at ${seen.url.href}:\n${seen.html}`);
    return seen.url.href;
  };
}

/** The same as a `Browser` for a client. */
export function clickingBrowser(buttons: readonly string[], pages?: string[]): Browser {
  const click = clicking(buttons, pages);
  return {
    open: () => ({ redirectUri: 'http://127.0.0.1:7777/callback', authorize: click, close() {} }),
  };
}
