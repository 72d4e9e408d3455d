// Types as they will be written in TypeScript.

/** The members that every type may have. */
interface NodeBase {
  /** Why the type is wider than its schema, as a comment after it. Contains only safe text. */
  readonly note?: string | undefined;
}

/** A keyword such as `string`, or a literal. */
export interface WordNode extends NodeBase {
  readonly kind: 'word';
  readonly text: string;
}

/** An array whose items are all of one type. */
export interface ListNode extends NodeBase {
  readonly kind: 'list';
  readonly item: TypeNode;
  readonly isReadonly: boolean;
}

/** An array whose items have types by position. */
export interface TupleNode extends NodeBase {
  readonly kind: 'tuple';
  readonly items: readonly TypeNode[];
  /** The number of required items. */
  readonly required: number;
  /** The type of additional items. Undefined: no additional items are allowed. */
  readonly rest: TypeNode | undefined;
  readonly isReadonly: boolean;
}

/** A member of an object type. */
export interface MemberNode {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: TypeNode;
  /** The lines of its doc comment. Contain only safe text. */
  readonly comment: readonly string[];
}

/** An object. */
export interface ObjectNode extends NodeBase {
  readonly kind: 'object';
  readonly members: readonly MemberNode[];
  /** The type of all other members; undefined: there are none. */
  readonly index: TypeNode | undefined;
  /** It only says that the value is an object, so any other object type of an intersection is more specific. */
  readonly isWeak: boolean;
}

/** One of several types, or all of them. */
export interface JoinNode extends NodeBase {
  readonly kind: 'union' | 'intersection';
  readonly parts: readonly TypeNode[];
}

/** A reference to a type that has a name. */
export interface NameNode extends NodeBase {
  readonly kind: 'name';
  readonly named: NamedType;
}

/** A type. */
export type TypeNode = WordNode | ListNode | TupleNode | ObjectNode | JoinNode | NameNode;

/** A named type, to which a schema refers. */
export interface NamedType {
  readonly name: string;
  readonly comment: readonly string[];
  /** Known once its schema has been read, which may refer to it. */
  type: TypeNode;
}

/** The type without values. */
export const NEVER: TypeNode = { kind: 'word', text: 'never' };

/** A keyword or a literal as a type. */
export function word(text: string, note?: string): TypeNode {
  return { kind: 'word', text, note };
}

/** The type of a schema that cannot be expressed, with the reason. */
export function unknownType(note?: string): TypeNode {
  return word('unknown', note);
}

function isWord(node: TypeNode, text: string): boolean {
  return node.kind === 'word' && node.text === text;
}

function joined(notes: readonly (string | undefined)[]): string | undefined {
  const known = [...new Set(notes)].filter((note) => note !== undefined);
  return known.length === 0 ? undefined : known.join('; ');
}

/** The same type with one more note. */
export function withNote(node: TypeNode, note: string | undefined): TypeNode {
  return note === undefined ? node : { ...node, note: joined([node.note, note]) };
}

/** One of the types. */
export function unionOf(given: readonly TypeNode[]): TypeNode {
  const parts = given.flatMap((part) => (part.kind === 'union' && part.note === undefined ? part.parts : [part]));
  const notes = joined(parts.map((part) => (part.kind === 'word' ? part.note : undefined)));
  if (parts.some((part) => isWord(part, 'unknown'))) return unknownType(notes);
  const words = new Set<string>();
  const different = parts.filter((part) => {
    if (part.kind !== 'word' || part.note !== undefined) return true;
    const isNew = !words.has(part.text) && part.text !== 'never';
    words.add(part.text);
    return isNew;
  });
  if (different.length === 0) return NEVER;
  return different.length === 1 ? different[0]! : { kind: 'union', parts: different };
}

/** All of the types at once. */
export function intersectionOf(parts: readonly TypeNode[]): TypeNode {
  const known = parts.filter((part) => !isWord(part, 'unknown'));
  const notes = joined(parts.filter((part) => isWord(part, 'unknown')).map(({ note }) => note));
  const strong = known.filter((part) => part.kind !== 'object' || !part.isWeak);
  const [first, ...more] = strong.length > 0 ? strong : known.slice(0, 1);
  if (first === undefined) return unknownType(notes);
  return withNote(more.length === 0 ? first : { kind: 'intersection', parts: [first, ...more] }, notes);
}
