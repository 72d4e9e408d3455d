// The same three servers in an interactive chat: `node examples/travel/interactive.ts`, in a terminal. With ANTHROPIC_API_KEY or
// OPENAI_API_KEY a model answers; without a key the demo's script does, and says so.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createHost, readServers, verifyAudit } from '@tenon/host';
import { startServers } from './servers.ts';
import { makeWorkspace } from './workspace.ts';

const root = join(import.meta.dirname, '..', '..');
const tenon = join(root, 'packages', 'cli', 'dist', 'tenon.js');
const folder = await mkdtemp(join(tmpdir(), 'tenon-travel-'));
const servers = await startServers(folder);

try {
  const config = join(folder, 'mcp.json');
  const mcpServers = Object.fromEntries(servers.configs.map(({ alias, launch }) => [alias, launch]));
  await writeFile(config, JSON.stringify({ mcpServers }));
  // These servers are the demo's own, so they start without approval. Their actions still need approval.
  const approve = ({ kind }: { kind: string }) => ({ allow: kind === 'start', scope: 'always' }) as const;
  const { servers: configs } = await readServers(config, { trust: 'user' });
  const own = await createHost({ servers: configs, state: join(folder, 'host'), approve });
  await own.start();
  await own.close();
  const { ANTHROPIC_API_KEY, OPENAI_API_KEY } = process.env;
  const hasKey = Boolean(ANTHROPIC_API_KEY ?? OPENAI_API_KEY);
  process.stdout.write(
    'Three servers plan a trip with you: travel, weather and calendar. You decide what each of them may do.\n' +
      'They are part of this demo, so they start without approval; their actions still need yours.\n' +
      'Begin with /travel__plan-vacation (Tab completes), attach something with @, leave with /quit.\n\n',
  );
  const model = hasKey ? [] : ['--model', join(import.meta.dirname, 'script.ts')];
  const { roots } = await makeWorkspace(join(folder, 'workspace'));
  const args = ['--config', config, '--state', join(folder, 'host'), ...roots.flatMap((root) => ['--roots', root])];
  const chat = spawn(process.execPath, [tenon, 'chat', ...args, ...model], { stdio: 'inherit' });
  // The chat handles Ctrl-C.
  process.on('SIGINT', () => {});
  const [code] = (await once(chat, 'exit')) as [number | null];
  const audit = await verifyAudit(join(folder, 'host', 'audit.jsonl')).catch(() => undefined);
  if (audit !== undefined) {
    process.stdout.write(
      audit.ok ? `The audit log has ${audit.entries} entries, and is whole.\n` : `${audit.problem}\n`,
    );
  }
  process.exitCode = code ?? 1;
} finally {
  servers.close();
  await rm(folder, { recursive: true, force: true });
}
