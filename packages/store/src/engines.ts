import type { Engine } from './engine.ts';

/** The engines by the schemes of their addresses. */
export const ENGINES: Readonly<Record<string, () => Promise<{ readonly engine: Engine }>>> = {
  'sqlite:': () => import('./sqlite/engine.ts'),
  'postgres:': () => import('./postgres/engine.ts'),
  'postgresql:': () => import('./postgres/engine.ts'),
  'redis:': () => import('./redis/engine.ts'),
  'rediss:': () => import('./redis/engine.ts'),
  'nats:': () => import('./nats/engine.ts'),
};

/** The scheme of an address, such as `sqlite:`. */
export function schemeOf(address: string): string {
  return address.slice(0, address.indexOf(':') + 1);
}

/** An address without what follows its scheme, which may contain a password. */
export function withoutSecrets(address: string): string {
  const scheme = schemeOf(address);
  return scheme === '' ? address : `${scheme}…`;
}
