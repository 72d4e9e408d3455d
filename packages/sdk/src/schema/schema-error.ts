/** What is wrong with a schema. `at` is the JSON Pointer of the place, `''` for the root. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  readonly at: string;

  constructor(message: string, at = '') {
    super(at === '' ? message : `${message} (at ${at})`);
    this.at = at;
  }
}
