import type { ConfigSource, WrittenLaunch } from '../config/server-config.ts';
import { isLoopback } from '../interaction/questions.ts';

/** What in a command should make a person look twice (security best practices, "Local MCP Server Compromise"). */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\s|\/)(?:sudo|doas|su|pkexec)(?:\s|$)/, 'It asks for the rights of an administrator.'],
  [/\brm\s+(?:-\w*\s+)*-\w*[rf]/, 'It removes files.'],
  [/(?:^|[\s/])(?:curl|wget)\b[^|]*\|\s*(?:ba|z|da)?sh\b/, 'It runs what it loads from the network.'],
  [
    /(?:^|[\s/])(?:ba|z|da|k)?sh(?:\.exe)?\s+(?:-\w+\s+)*-\w*c\b|\b(?:cmd|powershell|pwsh)(?:\.exe)?\s/i,
    'A shell reads its arguments.',
  ],
  [/(?:^|\s)-{1,2}(?:e|eval|print)(?:\s|=)/, 'The program is in the arguments themselves.'],
  [/\/\.ssh|\/\.aws|\/\.gnupg|\/etc\/(?:shadow|passwd)/, 'It names a place where credentials are kept.'],
  [/\bbase64\b|\\x[0-9a-f]{2}/i, 'Part of it is encoded.'],
];

/** Variables that make programs load or run something else. */
const LOADERS =
  /^(?:NODE_OPTIONS|NODE_PATH|LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_\w+|PYTHONPATH|PYTHONSTARTUP|PYTHONHOME|PERL5OPT|PERL5LIB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|BASH_ENV|ENV|PATH|GIT_\w+|npm_config_\w+)$/i;

/** Warnings for the person who is asked whether this may start. */
export const startWarnings = (
  launch: WrittenLaunch,
  source: ConfigSource | undefined,
  variables: readonly string[] = [],
): string[] => {
  const from = source?.trust === 'project' ? ['The project names it, not you.'] : [];
  if (launch.kind !== 'stdio') {
    const url = URL.canParse(launch.url) ? new URL(launch.url) : undefined;
    const local = url !== undefined && isLoopback(url.hostname);
    return [
      ...from,
      ...(url?.protocol === 'http:' && !local ? ['The connection is not encrypted.'] : []),
      ...(url?.hostname.includes('xn--') === true ? ['The name of the host has letters of another script.'] : []),
    ];
  }
  const line = [launch.command, ...launch.args].join(' ');
  return [
    ...from,
    'It runs on this machine with your rights.',
    ...PATTERNS.flatMap(([pattern, says]) => (pattern.test(line) ? [says] : [])),
    ...variables.flatMap((name) => (LOADERS.test(name) ? [`The variable ${name} decides what programs load.`] : [])),
  ];
};
