// The login page and the consent page.

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem }
  button { font: inherit; padding: 0.4rem 1.2rem; margin-right: 0.6rem }
  code { overflow-wrap: anywhere }
</style>
<h1>${escaped(title)}</h1>
${body}
</html>`;
}

/** The login page. A real one would require a password or a passkey. */
export function loginPage(action: string, accounts: readonly string[]): string {
  return page(
    'Who are you?',
    `<form method="post" action="${escaped(action)}">${accounts
      .map((name) => `<button name="account" value="${escaped(name)}">${escaped(name)}</button>`)
      .join('')}</form>`,
  );
}

export interface ConsentRequest {
  readonly account: string;
  /** The name that the client registered. Anyone can register any name, so the redirect URI is more reliable. */
  readonly client: string;
  readonly redirectUri: string;
  /** The requested scopes by server. */
  readonly scopes: ReadonlyMap<string, readonly string[]>;
}

/** The consent page, which asks whether a client may act for the user. */
export function consentPage(action: string, { account, client, redirectUri, scopes }: ConsentRequest): string {
  const items = [...scopes].map(
    ([resource, names]) =>
      `<li><code>${escaped(resource)}</code>${names.map((name) => `<br><code>${escaped(name)}</code>`).join('')}`,
  );
  return page(
    `May ${client} act for you?`,
    `<p>You are ${escaped(account)}. The program calls itself <strong>${escaped(client)}</strong>, and you will be sent on to
<code>${escaped(new URL(redirectUri).origin)}</code>. It wants to use:</p>
<ul>${items.join('')}</ul>
<form method="post" action="${escaped(action)}"><button name="answer" value="yes">Yes</button><button name="answer" value="no">No</button></form>`,
  );
}

export function problemPage(problem: string): string {
  return page('That did not work', `<p>${escaped(problem)}</p><p>Go back to the program and log in again.</p>`);
}
