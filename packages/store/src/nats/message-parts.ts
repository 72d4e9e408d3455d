import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';

/** What a part begins with, and no JSON does. After it: the id of the message, the number of the part, how many there are, a newline. */
const MARK = '#';
const HEADER = /^#([\w-]{36}) (\d{1,6}) (\d{1,6})$/;
/** The maximum length of the header of a part. */
const HEADER_BYTES = 64;
/** The maximum size of a message, and of all messages of which some parts have arrived. */
const MAX_BYTES = 128 * 1024 ** 2;
/** The maximum number of such messages. Those whose sender has ended remain until then. */
const MAX_BEGUN = 32;

/** Splits a message that is larger than the server takes at once. Throws a `RangeError` if it is larger than any bus takes. */
export function partsOf(json: string, most: number): readonly Uint8Array[] {
  const bytes = Buffer.from(json);
  if (bytes.length <= most) return [bytes];
  if (bytes.length > MAX_BYTES) throw new RangeError(`A message on a bus is at most ${MAX_BYTES} bytes long`);
  const size = Math.max(most - HEADER_BYTES, 1);
  const id = randomUUID();
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, at) =>
    Buffer.concat([Buffer.from(`${MARK}${id} ${at} ${count}\n`), bytes.subarray(at * size, (at + 1) * size)]),
  );
}

interface Begun {
  readonly pieces: Uint8Array[];
  bytes: number;
}

/** Joins the parts of messages. The parts of one message arrive in order. */
export class MessageParts {
  /** By id, the oldest first. */
  readonly #begun = new Map<string, Begun>();
  #bytes = 0;

  /** Adds what has arrived. Returns a message, if it is complete. */
  add(part: Uint8Array): string | undefined {
    const bytes = Buffer.from(part.buffer, part.byteOffset, part.length);
    if (bytes[0] !== MARK.charCodeAt(0)) return bytes.toString();
    const end = bytes.subarray(0, HEADER_BYTES).indexOf('\n');
    const [, id = '', at, count] = HEADER.exec(bytes.subarray(0, Math.max(end, 0)).toString('latin1')) ?? [];
    if (id === '') return undefined;
    const begun = this.#begun.get(id) ?? { pieces: [], bytes: 0 };
    this.#remove(id);
    // A part before it was lost, or is lost with the rest.
    if (begun.pieces.length !== Number(at)) return undefined;
    // A copy: the library may use its memory again.
    const piece = Uint8Array.from(bytes.subarray(end + 1));
    begun.pieces.push(piece);
    begun.bytes += piece.length;
    if (begun.pieces.length === Number(count)) return Buffer.concat(begun.pieces).toString();
    this.#keep(id, begun);
    return undefined;
  }

  #keep(id: string, begun: Begun): void {
    this.#begun.set(id, begun);
    this.#bytes += begun.bytes;
    for (const oldest of this.#begun.keys()) {
      if (this.#begun.size <= MAX_BEGUN && this.#bytes <= MAX_BYTES) return;
      this.#remove(oldest);
    }
  }

  #remove(id: string): void {
    this.#bytes -= this.#begun.get(id)?.bytes ?? 0;
    this.#begun.delete(id);
  }
}
