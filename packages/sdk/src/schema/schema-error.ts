/**
 * The kind of a fault in a schema. `dialect`: `$schema` names one that is not supported. `reference`: it has no target, leaves the schema,
 * or is circular. `pattern`: it is invalid, or cannot be run safely. `size`: the schema costs too much. `keyword`: any other.
 */
export type SchemaFault = 'dialect' | 'reference' | 'pattern' | 'size' | 'keyword';

/** A fault in a schema. `at` is the JSON Pointer of the location; `''` for the root. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  readonly at: string;
  readonly kind: SchemaFault | undefined;

  constructor(message: string, at = '', kind?: SchemaFault) {
    super(at === '' ? message : `${message} (at ${at})`);
    this.at = at;
    this.kind = kind;
  }
}
