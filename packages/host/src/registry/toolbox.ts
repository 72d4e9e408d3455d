import type { CallToolResult, Progress, ToolEntry } from 'tenon/client';

/** A tool of a server, with its qualified name for the model. */
export interface HostTool {
  /** The qualified name: at most 64 characters of `[A-Za-z0-9_-]`, stable between runs. */
  readonly name: string;
  /** The alias of its server. */
  readonly server: string;
  /** The tool as its server lists it. */
  readonly entry: ToolEntry;
}

/** Options of a call. */
export interface HostCallOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that the call may take without progress. Time for questions to a person does not count. */
  readonly timeout?: number | undefined;
  /** Receives the progress that the server reports, at most about 50 times per second. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Who chose this call: the model, or the person, for example with a button of your program. The person needs no approval for what they
   * chose themselves, unless an `ask` rule applies. So never pass `user` for a call that a model chose. Default `model`.
   */
  readonly by?: 'model' | 'user' | undefined;
}

/** The tools of a host for a conversation. Calls are subject to the policy of the host. */
export interface Toolbox {
  /** The current tools, in a stable order. Those of a server that is being started again are among them: calls wait for it. */
  tools(): readonly HostTool[];
  /**
   * Calls a tool by its qualified name. Errors that the model can react to, such as an unknown tool, invalid arguments, a denial or a
   * stopped server, are results with `isError` and a text that says what to do. Throws an `AbortError` when the signal aborts.
   */
  call(name: string, args: unknown, options?: HostCallOptions): Promise<CallToolResult>;
  /** Why a tool is unavailable for now, for the model. Undefined if it is available, or does not exist. */
  unavailableReason?(name: string): string | undefined;
  /**
   * Resolves when `tools` contains the changes that servers have announced so far, after 3 seconds at the latest, and when the signal
   * aborts. A run awaits it before each step: a call may have added tools. Never rejects.
   */
  toolsSettled?(signal?: AbortSignal): Promise<void>;
  /** Subscribes to changes of the tools. Returns a function that unsubscribes. */
  onToolsChanged(listener: () => void): () => void;
}
