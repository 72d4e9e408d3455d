import { resolve } from 'node:path';
import {
  createHost,
  type DecisionHandler,
  type Host,
  type HostOptions,
  type Input,
  type ServerConfig,
} from '@tenon/host';
import type { Recording } from '@tenon/inspector/trace';
import type { OAuthOptions } from 'tenon/auth';
import type { ConnectOptions } from 'tenon/client';
import type { CommandLine } from '../command-line/command-line.ts';
import { openRecording } from '../session/recording.ts';
import { openSlowServers } from '../session/slow-servers.ts';
import type { Screen } from '../terminal/screen.ts';
import { targetOf } from '../command-line/server-command.ts';
import { parseRoots } from '../command-line/roots.ts';
import { readChatServers } from './chat-servers.ts';
import { stateFolder } from '../command-line/state-folder.ts';
import { inState } from './state-failure.ts';
import type { Chat, ChatModel } from './types.ts';

/** The decision functions of a chat. */
export interface DecisionHandlers {
  readonly approve: DecisionHandler;
  readonly ask: DecisionHandler;
  /** Returns the value of an input that a configuration needs; undefined if it is not known. */
  input(input: Input): string | undefined | Promise<string | undefined>;
}

export interface OpenOptions {
  readonly line: CommandLine;
  readonly screen: Screen;
  readonly model: ChatModel;
  /** Makes the decision functions. `host` must be called only while deciding, when the host exists. `servers`: the names of the servers. */
  decisionHandlers(host: () => Host, servers: readonly string[]): DecisionHandlers;
}

/** The headers for a server at a URL; undefined if the server is a command. */
function addressOf({ launch }: ServerConfig, line: CommandLine): Readonly<Record<string, string>> | undefined {
  if (launch.kind !== 'value') return launch.kind === 'stdio' ? undefined : launch.headers;
  const target = targetOf(line);
  return 'url' in target ? target.headers : undefined;
}

/** Headers and stored logins for the servers at URLs. A server with a token in its headers needs no login. */
async function connectOptions(
  servers: readonly ServerConfig[],
  line: CommandLine,
  screen: Screen,
  recording: Recording | undefined,
) {
  const options = new Map<string, ConnectOptions>();
  const recorded = ({ alias }: ServerConfig): Pick<OAuthOptions, 'wrapFetch'> =>
    recording === undefined ? {} : { wrapFetch: (send) => recording.wrapFetch(send, alias) };
  let login: HostOptions['login'];
  for (const server of servers) {
    const headers = addressOf(server, line);
    if (headers === undefined) continue;
    const { credentialsMaker } = await import('../session/credentials.ts');
    const credentials = await credentialsMaker(line, screen, line.given.has('auth'));
    login ??= (wanted, config) => credentials({ ...wanted, ...recorded(config) });
    const hasToken = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
    options.set(server.alias, {
      headers: server.launch.kind === 'value' ? headers : undefined,
      auth: hasToken ? undefined : credentials(recorded(server)),
    });
  }
  return { options, login };
}

/** Reads the configuration and creates the host, without starting any server. Throws a usage failure. */
export async function openChat({ line, screen, model, decisionHandlers }: OpenOptions): Promise<Chat> {
  const given = await readChatServers(line);
  for (const message of given.leftOut) screen.warn(message);
  // The recording is closed when the process exits.
  const recording = await openRecording(line, screen);
  const { options: connect, login } = await connectOptions(given.servers, line, screen, recording);
  const folder = line.value('state');
  const state = folder === undefined ? stateFolder() : resolve(folder);
  const eras = openSlowServers();
  // Nothing is decided before the host exists.
  const made: { host?: Host } = {};
  const { approve, ask, input } = decisionHandlers(
    () => made.host!,
    given.servers.map(({ alias }) => alias),
  );
  let roots = parseRoots(line) ?? [];
  const options: HostOptions = {
    servers: given.servers,
    state,
    approve,
    ask,
    input: (id) => {
      const wanted = given.inputs.find((each) => each.id === id);
      return wanted === undefined ? undefined : input(wanted);
    },
    sample: [{ model: model.model, name: model.name }],
    roots,
    onTrace: recording?.onTrace,
    connect: ({ alias }) => ({ ...connect.get(alias), eras }),
    login,
  };
  const host = await inState(state, () => createHost(options));
  made.host = host;
  return {
    ...{ host, model, state, source: given.source, off: given.off },
    roots: {
      list: () => roots,
      async set(replaced) {
        roots = [...replaced];
        await host.setRoots(roots);
      },
    },
  };
}
