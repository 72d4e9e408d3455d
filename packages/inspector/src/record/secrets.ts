import process from 'node:process';

/** How a server is reached: at an address, or as a process. */
interface Launch {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly inheritEnv?: readonly string[];
}

const SECRET_NAME = /key|token|secret|passw|credential|auth/i;

/** The values that a server is given and that nobody else should see. */
export const secretsOf = ({ url, headers = {}, env = {}, inheritEnv = [] }: Launch): string[] => {
  if (url !== undefined) return [...Object.values(headers), ...new URL(url).searchParams.values()];
  const named = Object.entries(env).filter(([name]) => SECRET_NAME.test(name));
  const inherited = inheritEnv.filter((name) => SECRET_NAME.test(name));
  return [...named.map(([, value]) => value), ...inherited.map((name) => process.env[name] ?? '')];
};
