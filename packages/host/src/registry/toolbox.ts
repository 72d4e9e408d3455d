import type { CallToolResult, Progress, ToolEntry } from 'tenon/client';

/** A tool of some server, under the name that it has for the model. */
export interface HostTool {
  /** At most 64 characters of `[A-Za-z0-9_-]`, the same from run to run. */
  readonly name: string;
  /** Alias of its server. */
  readonly server: string;
  /** As its server lists it. */
  readonly entry: ToolEntry;
}

/** The conditions of a call. */
export interface HostCallOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds the server may be silent. Time in which a person is asked does not count. */
  readonly timeout?: number;
  readonly onProgress?: (progress: Progress) => void;
  /** Default `model`. */
  readonly by?: 'model' | 'user';
}

/** What a conversation needs of the host: tools it may see, and a way to call them that asks who has to be asked. */
export interface Toolbox {
  /** In an order that stays the same as long as the tools do. */
  tools(): readonly HostTool[];
  /**
   * Calls a tool by its qualified name. Never throws for what the model can do something about: an unknown tool, wrong arguments, a
   * refusal and a server that is gone come back as a result with `isError` and a text that says what to do. Throws an `AbortError` when
   * the signal aborts.
   */
  call(name: string, args: unknown, options?: HostCallOptions): Promise<CallToolResult>;
  /** Why a tool that was there is not there for now, for the model. Undefined: it is there, or there is none. */
  away?(name: string): string | undefined;
  /** Tells when the list of tools is another one. Returns what stops it. */
  onToolsChanged(listener: () => void): () => void;
}
