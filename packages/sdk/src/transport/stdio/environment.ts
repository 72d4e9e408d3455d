import process from 'node:process';

/**
 * The environment variables that a server inherits: enough to find programs and the home folder, without any credentials in the client's
 * environment. The official SDKs pass on the same names.
 */
const INHERITED: { readonly posix: readonly string[]; readonly windows: readonly string[] } = {
  posix: ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'],
  windows: [
    'APPDATA',
    'HOMEDRIVE',
    'HOMEPATH',
    'LOCALAPPDATA',
    'PATH',
    'PROCESSOR_ARCHITECTURE',
    'PROGRAMFILES',
    'SYSTEMDRIVE',
    'SYSTEMROOT',
    'TEMP',
    'USERNAME',
    'USERPROFILE',
  ],
};

/** The environment of a child process: the allow-list, the names in `inherit`, and the variables in `own`. */
export function childEnvironment(
  own: Readonly<Record<string, string>> = {},
  inherit: readonly string[] = [],
  source: Readonly<Record<string, string | undefined>> = process.env,
  windows = process.platform === 'win32',
): Record<string, string> {
  // Names are case-insensitive on Windows: `Path` of the caller replaces `PATH`.
  const key = (name: string): string => (windows ? name.toUpperCase() : name);
  const result = new Map<string, [name: string, value: string]>();
  for (const name of [...(windows ? INHERITED.windows : INHERITED.posix), ...inherit]) {
    const value = Object.hasOwn(source, name) ? source[name] : undefined;
    // A value that starts with `()` is a function exported by bash (CVE-2014-6271).
    if (value !== undefined && !value.startsWith('()')) result.set(key(name), [name, value]);
  }
  for (const [name, value] of Object.entries(own)) result.set(key(name), [name, value]);
  return Object.fromEntries(result.values());
}
