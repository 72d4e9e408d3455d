import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { FORMATS, type Format, type FormatName } from '@tenon/host/formats';

/** An MCP host: its format, and where it keeps its server configuration. */
export interface Host extends Format {
  readonly name: FormatName;
  /** The project's file, relative to its folder; undefined: the host has no project configuration. */
  project?(): string;
  /** The user's file. */
  user(): string;
  /** What to do in the host before it uses a server that was added. `project`: in the project's file. */
  next(project: boolean): string;
  /** The members of the user's file that contain the servers of one project, by the path of its folder. */
  local?(folder: string): readonly string[];
}

function inHome(...path: string[]): string {
  return join(homedir(), ...path);
}

/** The user's folder for settings on systems without a dedicated one. */
function configFolder(...path: string[]): string {
  return join(process.env['XDG_CONFIG_HOME'] ?? inHome('.config'), ...path);
}

/** A path in the operating system's folder for application settings. */
function settings(...path: string[]): string {
  const { env, platform } = process;
  if (platform === 'win32') return join(env['APPDATA'] ?? inHome('AppData', 'Roaming'), ...path);
  return platform === 'darwin' ? inHome('Library', 'Application Support', ...path) : configFolder(...path);
}

function onWindows(windows: readonly string[], others: readonly string[]): string {
  return process.platform === 'win32' ? settings(...windows) : configFolder(...others);
}

/** The first of these files that exists, or else the first. */
function existing(...paths: readonly [string, ...string[]]): string {
  return paths.find((path) => existsSync(path)) ?? paths[0];
}

type Places = Pick<Host, 'project' | 'user' | 'next' | 'local'>;

/** Where each host keeps its configuration, and what it needs then. */
const PLACES: Readonly<Record<FormatName, Places>> = {
  'claude-desktop': {
    user: () => settings('Claude', 'claude_desktop_config.json'),
    next: () => 'Quit Claude Desktop completely, and start it again.',
  },
  'claude-code': {
    project: () => '.mcp.json',
    user: () => inHome('.claude.json'),
    next: (project) =>
      project
        ? 'Start claude in this folder, and approve the server.'
        : 'Start claude again: /mcp shows the server. A server of the same name in .mcp.json is a conflict.',
    local: (folder) => ['projects', folder, 'mcpServers'],
  },
  vscode: {
    project: () => join('.vscode', 'mcp.json'),
    user: () => settings('Code', 'User', 'mcp.json'),
    next: () => 'Run MCP: List Servers in VS Code, and start and trust the server there.',
  },
  cursor: {
    project: () => join('.cursor', 'mcp.json'),
    user: () => inHome('.cursor', 'mcp.json'),
    next: () => 'Turn the server on in the settings of Cursor.',
  },
  goose: {
    user: () => onWindows(['Block', 'goose', 'config', 'config.yaml'], ['goose', 'config.yaml']),
    next: () => 'Start goose again.',
  },
  codex: {
    project: () => join('.codex', 'config.toml'),
    user: () => join(process.env['CODEX_HOME'] ?? inHome('.codex'), 'config.toml'),
    next: (project) =>
      project
        ? 'Start codex in this folder, and trust it: Codex ignores this file in other folders.'
        : 'Start codex again: /mcp shows the server.',
  },
  opencode: {
    project: () => existing('opencode.json', 'opencode.jsonc'),
    user: () => existing(configFolder('opencode', 'opencode.json'), configFolder('opencode', 'opencode.jsonc')),
    next: () => 'Start opencode again. `opencode mcp list` shows whether it connects.',
  },
  zed: {
    project: () => join('.zed', 'settings.json'),
    user: () => onWindows(['Zed', 'settings.json'], ['zed', 'settings.json']),
    next: () => 'The settings of the agent panel of Zed show whether the server runs.',
  },
  gemini: {
    project: () => join('.gemini', 'settings.json'),
    user: () => inHome('.gemini', 'settings.json'),
    next: () =>
      'Start gemini in this folder, and trust it: Gemini CLI starts no servers in other folders. /mcp shows the server.',
  },
  qwen: {
    project: () => join('.qwen', 'settings.json'),
    user: () => inHome('.qwen', 'settings.json'),
    next: () => 'Start qwen again: /mcp shows the server.',
  },
  copilot: {
    project: () => join('.github', 'mcp.json'),
    user: () => join(process.env['COPILOT_HOME'] ?? inHome('.copilot'), 'mcp-config.json'),
    next: (project) =>
      project
        ? 'Start copilot in this folder, and trust it: Copilot CLI ignores this file in other folders.'
        : 'Start copilot again: /mcp show lists the server.',
  },
  windsurf: {
    user: () => inHome('.codeium', 'windsurf', 'mcp_config.json'),
    next: () => 'Refresh the list of MCP servers in Windsurf.',
  },
};

export const HOSTS: readonly Host[] = (Object.keys(FORMATS) as FormatName[]).map((name) => ({
  ...FORMATS[name],
  ...PLACES[name],
  name,
}));
