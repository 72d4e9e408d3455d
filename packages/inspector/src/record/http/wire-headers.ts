/** Hop-by-hop headers, which are not forwarded (RFC 9110, section 7.6.1), and one that Node has already answered. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export type Field = readonly [name: string, value: string];

/** Headers from Node's raw form, in their order and spelling. */
export function fieldsOf(raw: readonly string[]): Field[] {
  const fields: Field[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) fields.push([raw[at]!, raw[at + 1]!]);
  return fields;
}

/** The headers that are forwarded. */
export function passedOn(fields: readonly Field[]): Field[] {
  const named = new Set(
    fields
      .filter(([name]) => name.toLowerCase() === 'connection')
      .flatMap(([, value]) => value.split(',').map((name) => name.trim().toLowerCase())),
  );
  return fields.filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase()) && !named.has(name.toLowerCase()));
}

/** The first value of a header. */
export function valueOf(fields: readonly Field[], name: string): string | undefined {
  return fields.find(([own]) => own.toLowerCase() === name)?.[1];
}

/** The headers with this one set, at its old position if it existed. */
export function withField(fields: readonly Field[], name: string, value: string): Field[] {
  const lower = name.toLowerCase();
  const at = fields.findIndex(([own]) => own.toLowerCase() === lower);
  const others = fields.filter(([own], place) => place === at || own.toLowerCase() !== lower);
  return at === -1
    ? [...others, [name, value]]
    : others.map((field, place) => (place === at ? [field[0], value] : field));
}

export function withoutField(fields: readonly Field[], name: string): Field[] {
  return fields.filter(([own]) => own.toLowerCase() !== name.toLowerCase());
}

/** Headers in Node's raw form. */
export function rawOf(fields: readonly Field[]): string[] {
  return fields.flat();
}
