import type { ConfigSource, WrittenLaunch } from '../config/server-config.ts';
import { isLoopback } from '../interaction/questions.ts';

/** Patterns in commands that deserve a warning (security best practices, "Local MCP Server Compromise"). */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\s|\/)(?:sudo|doas|su|pkexec)(?:\s|$)/, 'It asks for administrator rights.'],
  [/\brm\s+(?:-\w*\s+)*-\w*[rf]/, 'It deletes files.'],
  [/(?:^|[\s/])(?:curl|wget)\b[^|]*\|\s*(?:ba|z|da)?sh\b/, 'It runs code that it downloads.'],
  [
    /(?:^|[\s/])(?:ba|z|da|k)?sh(?:\.exe)?\s+(?:-\w+\s+)*-\w*c\b|\b(?:cmd|powershell|pwsh)(?:\.exe)?\s/i,
    'Its arguments are run by a shell.',
  ],
  [/(?:^|\s)-{1,2}(?:e|eval|print)(?:\s|=)/, 'Its arguments contain program code.'],
  [/\/\.ssh|\/\.aws|\/\.gnupg|\/etc\/(?:shadow|passwd)/, 'It refers to a place where credentials are stored.'],
  [/\bbase64\b|\\x[0-9a-f]{2}/i, 'Part of it is encoded.'],
];

/** Environment variables that make programs load or run other code. */
const LOADERS =
  /^(?:NODE_OPTIONS|NODE_PATH|LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_\w+|PYTHONPATH|PYTHONSTARTUP|PYTHONHOME|PERL5OPT|PERL5LIB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|BASH_ENV|ENV|PATH|GIT_\w+|npm_config_\w+)$/i;

/** Warnings for the person who decides about the start. */
export function startWarnings(
  launch: WrittenLaunch,
  source: ConfigSource | undefined,
  variables: readonly string[] = [],
): string[] {
  const from = source?.trust === 'project' ? ['It comes from the configuration of the project, not from yours.'] : [];
  if (launch.kind !== 'stdio') {
    const url = URL.canParse(launch.url) ? new URL(launch.url) : undefined;
    const local = url !== undefined && isLoopback(url.hostname);
    return [
      ...from,
      ...(url?.protocol === 'http:' && !local ? ['The connection is not encrypted.'] : []),
      ...(url?.hostname.includes('xn--') === true ? ['The host name contains letters of another script.'] : []),
    ];
  }
  const line = [launch.command, ...launch.args].join(' ');
  return [
    ...from,
    'It runs on this machine with your permissions.',
    ...PATTERNS.flatMap(([pattern, says]) => (pattern.test(line) ? [says] : [])),
    ...variables.flatMap((name) =>
      LOADERS.test(name) ? [`The variable ${name} controls which code programs load.`] : [],
    ),
  ];
}
