/**
 * What kind of fault a schema has. `dialect`: `$schema` names one that is not understood. `reference`: it leads nowhere, out of the schema,
 * or in a circle. `pattern`: it is none, or cannot be run safely. `size`: the schema costs too much. `keyword`: any other.
 */
export type SchemaFault = 'dialect' | 'reference' | 'pattern' | 'size' | 'keyword';

/** What is wrong with a schema. `at` is the JSON Pointer of the place, `''` for the root. */
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
