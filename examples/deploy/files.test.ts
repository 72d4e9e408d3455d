// The files of the deployment are valid, and fit the program and each other.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Service } from 'kubernetes-types/core/v1.js';
import type { Ingress } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { parseAllDocuments } from 'yaml';
import { root } from '../../scripts/lib/files.ts';
import { until } from '../../scripts/lib/until.ts';
import { ensureInstalled } from '../../scripts/lib/server-program.ts';
import { runTool } from '../../scripts/lib/tools.ts';
import { DEFAULT_LIMITS } from '../../packages/sdk/src/protocol/limits.ts';

function read(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8');
}

/** How long the program needs to stop, in milliseconds, with the given settings. A second is for its last answers. */
function stopMs(settings: ReadonlyMap<string, string | undefined>): number {
  const of = (name: string): number =>
    Number(settings.get(name) ?? new RegExp(`${name} = '(\\d+)'`).exec(read('server.ts'))?.[1]);
  return of('NOTICE_MS') + of('DRAIN_MS') + 1_000;
}

/** The settings that the program reads. */
const known = new Set(
  [...read('server.ts').matchAll(/\b(?:[A-Z]+_)+[A-Z]+\b|\b(?:HOST|PORT|ISSUER)\b/g)].map(([name]) => name),
);

test('the Dockerfile is valid, builds in one stage what another runs, and runs it without root, as process 1', () => {
  const text = read('Dockerfile');
  assert.deepEqual(validate(text), []);
  const file = DockerfileParser.parse(text);
  const froms = file.getFROMs();
  assert.equal(froms.length, 2);
  const lastFrom = froms[1]!.getRange().start.line;
  const inLast = file.getInstructions().filter((each) => each.getRange().start.line >= lastFrom);
  const named = (keyword: string): string[] =>
    inLast.filter((each) => each.getKeyword() === keyword).map((each) => each.getArgumentsContent() ?? '');
  assert.deepEqual(named('RUN'), [], 'nothing is built in the last stage');
  assert.match(named('USER').join(), /^[1-9]\d*$/);
  assert.deepEqual(JSON.parse(named('CMD').join()), ['node', 'dist/server.js']);
  assert.equal(named('STOPSIGNAL').join(), 'SIGTERM');
  const [health = ''] = named('HEALTHCHECK');
  const [command, flag, script] = JSON.parse(/CMD (\[.*\])$/s.exec(health)?.[1] ?? '[]') as string[];
  assert.deepEqual([command, flag], ['node', '-e']);
  const tried = spawnSync(process.execPath, ['-e', script!], { env: { PORT: '1' } });
  assert.equal(tried.status, 1, 'the health check fails if nothing listens');
});

test('the example environment is sufficient for the program, and sets nothing else', () => {
  const names = read('environment')
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0]!);
  const needed = [...read('server.ts').matchAll(/required\('(\w+)'\)/g)].map(([, name]) => name);
  assert.deepEqual(names, needed);
});

test('the commands of docs/deploy.md make the program of a new project a deployment', async (t) => {
  const project = mkdtempSync(join(tmpdir(), 'tenon-deploy-project-'));
  t.after(() => rmSync(project, { recursive: true, force: true }));
  cpSync(join(root, 'packages/cli/templates/common/src'), join(project, 'src'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  const page = readFileSync(join(root, 'docs/deploy.md'), 'utf8');
  const commands = /^deploy=\S+\n([^`]+)/m.exec(page)![1]!;
  const env = { ...process.env, deploy: import.meta.dirname };
  const { status, stderr } = spawnSync('sh', ['-e', '-c', commands], { cwd: project, env, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.match(readFileSync(join(project, 'mcp@.service'), 'utf8'), /^ExecStart=\/usr\/bin\/node dist\/main\.js$/m);
  const child = spawn(process.execPath, ['--env-file=environment', 'src/main.ts'], {
    cwd: project,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  await until(() => said.includes('\n') || child.exitCode !== null);
  assert.match(said, /^Serving https:\/\/mcp\.example\.com\/mcp at http:/);
});

test('the package of the deployment has the versions of this repository', () => {
  const { dependencies, devDependencies, scripts } = JSON.parse(read('package.json')) as Record<
    string,
    Record<string, string>
  >;
  const versionOf = (name: string): string =>
    (JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as { version: string }).version;
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
    assert.equal(version, versionOf(name), name);
  assert.deepEqual(scripts, { build: 'tsc', start: 'node dist/server.js' });
});

test('the build of the deployment writes JavaScript that finds its modules', () => {
  const out = mkdtempSync(join(tmpdir(), 'tenon-deploy-build-'));
  try {
    const args = ['-p', join(import.meta.dirname, 'tsconfig.json'), '--outDir', out, '--noCheck'];
    assert.deepEqual(runTool('typescript7', args, { capture: true, command: 'tsc' }), { status: 0, output: '' });
    assert.match(readFileSync(join(out, 'server.js'), 'utf8'), /from '\.\/app\.js'/);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
});

test('systemd accepts the unit, gives it nothing that it does not need, and waits until it has stopped', () => {
  ensureInstalled({ name: 'systemd-analyze', debianPackage: 'systemd', needed: 'systemd 251' });
  // The program that it starts must exist.
  const text = read('mcp@.service').replace('/usr/bin/node', process.execPath);
  const folder = mkdtempSync(join(tmpdir(), 'tenon-unit-'));
  const unit = join(folder, 'mcp@.service');
  writeFileSync(unit, text);
  try {
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' });
    assert.equal(verified.stderr + verified.stdout, '');
    const rated = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', unit], {
      encoding: 'utf8',
    });
    const [, exposure = '10'] = /exposure level for \S+: ([\d.]+)/.exec(rated.stdout) ?? [];
    assert.ok(Number(exposure) < 2, rated.stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const values = (name: string): string[] =>
    [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value!);
  const settings = new Map(values('Environment').map((each) => each.split('=') as [string, string]));
  for (const name of settings.keys()) assert.ok(known.has(name) || name === 'NODE_ENV', `${name} is not read`);
  assert.ok(Number.parseInt(values('TimeoutStopSec').join(), 10) * 1_000 > stopMs(settings));
});

interface Manifests {
  readonly Deployment: Deployment;
  readonly Service: Service;
  readonly Ingress: Ingress;
  readonly PodDisruptionBudget: PodDisruptionBudget;
}

function manifests(): Manifests {
  // Kubernetes reads YAML 1.1, in which 0440 is an octal number.
  const found = parseAllDocuments(read('kubernetes.yaml'), { version: '1.1' }).map(
    (document) => document.toJS() as { kind: string },
  );
  return Object.fromEntries(found.map((each) => [each.kind, each])) as unknown as Manifests;
}

test('Kubernetes knows every field of the manifests', () => {
  const types = {
    Deployment: 'apps/v1',
    Service: 'core/v1',
    Ingress: 'networking/v1',
    PodDisruptionBudget: 'policy/v1',
  };
  const versions = {
    Deployment: 'apps/v1',
    Service: 'v1',
    Ingress: 'networking.k8s.io/v1',
    PodDisruptionBudget: 'policy/v1',
  };
  const found = manifests();
  assert.deepEqual(Object.keys(found).sort(), Object.keys(types).sort());
  const folder = mkdtempSync(join(tmpdir(), 'tenon-manifests-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
    const lines = Object.entries(types).flatMap(([kind, module]) => [
      `import type { ${kind} } from 'kubernetes-types/${module}.js';`,
      `export const of${kind}: ${kind} = ${JSON.stringify(found[kind as keyof Manifests], undefined, 1)};`,
    ]);
    writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
    const args = ['--noEmit', '--strict', '--module', 'NodeNext', '--types', '', join(folder, 'manifests.ts')];
    assert.deepEqual(runTool('typescript7', args, { capture: true, command: 'tsc', cwd: folder }), {
      status: 0,
      output: '',
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  for (const [kind, version] of Object.entries(versions))
    assert.equal((found[kind as keyof Manifests] as { apiVersion?: string }).apiVersion, version);
});

test('the manifests fit each other and the program: ports, probes, names, and the time to stop', () => {
  const { Deployment: deployment, Service: service, Ingress: ingress, PodDisruptionBudget: budget } = manifests();
  const { template, selector, replicas } = deployment.spec!;
  const pod = template.spec!;
  const [container] = pod.containers;
  const settings = new Map(container!.env!.map(({ name, value }) => [name, value]));
  for (const name of settings.keys()) assert.ok(known.has(name), `${name} is not read`);
  assert.ok(settings.has('PUBLIC_URL') && settings.has('ISSUER'));

  const [port] = container!.ports!;
  assert.equal(String(port!.containerPort), settings.get('PORT'));
  const probes = [container!.livenessProbe, container!.readinessProbe, container!.startupProbe];
  assert.deepEqual(
    probes.map((each) => each?.httpGet?.path),
    ['/health', '/ready', '/health'],
  );
  for (const each of probes) assert.equal(each?.httpGet?.port, port!.name);
  assert.equal(service.spec!.ports![0]!.targetPort, port!.name);

  assert.ok(pod.terminationGracePeriodSeconds! * 1_000 > stopMs(settings));
  // The service is told that a pod is not ready, at the latest by its probe, while the pod still accepts requests.
  const { periodSeconds, failureThreshold, timeoutSeconds } = container!.readinessProbe!;
  assert.ok((periodSeconds! * failureThreshold! + timeoutSeconds!) * 1_000 < Number(settings.get('NOTICE_MS')));

  const labels = template.metadata!.labels!;
  for (const each of [selector.matchLabels, service.spec!.selector, budget.spec!.selector!.matchLabels])
    assert.deepEqual(each, labels);
  assert.ok(Number(budget.spec!.maxUnavailable) < replicas!);
  const [rule] = ingress.spec!.rules!;
  assert.equal(rule!.host, new URL(settings.get('PUBLIC_URL')!).hostname);
  assert.deepEqual(
    rule!.http!.paths.map(({ path }) => path),
    ['/mcp', '/.well-known/oauth-protected-resource'],
  );
  for (const { backend } of rule!.http!.paths)
    assert.deepEqual(
      [backend.service!.name, backend.service!.port!.name],
      [service.metadata!.name, service.spec!.ports![0]!.name],
    );

  assert.equal(pod.securityContext!.runAsNonRoot, true);
  assert.equal(String(pod.securityContext!.runAsUser), /^USER (\d+)$/m.exec(read('Dockerfile'))?.[1]);
  const keys = settings.get('TENON_KEYS_FILE')!;
  const [mount] = container!.volumeMounts!;
  const [volume] = pod.volumes!;
  assert.equal(mount!.name, volume!.name);
  assert.equal(keys, `${mount!.mountPath}/${volume!.secret!.items![0]!.path}`);
  assert.equal(volume!.secret!.defaultMode, 0o440);
});

test('no proxy refuses a body that the server accepts, or ends a stream between two signs of life', () => {
  const bodyMb = DEFAULT_LIMITS.bodyBytes / 1024 / 1024;
  const ingress = manifests().Ingress.metadata!.annotations!;
  const bodies = [
    /client_max_body_size (\d+)m;/.exec(read('nginx.conf'))?.[1],
    /max_size (\d+)MiB/.exec(read('Caddyfile'))?.[1],
    /^(\d+)m$/.exec(ingress['nginx.ingress.kubernetes.io/proxy-body-size']!)?.[1],
  ];
  assert.deepEqual(bodies, Array(3).fill(String(bodyMb)));
  const timeouts = [
    /proxy_read_timeout (\d+)s;/.exec(read('nginx.conf'))?.[1],
    ingress['nginx.ingress.kubernetes.io/proxy-read-timeout'],
  ];
  for (const seconds of timeouts) assert.ok(Number(seconds) * 1_000 >= 3 * DEFAULT_LIMITS.keepAliveMs);
  assert.equal(/KEEP_ALIVE_MS = '(\d+)'/.exec(read('server.ts'))?.[1], String(DEFAULT_LIMITS.keepAliveMs));
});
