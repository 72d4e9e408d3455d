import type { ErrorCode } from '../values/error-codes.ts';
import type { CheckBody, CompleteBody, InboxAnswer, LaunchBody, RequestBody, SaveTestBody } from '../api/bodies.ts';
import type {
  AppAnswer,
  AuthView,
  CompleteAnswer,
  FrameAnswer,
  InboxItem,
  ListAnswer,
  ListKind,
  PushEvent,
  RequestAnswer,
  SaveTestAnswer,
  ServerView,
  StateView,
  TargetAnswer,
} from '../api/views.ts';
import type { CheckRow } from '../rules/finding.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';

/** A server to look at. Where it comes from (the command line, a file, the terminal) has been decided before. */
export interface Target {
  /** Short, and different from all others: names it in addresses. */
  readonly id: string;
  /** What people call it. */
  readonly name: string;
  /** How it is started as a process, or at which address it is reached over HTTP. */
  readonly launch:
    | {
        /** The program: a name in `PATH`, or a path. It is started without a shell. */
        readonly command: string;
        /** The arguments of the program. */
        readonly args: readonly string[];
        /** Environment variables that it gets besides the few that every server gets, such as `PATH`. */
        readonly env?: Readonly<Record<string, string>>;
        /** Names of variables of this process that it gets as well. */
        readonly inheritEnv?: readonly string[];
        /** The folder in which it runs. Default: that of this process. */
        readonly cwd?: string;
      }
    | {
        /** The address, http or https. */
        readonly url: string;
        /** Header fields of each request. */
        readonly headers?: Readonly<Record<string, string>>;
      };
  /** Speak this revision only. */
  readonly revision?: string;
}

/** The only trace of a page, read. */
export type TraceSource = Pick<TraceStore, 'file' | 'head' | 'index' | 'read'> & Partial<Pick<TraceStore, 'watch'>>;

/** What the act asked for cannot be done. `code` is stable; the message is for people. */
export class WorkbenchError extends Error {
  /** Always `WorkbenchError`. */
  override readonly name = 'WorkbenchError';
  /** Stable: docs/errors.md lists the codes. */
  readonly code: ErrorCode<'WorkbenchError'>;
  /** What to do about it, if anything can be done. */
  readonly fix: string | undefined;
  constructor(code: ErrorCode<'WorkbenchError'>, message: string, fix?: string) {
    super(message);
    this.code = code;
    this.fix = fix;
  }
}

/**
 * The sessions of the inspector. They live here, not in a page: any number of pages may look at them, or none. Servers are named by the `id` of
 * their `Target`. A method that takes such an id throws a `WorkbenchError`, or rejects with one, if no server has it, or if the method needs a
 * connection and the server is not connected.
 */
export interface Workbench {
  /** The lines of all sessions. */
  readonly trace: TraceSource;
  /** All that a page shows at first; plain JSON. */
  state(): StateView;
  /** Is told of every change but the lines of the trace. Gives the function that ends it. */
  watch(listener: (event: PushEvent) => void): () => void;

  /** Begins to connect. Resolves when it is connected, or has failed: the view says which. */
  connect(
    server: string,
    options?: {
      /** Speak this revision only. Default: that of the target. */
      readonly revision?: string;
    },
  ): Promise<ServerView>;
  /** Ends the connection, and the process of the server. Resolves when nothing of it is left. */
  disconnect(server: string): Promise<void>;
  /** The entries of a list, as they were read last. */
  list(server: string, kind: ListKind): ListAnswer;
  /** Reads all lists again. */
  refresh(server: string): Promise<void>;
  /**
   * Sends a request, and waits for its answer. Never rejects because of the answer: `outcome` tells how it ended. Rejects with a
   * `WorkbenchError` if the params are not a JSON object, or another request has the key.
   */
  request(server: string, body: RequestBody): Promise<RequestAnswer>;
  /** How a request ended, or that it runs. */
  answerTo(server: string, key: string): RequestAnswer;
  /** Cancels a request that runs. Without effect if none has the key. */
  cancel(server: string, key: string): void;
  /** Sends a text as it is, whether it is a message or not. Gives the line of the trace. */
  frame(server: string, text: string): Promise<FrameAnswer>;
  /** Asks the server how an argument of a prompt or a template could go on. */
  complete(server: string, body: CompleteBody): Promise<CompleteAnswer>;
  /** Reads the page of an app. Rejects with a `WorkbenchError` if the server has no such page. */
  readApp(server: string, uri: string): Promise<AppAnswer>;
  /** Begins to watch a resource for changes, or ends that. */
  watchResource(server: string, uri: string, on: boolean): Promise<void>;
  /** Sets which log messages the server sends: `debug` to `emergency`. Rejects with a `TypeError` for another level. */
  setLogLevel(server: string, level: string): Promise<void>;
  /** Sets the roots that the server gets, as `file://` URIs. `ask`: ask in the inbox each time that it wants to know them. */
  setRoots(server: string, roots: readonly string[], ask: boolean): Promise<void>;

  /** The requests of servers that a user answers, those that are answered too. */
  inbox(): readonly InboxItem[];
  /** Answers one of them. Throws a `WorkbenchError` if it is no longer open, or the answer does not fit. */
  answer(item: string, answer: InboxAnswer): void;
  /** What questions are answered with from now on, before anybody sees them: a JSON object as text. */
  setScript(text: string): void;

  /** How the login at a server stands. */
  auth(server: string): AuthView;
  /** Stops before each hop of a login from now on, or no longer. */
  setPausing(server: string, pausing: boolean): void;
  /** Lets the hop that waits go on. */
  release(server: string, hop: string): void;
  /** Logs in at the server, from the beginning. */
  login(server: string): Promise<void>;
  /** Forgets the tokens of a server, and what it was registered as. */
  forgetLogin(server: string): Promise<void>;

  /** Checks a server with a connection of its own. Rejects with a `WorkbenchError` if nothing can be checked here, or the baseline is no surface. */
  check(body: CheckBody, signal: AbortSignal): Promise<readonly CheckRow[]>;
  /** Keeps a call of the trace as a test. Rejects with a `WorkbenchError` if there is no file for that, or the line is no answered request. */
  saveTest(body: SaveTestBody): Promise<SaveTestAnswer>;

  /**
   * Asks for a server that was typed into a page. No program is started before `confirm` (the terminal) says so. Where there is nobody to ask,
   * only an address can be added, at once.
   */
  addTargets(text: string): Promise<TargetAnswer>;
  /**
   * Asks for another program, other arguments and variables, or another folder of a process. It is started with them, anew, when `confirm` (the terminal) says so. Rejects with a
   * `WorkbenchError` for a server at an address, and where there is nobody to ask.
   */
  changeLaunch(server: string, body: LaunchBody): Promise<TargetAnswer>;

  /** Servers that no page has looked at for a minute are stopped; `seen` says that one does. */
  setViewers(count: number): void;
  /** Ends every session, its processes too, and closes the trace. */
  close(): Promise<void>;
}
