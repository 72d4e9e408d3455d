import process from 'node:process';

export type Setting = readonly [name: string, value: string];

/** What a repository could have git run, or reach; whatever it says, this is what counts. */
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

/** What git gets to see of the environment, and what it is told besides. */
export const environment = (ceiling: string): NodeJS.ProcessEnv => {
  const { PATH, Path, SystemRoot, TMPDIR, TEMP } = process.env;
  return {
    ...(PATH === undefined ? {} : { PATH }),
    ...(Path === undefined ? {} : { Path }),
    ...(SystemRoot === undefined ? {} : { SystemRoot }),
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    ...(TEMP === undefined ? {} : { TEMP }),
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
    // No repository above what is allowed is found by accident.
    GIT_CEILING_DIRECTORIES: ceiling,
  };
};

/** Settings that count more than those of any repository, whatever is in their names. */
export const settingsAs = (settings: readonly Setting[]): Record<string, string> => ({
  GIT_CONFIG_COUNT: String(settings.length),
  ...Object.fromEntries(
    settings.flatMap(([name, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
});
