import type { Format } from '@tenon/host/formats';

/** Servers as they are written in a file of the host. */
export async function printServers(
  { syntax, member }: Pick<Format, 'syntax' | 'member'>,
  servers: Readonly<Record<string, unknown>>,
): Promise<string> {
  const whole = { [member]: servers };
  if (syntax === 'yaml') return (await import('yaml')).stringify(whole).trimEnd();
  if (syntax === 'toml') return (await import('smol-toml')).stringify(whole).trimEnd();
  return JSON.stringify(whole, undefined, 2);
}
