import type { CheckBody, CompleteBody, InboxAnswer, RequestBody, SaveTestBody } from '../api/bodies.ts';
import type {
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
  readonly name: string;
  readonly launch:
    | {
        readonly command: string;
        readonly args: readonly string[];
        readonly env?: Readonly<Record<string, string>>;
        readonly inheritEnv?: readonly string[];
        readonly cwd?: string;
      }
    | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };
  /** Speak this revision only. */
  readonly revision?: string;
}

/** The only trace of a page, read. */
export type TraceSource = Pick<TraceStore, 'file' | 'head' | 'index' | 'read'> & Partial<Pick<TraceStore, 'watch'>>;

/** What the act asked for cannot be done. `code` is stable; the message is for people. */
export class WorkbenchError extends Error {
  override readonly name = 'WorkbenchError';
  readonly code: 'unknown-server' | 'not-connected' | 'bad-request' | 'gone' | 'read-only' | 'failed';
  readonly fix: string | undefined;
  constructor(code: WorkbenchError['code'], message: string, fix?: string) {
    super(message);
    this.code = code;
    this.fix = fix;
  }
}

/** The sessions of the inspector. They live here, not in a page: any number of pages may look at them, or none. */
export interface Workbench {
  readonly trace: TraceSource;
  state(): StateView;
  /** Is told of every change but the lines of the trace. Gives the function that ends it. */
  watch(listener: (event: PushEvent) => void): () => void;

  /** Begins to connect. Resolves when it is connected, or has failed: the view says which. */
  connect(server: string, options?: { readonly revision?: string }): Promise<ServerView>;
  disconnect(server: string): Promise<void>;
  list(server: string, kind: ListKind): ListAnswer;
  refresh(server: string): Promise<void>;
  request(server: string, body: RequestBody): Promise<RequestAnswer>;
  /** How a request ended, or that it runs. */
  answerTo(server: string, key: string): RequestAnswer;
  cancel(server: string, key: string): void;
  frame(server: string, text: string): Promise<FrameAnswer>;
  complete(server: string, body: CompleteBody): Promise<CompleteAnswer>;
  watchResource(server: string, uri: string, on: boolean): Promise<void>;
  setLogLevel(server: string, level: string): Promise<void>;
  /** `ask`: ask in the inbox each time that the server wants to know them. */
  setRoots(server: string, roots: readonly string[], ask: boolean): Promise<void>;

  inbox(): readonly InboxItem[];
  answer(item: string, answer: InboxAnswer): void;
  /** What questions are answered with from now on, before anybody sees them: a JSON object as text. */
  setScript(text: string): void;

  auth(server: string): AuthView;
  setPausing(server: string, pausing: boolean): void;
  /** Lets the hop that waits go on. */
  release(server: string, hop: string): void;
  /** Logs in at the server, from the beginning. */
  login(server: string): Promise<void>;
  forgetLogin(server: string): Promise<void>;

  check(body: CheckBody, signal: AbortSignal): Promise<readonly CheckRow[]>;
  saveTest(body: SaveTestBody): Promise<SaveTestAnswer>;

  /** Asks for a server that was typed into a page. Nothing of it is started before `confirm` (the terminal) says so. */
  addTargets(text: string): Promise<TargetAnswer>;

  /** Servers that no page has looked at for a minute are stopped; `seen` says that one does. */
  setViewers(count: number): void;
  close(): Promise<void>;
}
