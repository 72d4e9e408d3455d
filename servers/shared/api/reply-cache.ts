/** An answer whose body was read. */
export interface WholeReply {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Larger answers are not kept. */
const MAX_REPLY_BYTES = 1024 * 1024;
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_REPLIES = 500;

/** Answers with an ETag, so that the service can say that nothing has changed. The least recently used ones are dropped first. */
export class ReplyCache {
  readonly #replies = new Map<string, WholeReply>();
  #bytes = 0;

  get size(): number {
    return this.#replies.size;
  }

  get(key: string): WholeReply | undefined {
    const reply = this.#replies.get(key);
    if (reply === undefined) return undefined;
    this.#replies.delete(key);
    this.#replies.set(key, reply);
    return reply;
  }

  /** Keeps an answer if it has an ETag and is small enough. */
  put(key: string, reply: WholeReply): void {
    this.#drop(key);
    if (!reply.headers.has('etag') || reply.bytes.length > MAX_REPLY_BYTES) return;
    this.#replies.set(key, reply);
    this.#bytes += reply.bytes.length;
    while (this.#bytes > MAX_BYTES || this.#replies.size > MAX_REPLIES) this.#drop(this.#replies.keys().next().value!);
  }

  #drop(key: string): void {
    this.#bytes -= this.#replies.get(key)?.bytes.length ?? 0;
    this.#replies.delete(key);
  }
}
