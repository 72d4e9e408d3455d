import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Refusal } from './refusal.ts';

/** Exchanges the one-time code from the terminal for a cookie, and recognizes pages by that cookie. */
export interface Gate {
  /** Creates a new code. The previous one stops working. */
  newCode(): string;
  /** Exchanges a code for the value of `Set-Cookie`. Throws a refusal if the code is wrong. */
  enter(code: string): string;
  /** The session of a `Cookie` header. Undefined: none. */
  sessionOf(cookies: string | undefined): string | undefined;
}

export interface GateOptions {
  readonly port: number;
  /** The clock, in milliseconds. For tests. */
  readonly now?: () => number;
}

const SECRET_BYTES = 32;
/** More pages than anyone opens. Beyond this, the oldest session is dropped. */
const MAX_SESSIONS = 32;
/** Wrong codes are limited: this many at once, and one more each `RETRY_MS` milliseconds. */
const MAX_TRIES = 10;
const RETRY_MS = 6_000;

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * The values of a name in a `Cookie` header. There may be several: servers on other ports of this machine can set cookies too.
 */
function cookieValues(header: string, name: string): string[] {
  return header
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .map((cookie) => cookie.slice(name.length + 1))
    .slice(0, 4);
}

export function createGate({ port, now = () => performance.now() }: GateOptions): Gate {
  // Cookies are shared by all ports of a host: two inspectors must not overwrite each other's.
  const name = `tenon-inspector-${port}`;
  /** Digests of the cookie secrets. The secrets themselves are not kept. */
  const sessions = new Set<string>();
  let code: Buffer | undefined;
  let tries = MAX_TRIES;
  let counted = now();

  const refill = (): void => {
    const more = Math.floor((now() - counted) / RETRY_MS);
    counted += more * RETRY_MS;
    tries = Math.min(MAX_TRIES, tries + more);
  };

  return {
    newCode() {
      const secret = randomBytes(SECRET_BYTES).toString('base64url');
      code = digest(secret);
      return secret;
    },
    enter(given) {
      refill();
      if (tries === 0)
        throw new Refusal(429, 'too-many-tries', 'Too many wrong codes. Wait a minute and try again.', {
          headers: { 'retry-after': String(RETRY_MS / 1_000) },
        });
      if (code === undefined || !timingSafeEqual(code, digest(given))) {
        tries--;
        throw new Refusal(401, 'wrong-code', 'This link was used already, or is not the newest one.', {
          fix: 'Press Enter in the terminal of the inspector for a new link.',
        });
      }
      code = undefined;
      const secret = randomBytes(SECRET_BYTES).toString('base64url');
      sessions.add(digest(secret).toString('base64url'));
      for (const oldest of sessions) {
        if (sessions.size <= MAX_SESSIONS) break;
        sessions.delete(oldest);
      }
      return `${name}=${secret}; Path=/; HttpOnly; SameSite=Strict`;
    },
    sessionOf(cookies) {
      if (cookies === undefined) return undefined;
      // Looked up by digest, so the time it takes reveals nothing about the secret.
      return cookieValues(cookies, name)
        .map((value) => digest(value).toString('base64url'))
        .find((session) => sessions.has(session));
    },
  };
}
