// Which folders may import which, as rules of dependency-cruiser, and the check of the sources against them.

import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import { SHARED_BY_SDK } from './values.ts';

const src = '^packages/sdk/src/';
/** The shared package, and the modules of the SDK in it. */
const values = '^packages/values/src/';
const shared = `${src}(?:${SHARED_BY_SDK.map((path) => path.replaceAll('.', '\\.')).join('|')})$`;
const tests = '\\.test\\.ts$|/fixtures/';

/** The folders that each folder may import besides itself. Other folders are not allowed. */
const folders = new Map<string, string[]>([
  ['protocol', []],
  ['wire', ['protocol']],
  ['schema', ['protocol']],
  ['store', ['protocol']],
  ['auth', ['protocol', 'store', 'wire']],
  ['middleware', ['protocol', 'store']],
  ['telemetry', ['protocol']],
  ['server', ['protocol', 'schema', 'wire', 'store', 'middleware']],
  ['client', ['protocol', 'schema', 'wire', 'store', 'middleware']],
  ['transport', ['protocol', 'wire', 'schema', 'store', 'middleware', 'server', 'client']],
  ['open', ['protocol', 'wire', 'schema', 'store', 'server', 'client', 'transport']],
  ['testing', ['protocol', 'wire', 'schema', 'store', 'server', 'client', 'transport', 'open']],
  [
    'entries',
    [
      ...['protocol', 'wire', 'schema', 'store', 'auth', 'middleware', 'telemetry'],
      ...['server', 'client', 'transport', 'open', 'testing'],
    ],
  ],
]);

const folderRules: IForbiddenRuleType[] = [...folders].map(([folder, allowed]) => ({
  name: `${folder}-imports-only-${allowed.join('-') || 'nothing'}`,
  severity: 'error',
  from: { path: `${src}${folder}/`, pathNot: tests },
  // Node built-ins and packages have separate rules, except that the vocabulary may not use any.
  to:
    folder === 'protocol'
      ? { pathNot: `${src}protocol/` }
      : { path: src, pathNot: `${src}(?:${[folder, ...allowed].join('|')})/` },
}));

const transport = `${src}transport/`;

/** The folders that each transport folder may import. The code that serves requests imports none of them. */
const transports = new Map<string, string[]>([
  ['serving', []],
  ['connection', ['serving']],
  // HTTP+SSE (2024-11-05) is a channel over HTTP.
  ['http', ['serving', 'connection', 'trace']],
  ['http-client', []],
  ['stdio', []],
]);

const transportRules: IForbiddenRuleType[] = [...transports].map(([folder, allowed]) => ({
  name: `${folder}-imports-of-transports-only-${allowed.join('-') || 'nothing'}`,
  severity: 'error',
  from: { path: `${transport}${folder}/`, pathNot: tests },
  to: { path: `${transport}[^/]+/`, pathNot: `${transport}(?:${[folder, ...allowed].join('|')})/` },
}));

/** The HTTP server has a folder for legacy sessions and one for modern requests. Code for both is outside these folders. */
const httpEraRules: IForbiddenRuleType[] = [
  ['legacy', 'modern'],
  ['modern', 'legacy'],
].map(([era, other]) => ({
  name: `${era}-requests-over-http-import-nothing-of-${other}-ones`,
  severity: 'error',
  from: { path: `${transport}http/${era}/`, pathNot: tests },
  to: { path: `${transport}http/${other}/` },
}));

/** The rules of a package whose folders may import, besides themselves, the `shared` ones and the folders and files listed for them. */
function packageRules(
  name: string,
  folders: ReadonlyMap<string, readonly string[]>,
  shared: readonly string[] = [],
): IForbiddenRuleType[] {
  const src = `^packages/${name}/src/`;
  return [...folders].map(([folder, allowed]) => {
    const places = [folder, ...shared, ...allowed].map((place) =>
      place.endsWith('.ts') ? `${place.replaceAll('.', '\\.')}$` : `${place}/`,
    );
    return {
      name: `${folder}-of-the-${name}-imports-only-what-it-may`,
      severity: 'error',
      from: { path: `${src}${folder}/`, pathNot: tests },
      to: { path: src, pathNot: `${src}(?:${places.join('|')})` },
    };
  });
}

/** The files of the host outside of its folders that folders may import. */
const HOST_FILES = ['events.ts', 'options.ts', 'recorder.ts'];

/** The folders and files that each folder of the host may import, besides itself and `values`. */
const hostFolders = new Map<string, string[]>([
  ['values', []],
  ['state', []],
  ['audit', []],
  ['config', []],
  ['pending', ['state']],
  ['policy', ['pending', 'state']],
  ['registry', ['config', 'policy', 'state']],
  ['conversation', ['registry']],
  ['interaction', ['conversation', 'pending']],
  ['servers', ['config', 'interaction', 'pending', 'policy', 'state', ...HOST_FILES]],
  ['calls', ['audit', 'config', 'pending', 'policy', 'registry', 'servers', 'state', ...HOST_FILES]],
  ['connections', ['calls', 'config', 'pending', 'policy', 'registry', 'servers', 'state', ...HOST_FILES]],
]);

const hostRules = packageRules('host', hostFolders, ['values']);

/** The folders that each folder of the inspector may import, besides itself and `values`. */
const inspectorFolders = new Map<string, string[]>([
  ['values', []],
  ['trace', []],
  ['rules', ['trace']],
  ['lint', ['rules', 'compare']],
  ['sample', []],
  ['compare', []],
  ['record', ['trace']],
  ['replay', ['trace', 'record']],
  ['session', ['trace', 'rules', 'record', 'api']],
  ['saved', ['trace', 'rules', 'record', 'session', 'api']],
  ['check', ['trace', 'rules', 'replay', 'session', 'lint', 'compare', 'api']],
  ['api', ['trace', 'rules']],
  ['web', ['trace', 'rules', 'session', 'api']],
]);

const inspectorRules = packageRules('inspector', inspectorFolders, ['values']);

/** The folders that each folder of the cli may import, besides itself. */
const cliFolders = new Map<string, string[]>([
  ['failure', []],
  ['config', []],
  ['terminal', ['failure']],
  ['command-line', ['failure', 'terminal']],
  ['completion', ['failure', 'command-line']],
  ['contract', ['command-line']],
  ['session', ['failure', 'terminal', 'command-line']],
  ['inspector', ['failure', 'terminal', 'command-line', 'session', 'version.ts']],
  ['chat', ['failure', 'terminal', 'command-line', 'session']],
  ['init', ['failure', 'session', 'version.ts']],
  ['typescript', []],
]);

const cliRules = packageRules('cli', cliFolders);

const otherRules: IForbiddenRuleType[] = [
  {
    name: 'every-file-is-in-a-known-folder',
    severity: 'error',
    from: { path: src, pathNot: `${src}(?:${[...folders.keys()].join('|')})/` },
    to: {},
  },
  {
    name: 'no-cycles',
    severity: 'error',
    from: { path: '^(?:packages|servers)/' },
    to: { circular: true },
  },
  {
    name: 'node-built-ins-only-in-node-and-stdio-folders',
    severity: 'error',
    from: { path: '^packages/(?:sdk|auth-proxy)/src/', pathNot: `/(?:node|stdio)/|${tests}` },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'no-undeclared-package',
    severity: 'error',
    from: { path: '^packages/[^/]+/src/', pathNot: tests },
    // A peer dependency is installed here for tests.
    to: {
      pathNot: values,
      dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'npm-bundled'],
      dependencyTypesNot: ['npm-peer'],
    },
  },
  {
    name: 'everything-resolves',
    severity: 'error',
    from: { path: '^(?:packages|servers)/' },
    // A package of types has no module to resolve.
    to: { couldNotResolve: true, dependencyTypesNot: ['core'], pathNot: '^@octokit/types$' },
  },
  {
    name: 'packages-meet-only-through-entry-points',
    severity: 'error',
    from: { path: '^packages/([^/]+)/', pathNot: values },
    to: { path: '^packages/[^/]+/src/', pathNot: `^packages/$1/|${values}` },
  },
  {
    name: 'servers-share-only-the-folder-for-it',
    severity: 'error',
    from: { path: '^servers/([^/]+)/' },
    to: { path: '^servers/', pathNot: '^servers/(?:$1|shared)/' },
  },
  {
    name: 'servers-use-packages-through-their-entry-points',
    severity: 'error',
    from: { path: '^servers/', pathNot: tests },
    to: { path: '^packages/[^/]+/src/', pathNot: values },
  },
  {
    name: 'values-pass-on-only-shared-modules-of-the-sdk',
    severity: 'error',
    from: { path: values, pathNot: tests },
    to: { path: '^packages/', pathNot: `${values}|${shared}` },
  },
  {
    name: 'the-sdk-shares-modules-that-stand-alone',
    severity: 'error',
    from: { path: shared },
    to: { path: src, pathNot: shared },
  },
  {
    name: 'the-sdk-imports-nothing-that-is-not-published',
    severity: 'error',
    from: { path: src, pathNot: tests },
    to: { path: values },
  },
  {
    name: 'values-use-node-in-a-node-folder',
    severity: 'error',
    from: { path: values, pathNot: `/node/|${tests}` },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'sources-never-import-tests',
    severity: 'error',
    from: { path: '^packages/[^/]+/src/', pathNot: tests },
    to: { path: `${tests}|^packages/[^/]+/test/` },
  },
];

/** The result of the check. */
export interface ImportReport {
  readonly modules: number;
  readonly violations: string[];
}

/** Checks the packages under `baseDir`. Also returns the number of modules, because a check that reads no modules finds no problems. */
export async function checkImports(baseDir: string): Promise<ImportReport> {
  const { output } = await cruise(
    ['packages', 'servers'],
    {
      baseDir,
      ruleSet: {
        forbidden: [
          ...folderRules,
          ...transportRules,
          ...httpEraRules,
          ...hostRules,
          ...inspectorRules,
          ...cliRules,
          ...otherRules,
        ],
      },
      validate: true,
      // Type imports count, too: they make a folder depend on the other one.
      tsPreCompilationDeps: true,
      doNotFollow: { path: ['node_modules', '/dist/'] },
      // The files of a template are put together from several folders.
      exclude: { path: ['/dist/', 'node_modules/\\.cache', '/cli/templates/'] },
      combinedDependencies: true,
    },
    {
      exportsFields: ['exports'],
      conditionNames: ['tenon-source', 'node', 'import', 'types', 'default'],
      extensions: ['.ts', '.mts', '.js', '.mjs', '.json', '.d.ts'],
    },
  );
  const { modules, summary } = output as ICruiseResult;
  const own = modules.filter(({ source }) => /^packages\/[^/]+\/(?:src|test)\//.test(source));
  return {
    modules: own.length,
    violations: summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`).sort(),
  };
}
