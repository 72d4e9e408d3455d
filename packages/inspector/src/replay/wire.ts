/** A connection to a server for texts that are messages, or not. */
export interface Wire {
  /** Sends a text as it is. Rejects when the server is gone. */
  send(text: string): Promise<void>;
  /** Is told of every text that comes, in order. Set once, before anything is sent. */
  onText(listener: (text: string) => void): void;
  /** Resolves with the reason when nothing will come any more. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}
