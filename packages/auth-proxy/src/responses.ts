import type { PageAnswer } from 'tenon/auth';

const NO_STORE = { 'cache-control': 'no-store' };

/** A JSON response for programs, including web pages of any origin: no cookies are involved. */
export function json(status: number, body: object): PageAnswer {
  return {
    status,
    headers: { ...NO_STORE, 'content-type': 'application/json', 'access-control-allow-origin': '*' },
    body: JSON.stringify(body),
  };
}

/** The error codes of OAuth that clients get (RFC 6749, sections 4.1.2.1 and 5.2; RFC 7591, section 3.2.2; RFC 8707, section 2). */
type OAuthErrorCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_target'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'unsupported_grant_type'
  | 'unsupported_response_type';

/** An OAuth error, which becomes the response to a client. Its cause is only logged. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;

  constructor(code: OAuthErrorCode, message: string, status = 400, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OAuthError';
    this.code = code;
    this.status = status;
  }
}

/** An error that only the user is shown. */
export class PageError extends Error {}

export function errorResponse({ code, message, status, cause }: OAuthError): PageAnswer {
  const answer = json(status, { error: code, error_description: message });
  if (status !== 429 && status !== 503) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': status === 429 ? '60' : '5' }, cause };
}

/** Redirects the browser. */
export function redirect(
  to: string,
  params: Readonly<Record<string, string | undefined>>,
  cookie?: string,
): PageAnswer {
  const url = new URL(to);
  for (const [name, value] of Object.entries(params)) if (value !== undefined) url.searchParams.set(name, value);
  return {
    status: 303,
    headers: withCookie(cookie, { ...NO_STORE, location: url.href, 'referrer-policy': 'no-referrer' }),
  };
}

function withCookie(cookie: string | undefined, headers: Readonly<Record<string, string>>): Record<string, string> {
  return cookie === undefined ? { ...headers } : { ...headers, 'set-cookie': cookie };
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

/** An HTML page that cannot be framed, loads nothing, and sends no referrer to other origins. */
function htmlPage(status: number, title: string, body: string, cookie?: string): PageAnswer {
  return {
    status,
    headers: withCookie(cookie, {
      ...NO_STORE,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      // The form needs the origin; other origins get no referrer.
      'referrer-policy': 'same-origin',
    }),
    body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 4rem auto; padding: 0 1rem }
  button { font: inherit; padding: 0.4rem 1.2rem; margin-right: 0.6rem }
  code { overflow-wrap: anywhere }
</style>
<h1>${escapeHtml(title)}</h1>
${body}
</html>
`,
  };
}

/** An error page for people, for cases in which the browser cannot be redirected to the program. */
export function problemPage(message: string, status = 400): PageAnswer {
  return htmlPage(status, 'Something went wrong', `<p>${escapeHtml(message)}</p>`);
}

/** The data that the consent page shows. */
export interface Consent {
  readonly server: string;
  readonly provider: string;
  readonly client: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** The scopes that the program gets. */
  readonly scopes: readonly string[];
  /** The scopes that this server requests from the provider. */
  readonly providerScopes: readonly string[];
  /** The secret id of this login request. */
  readonly requestId: string;
}

function listScopes(names: readonly string[]): string {
  return names.length === 0
    ? 'nothing in particular'
    : names.map((name) => `<code>${escapeHtml(name)}</code>`).join(', ');
}

/**
 * Asks the user whether a program may act for them. Any program can register under any name, so the page shows the destination of the
 * response.
 */
export function consentPage(consent: Consent, cookie: string | undefined): PageAnswer {
  return htmlPage(
    200,
    `May ${consent.client} use ${consent.server} for you?`,
    `<p>A program that calls itself <strong>${escapeHtml(consent.client)}</strong> wants to use
<strong>${escapeHtml(consent.server)}</strong> on your behalf.</p>
<dl>
<dt>Returns to<dd><code>${escapeHtml(consent.redirectUri)}</code>
<dt>Client id<dd><code>${escapeHtml(consent.clientId)}</code>
<dt>Permissions<dd>${listScopes(consent.scopes)}
<dt>You log in at<dd><code>${escapeHtml(consent.provider)}</code>, where this server requests ${listScopes(consent.providerScopes)}
</dl>
<p>Choose No if you did not just start this login.</p>
<form method="post" action="/consent"><input type="hidden" name="wish" value="${escapeHtml(consent.requestId)}">
<button name="answer" value="yes">Yes</button><button name="answer" value="no">No</button></form>`,
    cookie,
  );
}
