import type { OAuthOptions } from 'tenon/auth';
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

/** How to log in at a server. */
export interface TargetLogin extends Pick<OAuthOptions, 'client' | 'scopes'> {
  /** The port of the redirect URI. Default: any free port. */
  readonly callbackPort?: number;
}

/** A server to inspect. Its source (the command line, a file, the terminal) has already been resolved. */
export interface Target {
  /** Short and unique: it names the server in URLs. */
  readonly id: string;
  /** Its name for people. */
  readonly name: string;
  /** How it is started as a process, or the URL at which it is reached over HTTP. */
  readonly launch:
    | {
        /** The program: a name in `PATH`, or a path. It is started without a shell. */
        readonly command: string;
        /** The arguments of the program. */
        readonly args: readonly string[];
        /** Environment variables that it gets besides the few that every server gets, such as `PATH`. */
        readonly env?: Readonly<Record<string, string>>;
        /** Names of variables that it also inherits from this process. */
        readonly inheritEnv?: readonly string[];
        /** The folder in which it runs. Default: the folder of this process. */
        readonly cwd?: string;
      }
    | {
        /** The URL, http or https. */
        readonly url: string;
        /** Header fields of each request. */
        readonly headers?: Readonly<Record<string, string>>;
        /** How to log in, if it requires a login. Default: as a client that registers itself. */
        readonly login?: TargetLogin;
      };
  /** Use only this revision. */
  readonly revision?: string;
}

/** The trace that a page shows, for reading. */
export type TraceSource = Pick<TraceStore, 'file' | 'head' | 'index' | 'read'> & Partial<Pick<TraceStore, 'watch'>>;

/** A requested action cannot be done. `code` is stable; the message is for people. */
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
 * The sessions of the inspector. They live here, not in a page: any number of pages may show them, or none. Servers are
 * identified by the `id` of their `Target`. A method that takes such an id throws a `WorkbenchError`, or rejects with one, if no
 * server has it, or if the method needs a connection and the server is not connected.
 */
export interface Workbench {
  /** The lines of all sessions. */
  readonly trace: TraceSource;
  /** The initial state of a page, as plain JSON. */
  state(): StateView;
  /** Calls the listener with every change except the lines of the trace. Returns a function that unsubscribes. */
  watch(listener: (event: PushEvent) => void): () => void;

  /** Connects. Resolves when it is connected or has failed; the view says which. */
  connect(
    server: string,
    options?: {
      /** Use only this revision. Default: that of the target. */
      readonly revision?: string;
    },
  ): Promise<ServerView>;
  /** Ends the connection, and the process of the server. Resolves when both have ended. */
  disconnect(server: string): Promise<void>;
  /** The entries of a list, as they were last read. */
  list(server: string, kind: ListKind): ListAnswer;
  /** Reads all lists again. */
  refresh(server: string): Promise<void>;
  /**
   * Sends a request, and waits for its answer. Never rejects because of the answer: `outcome` says how it ended. Rejects with a
   * `WorkbenchError` if the params are not a JSON object, or another request has the key.
   */
  request(server: string, body: RequestBody): Promise<RequestAnswer>;
  /** How a request ended, or that it is running. */
  answerTo(server: string, key: string): RequestAnswer;
  /** Cancels a running request. No effect if none has the key. */
  cancel(server: string, key: string): void;
  /** Sends text unchanged, whether or not it is a message. Returns its line in the trace. */
  frame(server: string, text: string): Promise<FrameAnswer>;
  /** Asks the server to complete an argument of a prompt or of a resource template. */
  complete(server: string, body: CompleteBody): Promise<CompleteAnswer>;
  /** Reads the page of an app. Rejects with a `WorkbenchError` if the server has no such page. */
  readApp(server: string, uri: string): Promise<AppAnswer>;
  /** Starts or stops watching a resource for changes. */
  watchResource(server: string, uri: string, on: boolean): Promise<void>;
  /**
   * Sets the level of log messages that the server sends: `debug` to `emergency`. Rejects with a `TypeError` for another level.
   */
  setLogLevel(server: string, level: string): Promise<void>;
  /** Sets the roots that the server receives, as `file://` URIs. `ask`: ask in the inbox each time the server requests them. */
  setRoots(server: string, roots: readonly string[], ask: boolean): Promise<void>;

  /** The requests of servers for the user, including the answered ones. */
  inbox(): readonly InboxItem[];
  /** Answers a request. Throws a `WorkbenchError` if it is no longer open, or the answer is not valid for it. */
  answer(item: string, answer: InboxAnswer): void;
  /** Sets the scripted answers, which are used before anyone sees the question: a JSON object as text. */
  setScript(text: string): void;

  /** The state of the login at a server. */
  auth(server: string): AuthView;
  /** Sets whether a login stops before each hop. */
  setPausing(server: string, pausing: boolean): void;
  /** Lets a paused hop continue. */
  release(server: string, hop: string): void;
  /** Logs in at the server, from the beginning. */
  login(server: string): Promise<void>;
  /** Forgets the tokens of a server, and the client registration. */
  forgetLogin(server: string): Promise<void>;

  /**
   * Checks a server on a connection of its own. Rejects with a `WorkbenchError` if checks are not available, or the baseline is
   * not a surface.
   */
  check(body: CheckBody, signal: AbortSignal): Promise<readonly CheckRow[]>;
  /**
   * Saves a call of the trace as a test. Rejects with a `WorkbenchError` if there is no test file, or the line is not an answered
   * request.
   */
  saveTest(body: SaveTestBody): Promise<SaveTestAnswer>;

  /**
   * Requests to add a server that was typed into a page. No program is started before `confirm` (the terminal) agrees. Without
   * `confirm`, only a URL can be added, immediately.
   */
  addTargets(text: string): Promise<TargetAnswer>;
  /**
   * Requests another program, arguments, variables or folder for a process. It is restarted with them once `confirm` (the
   * terminal) agrees. Rejects with a `WorkbenchError` for a server at a URL, and without `confirm`.
   */
  changeLaunch(server: string, body: LaunchBody): Promise<TargetAnswer>;

  /** Sets the number of open pages. Servers are stopped when there has been none for a minute. */
  setViewers(count: number): void;
  /** Ends every session, including its processes, and closes the trace. */
  close(): Promise<void>;
}
