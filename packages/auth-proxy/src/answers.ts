import type { PageAnswer } from 'tenon/auth';

const NO_STORE = { 'cache-control': 'no-store' };

/** JSON for programs; those in pages of any origin, too: there are no cookies in it. */
export const json = (status: number, body: object): PageAnswer => ({
  status,
  headers: { ...NO_STORE, 'content-type': 'application/json', 'access-control-allow-origin': '*' },
  body: JSON.stringify(body),
});

/** An error of OAuth (RFC 6749, section 5.2). */
export class OAuthError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.name = 'OAuthError';
    this.code = code;
    this.status = status;
  }
}

export const refusal = ({ code, message, status }: OAuthError): PageAnswer =>
  json(status, { error: code, error_description: message });

/** Sends the browser on. */
export const redirect = (
  to: string,
  params: Readonly<Record<string, string | undefined>>,
  cookie?: string,
): PageAnswer => {
  const url = new URL(to);
  for (const [name, value] of Object.entries(params)) if (value !== undefined) url.searchParams.set(name, value);
  return {
    status: 303,
    headers: {
      ...NO_STORE,
      location: url.href,
      'referrer-policy': 'no-referrer',
      ...(cookie && { 'set-cookie': cookie }),
    },
  };
};

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

/** A page that nobody can frame, that loads nothing, and that tells nobody where it was. */
const page = (status: number, title: string, body: string, cookie?: string): PageAnswer => ({
  status,
  headers: {
    ...NO_STORE,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    // Its form tells where it comes from; nobody else is told.
    'referrer-policy': 'same-origin',
    ...(cookie && { 'set-cookie': cookie }),
  },
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 4rem auto; padding: 0 1rem }
  button { font: inherit; padding: 0.4rem 1.2rem; margin-right: 0.6rem }
  code { overflow-wrap: anywhere }
</style>
<h1>${escaped(title)}</h1>
${body}
</html>
`,
});

/** What went wrong, for people: there is nobody the browser could be sent to. */
export const problemPage = (message: string, status = 400): PageAnswer =>
  page(status, 'That did not work', `<p>${escaped(message)}</p>`);

export interface Consent {
  readonly server: string;
  readonly provider: string;
  readonly client: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** What the program will be able to do here. */
  readonly scopes: readonly string[];
  /** What this server asks for at the provider. */
  readonly providerScopes: readonly string[];
  /** Names this question, and nothing else knows it. */
  readonly wish: string;
}

const list = (names: readonly string[]): string =>
  names.length === 0 ? 'nothing in particular' : names.map((name) => `<code>${escaped(name)}</code>`).join(', ');

/** Asks whether a program may act for whoever sees it. Anybody can register under any name, so it shows where the answer goes. */
export const consentPage = (consent: Consent, cookie: string | undefined): PageAnswer =>
  page(
    200,
    `May ${consent.client} use ${consent.server} for you?`,
    `<p>A program that calls itself <strong>${escaped(consent.client)}</strong> wants to use
<strong>${escaped(consent.server)}</strong> in your name.</p>
<dl>
<dt>The answer goes to<dd><code>${escaped(consent.redirectUri)}</code>
<dt>Its id<dd><code>${escaped(consent.clientId)}</code>
<dt>It may<dd>${list(consent.scopes)}
<dt>You log in at<dd><code>${escaped(consent.provider)}</code>, where this server asks for ${list(consent.providerScopes)}
</dl>
<p>Say no if you did not just start that.</p>
<form method="post" action="/consent"><input type="hidden" name="wish" value="${escaped(consent.wish)}">
<button name="answer" value="yes">Yes</button><button name="answer" value="no">No</button></form>`,
    cookie,
  );
