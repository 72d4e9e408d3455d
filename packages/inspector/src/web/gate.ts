import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Refusal } from './refusal.ts';

/** Lets in who has the code that was shown in the terminal, and knows them again by a cookie. */
export interface Gate {
  /** A new code. The one before no longer works. */
  newCode(): string;
  /** Takes a code. Gives the `Set-Cookie` for it; throws a refusal if it is not the one. */
  enter(code: string): string;
  /** The session of a `Cookie` header; undefined: nobody. */
  sessionOf(cookies: string | undefined): string | undefined;
}

export interface GateOptions {
  readonly port: number;
  /** In milliseconds. For tests. */
  readonly now?: () => number;
}

const SECRET_BYTES = 32;
/** More pages than a person opens. The oldest goes when there is one more. */
const MOST_SESSIONS = 32;
/** So many wrong codes are taken at once, and one more each time this passes, in milliseconds. */
const MOST_TRIES = 10;
const TRY_AGAIN_MS = 6_000;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The values that a `Cookie` header has for a name. Whoever serves another port of this machine can add cookies, so there may be several. */
const cookieValues = (header: string, name: string): string[] =>
  header
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .map((cookie) => cookie.slice(name.length + 1))
    .slice(0, 4);

export const createGate = ({ port, now = () => performance.now() }: GateOptions): Gate => {
  // Cookies do not tell ports apart: two inspectors must not take each other's.
  const name = `tenon-inspector-${port}`;
  /** The digests of what the cookies say. Secrets themselves are not kept. */
  const sessions = new Set<string>();
  let code: Buffer | undefined;
  let tries = MOST_TRIES;
  let counted = now();

  const refill = (): void => {
    const more = Math.floor((now() - counted) / TRY_AGAIN_MS);
    counted += more * TRY_AGAIN_MS;
    tries = Math.min(MOST_TRIES, tries + more);
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
          headers: { 'retry-after': String(TRY_AGAIN_MS / 1_000) },
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
        if (sessions.size <= MOST_SESSIONS) break;
        sessions.delete(oldest);
      }
      return `${name}=${secret}; Path=/; HttpOnly; SameSite=Strict`;
    },
    sessionOf(cookies) {
      if (cookies === undefined) return undefined;
      // Found by its digest, whose time says nothing about the secret.
      return cookieValues(cookies, name)
        .map((value) => digest(value).toString('base64url'))
        .find((session) => sessions.has(session));
    },
  };
};
