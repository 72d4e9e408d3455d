import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type Dialect, DIALECTS } from './entry.ts';

/** An MCP host, and where it keeps its server configuration. */
export interface Host {
  readonly name: string;
  readonly title: string;
  readonly syntax: 'json' | 'yaml';
  /** The top-level member that holds the servers. */
  readonly member: string;
  readonly dialect: Dialect;
  /** The project's file, relative to its folder; undefined: the host has no project configuration. */
  readonly project?: string;
  /** The user's file. */
  user(): string;
}

/** A path in the operating system's folder for application settings. */
function settings(...path: string[]): string {
  const { env, platform } = process;
  if (platform === 'win32') return join(env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'), ...path);
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', ...path);
  return join(env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), ...path);
}

function goosePath(): string {
  const { env, platform } = process;
  if (platform === 'win32') return settings('Block', 'goose', 'config', 'config.yaml');
  return join(env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'goose', 'config.yaml');
}

export const HOSTS: readonly Host[] = [
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    syntax: 'json',
    member: 'mcpServers',
    dialect: DIALECTS.desktop,
    user: () => settings('Claude', 'claude_desktop_config.json'),
  },
  {
    name: 'claude-code',
    title: 'Claude Code',
    syntax: 'json',
    member: 'mcpServers',
    dialect: DIALECTS.claudeCode,
    project: '.mcp.json',
    user: () => join(homedir(), '.claude.json'),
  },
  {
    name: 'vscode',
    title: 'VS Code',
    syntax: 'json',
    member: 'servers',
    dialect: DIALECTS.vscode,
    project: join('.vscode', 'mcp.json'),
    user: () => settings('Code', 'User', 'mcp.json'),
  },
  {
    name: 'cursor',
    title: 'Cursor',
    syntax: 'json',
    member: 'mcpServers',
    dialect: DIALECTS.cursor,
    project: join('.cursor', 'mcp.json'),
    user: () => join(homedir(), '.cursor', 'mcp.json'),
  },
  {
    name: 'goose',
    title: 'goose',
    syntax: 'yaml',
    member: 'extensions',
    dialect: DIALECTS.goose,
    user: goosePath,
  },
];
