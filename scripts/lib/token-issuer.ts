// An authorization server that has issued tokens: its metadata, its keys, and a function that signs with Node's own cryptography.

import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

/** The claims of a token. */
export type Claims = Readonly<Record<string, unknown>>;

/** The addresses of an authorization server below its origin, as the provider publishes them. */
export interface IssuerShape {
  /** What comes after the origin in `iss`. Default: nothing. */
  readonly path?: string;
  /** The path of the keys. */
  readonly keys?: string;
  /** The header of its tokens, besides `kid` and `alg`. */
  readonly header?: Readonly<Record<string, string>>;
}

/** A running authorization server. */
export interface Issuer {
  readonly origin: string;
  /** The `iss` of its tokens. */
  readonly issuer: string;
  /** Signs a token with these claims. `iss`, `iat` and `exp` are added unless they are given. */
  sign(claims: Claims): string;
}

/** A key pair with which an authorization server signs. */
export function signingKey() {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'key-1', alg: 'RS256', use: 'sig' }] },
    /** Signs claims, which are valid for five minutes unless they say something else. */
    sign(claims: Claims, header: Readonly<Record<string, string>> = {}): string {
      const now = Math.floor(Date.now() / 1_000);
      const parts = [
        { alg: 'RS256', kid: 'key-1', ...header },
        { iat: now, exp: now + 300, ...claims },
      ];
      const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
      return `${text}.${sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')}`;
    },
  };
}

/** Listens on a free port until the test file ends. Resolves with the origin. */
export async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts an authorization server that ends with the test file. */
export async function startIssuer({ path = '', keys = '/keys', header }: IssuerShape = {}): Promise<Issuer> {
  const key = signingKey();
  const metadata = `${path.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const origin: string = await listen(({ url = '/' }, response) => {
    const found = url === metadata ? { issuer, jwks_uri: `${origin}${keys}` } : url === keys ? key.jwks : undefined;
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? {}));
  });
  const issuer = `${origin}${path}`;
  return { origin, issuer, sign: (claims) => key.sign({ iss: issuer, ...claims }, header) };
}
