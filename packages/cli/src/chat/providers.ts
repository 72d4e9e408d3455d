import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Failure, usage } from '../failure/failure.ts';
import { oneLine } from '../terminal/printable.ts';
import { DEMO } from './demo.ts';
import type { ChatModel } from './types.ts';

type Env = Readonly<Record<string, string | undefined>>;

const DEFAULTS = { anthropic: 'claude-sonnet-5-5', openai: 'gpt-5.6' } as const;

const KEY_HELP = [
  'Set ANTHROPIC_API_KEY or OPENAI_API_KEY; or OPENAI_BASE_URL for any OpenAI-compatible server, with --model openai/<name>.',
  `--model ${DEMO} needs no key: it is a script that comes with tenon, not a model.`,
].join('\n  ');

/** The failure if no API key is set. */
export function noKey(): Failure {
  return usage('There is no key for a language model', KEY_HELP, 'no_model');
}

function needed(env: Env, variable: string, given: string): string {
  const value = env[variable];
  if (value !== undefined && value !== '') return value;
  throw usage(`--model ${given} needs a key in the variable ${variable}`, KEY_HELP, 'no_model');
}

async function anthropic(env: Env, name: string): Promise<ChatModel> {
  const given = `anthropic/${name}`;
  const apiKey = needed(env, 'ANTHROPIC_API_KEY', given);
  const { createAnthropic } = await import('@ai-sdk/anthropic');
  return { model: createAnthropic({ apiKey })(name), name: given, script: false };
}

async function openai(env: Env, name: string): Promise<ChatModel> {
  const { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey } = env;
  const given = `openai/${name}`;
  if (!baseURL) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return { model: createOpenAI({ apiKey: needed(env, 'OPENAI_API_KEY', given) })(name), name: given, script: false };
  }
  if (!URL.canParse(baseURL) || !/^https?:$/.test(new URL(baseURL).protocol)) {
    throw usage('OPENAI_BASE_URL is not a URL', 'Write it in full: http://localhost:11434/v1');
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  // Compatible servers may not support newer APIs, and some need no key.
  const settings = { name: 'openai-compatible', baseURL, includeUsage: true, apiKey };
  return { model: createOpenAICompatible(settings)(name), name: given, script: false };
}

async function demo(): Promise<ChatModel> {
  const { demoModel } = await import('./demo.ts');
  return { model: demoModel(), name: DEMO, script: true };
}

/** Loads the model that a file exports. The file is run, because the user named it. */
async function fromFile(path: string): Promise<ChatModel> {
  const load = (): Promise<{ readonly default?: unknown }> => import(pathToFileURL(resolve(path)).href);
  const { default: model } = await load().catch((error: unknown) => {
    throw usage(`--model ${oneLine(path, 200)} cannot be loaded`, oneLine(String(error), 500));
  });
  if (typeof (model as { doStream?: unknown } | undefined)?.doStream !== 'function') {
    throw usage(`--model ${oneLine(path, 200)} has no language model as its default export`, KEY_HELP);
  }
  const { provider, modelId } = model as { readonly provider: string; readonly modelId: string };
  // `scriptedModel` of the host uses this id for every script.
  const script = modelId === 'demo-script';
  return { model: model as ChatModel['model'], name: script ? basename(path) : `${provider}/${modelId}`, script };
}

function byName(given: string, env: Env): Promise<ChatModel> {
  if (given === DEMO) return demo();
  if (/\.[cm]?[jt]s$/.test(given)) return fromFile(given);
  const at = given.indexOf('/');
  const [provider, name] = [given.slice(0, at), given.slice(at + 1)];
  if (at > 0 && name !== '' && provider === 'anthropic') return anthropic(env, name);
  if (at > 0 && name !== '' && provider === 'openai') return openai(env, name);
  throw usage(
    `--model ${oneLine(given, 100)} is not a model`,
    `Write anthropic/<name>, openai/<name> (also for OPENAI_BASE_URL), the path of a .js or .ts file that exports a model, or ${DEMO}.`,
  );
}

/**
 * The model of `--model`, or the default model of the provider whose key is set. Undefined without either. The provider's package is loaded
 * only when needed. Throws a usage failure.
 */
export async function findModel(given: string | undefined, env: Env): Promise<ChatModel | undefined> {
  if (given !== undefined) return byName(given, env);
  if (env['OPENAI_BASE_URL']) {
    throw usage('Which model of OPENAI_BASE_URL?', 'Name it with --model openai/<name>.', 'no_model');
  }
  if (env['ANTHROPIC_API_KEY']) return anthropic(env, DEFAULTS.anthropic);
  if (env['OPENAI_API_KEY']) return openai(env, DEFAULTS.openai);
  return undefined;
}

/** The demo script, which needs no key. */
export const demoChatModel = demo;
