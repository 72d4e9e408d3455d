import process from 'node:process';

export type Setting = readonly [name: string, value: string];

/** Overrides of all settings by which a repository could make git run programs or use the network. */
export const SETTINGS: readonly (readonly [name: string, value: string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.editor', 'true'],
  ['core.askPass', 'true'],
  ['core.sshCommand', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['credential.helper', ''],
  ['diff.external', ''],
  ['interactive.diffFilter', ''],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['log.showSignature', 'false'],
  ['gpg.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['gpg.x509.program', 'false'],
  ['protocol.allow', 'never'],
  ['safe.bareRepository', 'explicit'],
  ['submodule.recurse', 'false'],
  ['diff.submodule', 'short'],
  ['diff.ignoreSubmodules', 'dirty'],
  ['rerere.enabled', 'false'],
  ['core.excludesFile', '/dev/null'],
  ['log.mailmap', 'false'],
  ['mailmap.file', '/dev/null'],
  ['commit.template', ''],
  ['status.submoduleSummary', 'false'],
  ['maintenance.auto', 'false'],
  ['gc.auto', '0'],
];

/** The environment for git: a few inherited variables, and those that restrict it. */
export function environment(ceiling: string): NodeJS.ProcessEnv {
  const { PATH, Path, SystemRoot, TMPDIR, TEMP } = process.env;
  return {
    PATH,
    Path,
    SystemRoot,
    TMPDIR,
    TEMP,
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: process.platform === 'win32' ? 'NUL' : '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'true',
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1',
    // Do not find a repository above the allowed folders.
    GIT_CEILING_DIRECTORIES: ceiling,
  };
}

/** Passes settings by environment variables: they override the repository's, and their names may contain any character. */
export function settingsEnvironment(settings: readonly Setting[]): Record<string, string> {
  return {
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([name, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, name],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}
