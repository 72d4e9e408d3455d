import { LineReader } from './line-reader.ts';

/** Reads the output of a program, which may end before its output was read, or while another program still holds its stdout. */
export class OutputReader extends LineReader {
  /** Is reading paused because the consumer is behind, or has not begun? */
  get held(): boolean {
    return ['held', 'idle', 'stopped'].includes(this.state);
  }

  /** Continues reading but discards everything, so that a peer that is still writing can finish. */
  discard(): void {
    this.inbox.discard();
    if (this.state === 'over' || this.state === 'discarding') return;
    const begun = this.readable.listeners('data').includes(this.onData);
    this.state = 'discarding';
    if (begun) this.readable.resume();
    else this.begin();
  }

  /** Nothing more will come, although the stream has not ended: an unfinished line counts as a line, and the inbox ends after it. */
  end(error?: Error): void {
    if (this.state === 'reading' || this.state === 'held') this.deliverLast();
    this.state = 'over';
    this.inbox.end(error);
  }

  protected override isMessage(line: string): boolean {
    try {
      JSON.parse(line);
      return true;
    } catch {
      return false;
    }
  }
}
