/** The size of a block in bytes. A block is used again when all of its texts are removed, so one that stays should not occupy much. */
const BLOCK_BYTES = 64 * 1024;
/** How many unused blocks are kept for the next texts. */
const MAX_FREE = 16;
/** A shorter text is kept as a string: the object that says where its bytes are would be as large. */
const MIN_CHARACTERS = 1024;

/** What has no UTF-8 form. */
const LONE_SURROGATE = /\p{Surrogate}/u;

interface Block {
  readonly bytes: Uint8Array;
  /** How many bytes have been written. */
  used: number;
  /** How many texts have not been removed. */
  texts: number;
}

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

/** A text in a block. */
export class BlockText {
  /** Its length in characters. */
  readonly length: number;
  readonly block: Block;
  readonly #start: number;
  readonly #end: number;

  constructor(block: Block, bytes: number, length: number) {
    this.block = block;
    this.length = length;
    this.#start = block.used;
    this.#end = block.used + bytes;
  }

  read(): string {
    return DECODER.decode(this.block.bytes.subarray(this.#start, this.#end));
  }
}

/**
 * Keeps texts as UTF-8 in blocks of memory that are used again. Strings that live long are copied by the garbage collector until they are
 * old, and need a full collection to be removed: meanwhile they occupy several times their size, in memory that is new each time.
 */
export class TextBlocks {
  readonly #maxBlocks: number;
  readonly #free: Block[] = [];
  #last: Block | undefined;
  /** How many blocks have texts or are kept for them. */
  #count = 0;

  /** The blocks together have at most about `maxBytes`. */
  constructor(maxBytes: number) {
    this.#maxBlocks = Math.ceil(maxBytes / BLOCK_BYTES);
  }

  /** Adds a text. Returns the text itself if it is better kept as a string: it is short, has no UTF-8 form, or there is no room. */
  add(text: string): string | BlockText {
    const { length } = text;
    if (length < MIN_CHARACTERS || length > BLOCK_BYTES || LONE_SURROGATE.test(text)) return text;
    return this.#write(text, this.#last) ?? this.#writeToNext(text) ?? text;
  }

  /** Removes a text that was added. It cannot be read any more. */
  remove({ block }: BlockText): void {
    if (--block.texts > 0) return;
    if (block === this.#last) block.used = 0;
    else this.#release(block);
  }

  #write(text: string, block: Block | undefined): BlockText | undefined {
    if (block === undefined || block.used + text.length > BLOCK_BYTES) return undefined;
    const { read, written } = ENCODER.encodeInto(text, block.bytes.subarray(block.used));
    if (read < text.length) return undefined;
    const added = new BlockText(block, written, text.length);
    block.used += written;
    block.texts++;
    return added;
  }

  /** Writes a text to an unused block, which is the last one from then on. */
  #writeToNext(text: string): BlockText | undefined {
    const next = this.#free.pop() ?? this.#create();
    const added = this.#write(text, next);
    if (added !== undefined) this.#last = next;
    else if (next !== undefined) this.#release(next);
    return added;
  }

  #create(): Block | undefined {
    if (this.#count >= this.#maxBlocks) return undefined;
    this.#count++;
    return { bytes: new Uint8Array(BLOCK_BYTES), used: 0, texts: 0 };
  }

  #release(block: Block): void {
    block.used = 0;
    if (this.#free.length < MAX_FREE) this.#free.push(block);
    else this.#count--;
  }
}
