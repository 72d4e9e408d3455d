// The hosts of others: each runs a prompt with the stand-in for its model. Their configuration is written by `tenon config add`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { type Cell, red, short } from './cell.ts';
import { type Client, LIMIT_MS, node, type Offered, says } from './client.ts';
import { EXAMPLE } from './example.ts';
import { type Seen, startModel } from './model.ts';
import { type Ended, run } from './programs.ts';

const { name: SERVER, tool: TOOL, args: ARGS, answer: ANSWER } = EXAMPLE;
/** It looks for the program of the platform: the package's own command is put there by an install script. */
const CLAUDE = join(import.meta.dirname, 'node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs');
/** Its package has the program alone: the one that chooses among these for each platform runs an install script. */
const OPENCODE = join(import.meta.dirname, 'node_modules/opencode-linux-x64/bin/opencode');
const PROMPT = `Use the ${SERVER} server: ${TOOL} ${JSON.stringify(ARGS)}`;
/** No key: the stand-in asks for none, but hosts do. */
const KEY = 'wild-000000000000';
/** The stand-in and the server are reached over plain HTTP. Updates, telemetry and downloads are not, and reach nothing. */
const OFFLINE = {
  HTTPS_PROXY: 'http://127.0.0.1:9',
  https_proxy: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1',
  no_proxy: '127.0.0.1',
};

interface HostProgram {
  readonly name: string;
  readonly package: string;
  /** Where `tenon config add` writes the server. */
  readonly config: readonly string[];
  /** Other files of its home. `model`: the origin of the stand-in. */
  readonly files?: (model: string) => Readonly<Record<string, string | object>>;
  readonly env?: (model: string) => Readonly<Record<string, string>>;
  /** Runs the prompt, with its option that allows the tool and no other. */
  readonly command: (model: string) => readonly string[];
}

const PROGRAMS: readonly HostProgram[] = [
  {
    name: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    config: ['--host', 'claude-code', '--user'],
    env: (model) => ({ ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: KEY }),
    command: () => [process.execPath, CLAUDE, '-p', PROMPT, '--allowedTools', `mcp__${SERVER}__${TOOL}`],
  },
  {
    name: 'Codex',
    package: '@openai/codex',
    config: ['--host', 'codex', '--user'],
    env: () => ({ WILD_KEY: KEY }),
    command: (model) => {
      const provider = `{ name = "wild", base_url = "${model}/v1", env_key = "WILD_KEY", wire_api = "responses" }`;
      const settings = [
        `model_providers.wild=${provider}`,
        'model_provider="wild"',
        'model="local"',
        `mcp_servers.${SERVER}.tools.${TOOL}.approval_mode="approve"`,
      ];
      const options = settings.flatMap((setting) => ['-c', setting]);
      return [...node('@openai/codex'), 'exec', '--skip-git-repo-check', ...options, PROMPT];
    },
  },
  {
    name: 'Copilot CLI',
    package: '@github/copilot',
    config: ['--host', 'copilot', '--user'],
    // Without the last one it tries again for half a minute to reach its maker.
    env: (model) => ({ COPILOT_PROVIDER_BASE_URL: `${model}/v1`, COPILOT_MODEL: 'local', COPILOT_OFFLINE: 'true' }),
    command: () => [...node('@github/copilot'), '-p', PROMPT, '--allow-tool', `${SERVER}(${TOOL})`],
  },
  {
    name: 'Gemini CLI',
    package: '@google/gemini-cli',
    config: ['--host', 'gemini', '--user'],
    files: () => ({
      '.gemini/settings.json': {
        // In a folder that it does not trust, it starts no servers.
        security: { folderTrust: { enabled: false }, auth: { selectedType: 'gemini-api-key' } },
      },
      'allow.toml': `[[rule]]\nmcpName = "${SERVER}"\ntoolName = "${TOOL}"\ndecision = "allow"\npriority = 100\n`,
    }),
    env: (model) => ({ GOOGLE_GEMINI_BASE_URL: model, GEMINI_API_KEY: KEY }),
    command: () => [
      ...node('@google/gemini-cli'),
      ...['--model', 'gemini-2.5-pro', '--policy', 'allow.toml', '-p', PROMPT],
    ],
  },
  {
    name: 'opencode',
    package: 'opencode-linux-x64',
    config: ['--host', 'opencode', '--user'],
    files: (model) => ({
      '.config/opencode/opencode.json': {
        model: 'wild/local',
        permission: { '*': 'deny', [`${SERVER}_${TOOL}`]: 'allow' },
        provider: {
          wild: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${model}/v1`, apiKey: KEY },
            models: { local: {} },
          },
        },
      },
    }),
    command: () => [OPENCODE, 'run', PROMPT],
  },
  {
    name: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    config: ['--host', 'qwen', '--user'],
    env: (model) => ({ OPENAI_BASE_URL: `${model}/v1`, OPENAI_API_KEY: KEY, OPENAI_MODEL: 'local' }),
    command: () => [
      ...node('@qwen-code/qwen-code'),
      ...['--auth-type', 'openai', '--allowed-tools', `mcp__${SERVER}__${TOOL}`, '-p', PROMPT],
    ],
  },
];

/** Has `tenon config add` write the server into the configuration of a host. Undefined if it did. */
async function add({ home, url, command }: Offered, config: readonly string[]): Promise<Cell | undefined> {
  const [program = '', cli = ''] = command;
  const target = url === undefined ? ['--', ...command] : [url];
  const added = await run([program, cli, 'config', 'add', SERVER, ...config, ...target], { home, limit: LIMIT_MS });
  return added.code === 0 ? undefined : red(`tenon config add: ${short(added.err || added.out)}`);
}

/** The tool was offered to the model, the model got its answer, and the host printed what the model made of it. */
export function outcome(ended: Ended, { tool, result }: Seen): Cell {
  if (tool !== undefined && result?.includes(ANSWER) === true) return says(ended, [ANSWER], `${tool}, called`);
  const why = tool === undefined ? 'the tool was not offered' : `the model got ${short(result ?? 'nothing')}`;
  return red(`${why}: ${ended.code}, ${short(ended.err || ended.out)}`);
}

function host({ name, package: packageName, config, files, env, command }: HostProgram): Client {
  async function act(offered: Offered): Promise<Cell> {
    const { home } = offered;
    await using model = await startModel({ server: SERVER, tool: TOOL, args: ARGS });
    for (const [path, content] of Object.entries(files?.(model.url) ?? {})) {
      const file = join(home, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
    }
    const failed = await add(offered, config);
    if (failed !== undefined) return failed;
    const place = { home, limit: LIMIT_MS, env: { ...OFFLINE, ...env?.(model.url) } };
    return outcome(await run(command(model.url), place), model.seen);
  }
  return { name, package: packageName, stdio: act, http: act };
}

export const HOSTS: readonly Client[] = PROGRAMS.map(host);
