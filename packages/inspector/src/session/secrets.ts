import type { Target } from './contract.ts';

const SECRET_NAME = /key|token|secret|passw|credential|auth/i;

/** The values that a target gives its server and that nobody else should see. */
export const secretsOf = ({ launch }: Target): string[] => {
  if ('url' in launch) {
    const { searchParams } = new URL(launch.url);
    return [...Object.values(launch.headers ?? {}), ...searchParams.values()];
  }
  const named = Object.entries(launch.env ?? {}).filter(([name]) => SECRET_NAME.test(name));
  const inherited = (launch.inheritEnv ?? []).filter((name) => SECRET_NAME.test(name));
  return [...named.map(([, value]) => value), ...inherited.map((name) => process.env[name] ?? '')];
};
