/** A revision cannot represent something. The message says why: "it has no audio". */
export class Inexpressible extends Error {
  override readonly name = 'Inexpressible';
}
